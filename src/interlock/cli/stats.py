"""``interlock stats``: some days of the record at a glance: calls, questions and their answers,
refusals, proofs, checkpoints, the rules that interrupted most, and the trend.

`--svg` prints the same as a picture (`interlock stats --svg > week.svg`), `--json` as data. Days
are those of this machine's time zone. The record is read and nothing is changed; calls that
`interlock doctor` made are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from interlock.audit import statistics
from interlock.audit.statistics import Day, Noise, Totals
from interlock.cli import build, charts
from interlock.cli.colors import Painter, visible
from interlock.model.record import Record
from interlock.store.database import Store

NAME = "stats"
SUMMARY = "show a week at a glance: calls, questions, refusals, trend"
MOST_DAYS = 366
RULES = 8
"""Rules that are named."""
AGENTS = 4
BAR = 30
"""Columns of the longest bar."""


class DaySpan(Record):
    """Some days: the first and the last, and the UTC times at which they begin and end."""

    first: str
    last: str
    since: str
    until: str


class StatsReport(Record):
    """All that is shown. ``before``: the totals of as many days before."""

    span: DaySpan
    totals: Totals
    before: Totals
    days: tuple[Day, ...]
    rules: tuple[Noise, ...]
    agents: tuple[tuple[str, int], ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how far back, and the form."""
    parser.add_argument(
        "--days",
        type=days,
        default=7,
        metavar="N",
        help=f"the last N days, today included (default 7, at most {MOST_DAYS})",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--svg", action="store_true", help="print a picture (SVG)")
    form.add_argument("--json", action="store_true", help="print JSON")


def days(text: str) -> int:
    """Return a number of days; raises ``ValueError`` for what is none."""
    if not 1 <= int(text) <= MOST_DAYS:
        raise ValueError(text)
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print it."""
    try:
        store = build.store(os.environ)
        found = read_glance(store, options.days, time.time())
        build.tell(store)
    except build.StoreError as problem:
        sys.stderr.write(f"interlock stats: {problem}\n")
        return 1
    if options.json:
        print(json.dumps(as_data(found), indent=2))
    elif options.svg:
        print(
            "\n".join(
                charts.picture(f"interlock: {title(found).lower()}", cards(found), found.days)
            )
        )
    else:
        print("\n".join(lines(found, Painter(sys.stdout))))
    return 0


def read_glance(store: Store, count: int, now: float) -> StatsReport:
    """Return what the record says of the last days; raises ``StoreError``."""
    span, earlier = spans(count, now)
    between = (span.since, span.until)
    there = {day.day: day for day in statistics.days(store, *between)}
    first = date.fromisoformat(span.first)
    every = [(first + timedelta(days=at)).isoformat() for at in range(count)]
    return StatsReport(
        span,
        statistics.totals(store, *between),
        statistics.totals(store, earlier.since, earlier.until),
        tuple([there.get(day) or Day(day, 0, 0, 0) for day in every]),
        tuple(statistics.noisiest(store, *between, RULES)),
        tuple(statistics.agents(store, *between)),
    )


def spans(count: int, now: float) -> tuple[DaySpan, DaySpan]:
    """Return the last ``count`` days of the machine's zone, today the last of them, and as many
    before; ``now`` in Unix seconds.
    """
    today = datetime.fromtimestamp(now).astimezone().date()
    first = today - timedelta(days=count - 1)
    return _span(first, today), _span(first - timedelta(days=count), first - timedelta(days=1))


def _span(first: date, last: date) -> DaySpan:
    begins, ends = _midnight(first), _midnight(last + timedelta(days=1))
    return DaySpan(first.isoformat(), last.isoformat(), begins, ends)


def _midnight(day: date) -> str:
    """Return the UTC time at which a day begins here, as the record writes times."""
    begins = datetime(day.year, day.month, day.day).astimezone().astimezone(UTC)
    return begins.strftime("%Y-%m-%dT%H:%M:%S")


def title(found: StatsReport) -> str:
    """Return the heading: which days."""
    if found.span.first == found.span.last:
        return f"On {found.span.last}"
    return f"From {found.span.first} to {found.span.last}"


def cards(found: StatsReport) -> list[tuple[str, str, str]]:
    """Return each figure: its name, the number, and what else is said of it."""
    now, before = found.totals, found.before
    asked = f"{_share(now.asked, now.calls)} of calls, {now.yes:,} answered yes"
    answered = f", {now.answered:,} of the agent's questions answered" if now.answered else ""
    return [
        ("calls", f"{now.calls:,}", f"{before.calls:,} in the {len(found.days)} days before"),
        ("asked", f"{now.asked:,}", f"{asked}; {_share(before.asked, before.calls)} before"),
        ("refused", f"{now.refused:,}", f"{_share(now.refused, now.calls)} of calls"),
        ("proven", f"{now.proven:,}", f"{_share(now.proven, now.calls)} of calls{answered}"),
        ("checkpoints", f"{now.kept:,}", f"{now.undone:,} used by interlock undo"),
    ]


def _share(part: int, whole: int) -> str:
    """Return a part in percent; of nothing there is none."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def lines(found: StatsReport, paint: Painter) -> Iterator[str]:
    """Yield what a person reads."""
    yield paint(title(found), "bold")
    yield ""
    if not found.totals.calls:
        yield f"No calls in the last {len(found.days)} days. Longer: interlock stats --days 30"
        return
    for name, number, more in cards(found):
        colour = {"asked": "amber", "refused": "red"}.get(name, "green")
        yield f"{name:<12}{paint(f'{number:>8}', colour)}  {paint(more, 'grey')}"
    busiest = [f"{visible(name)} {count:,}" for name, count in found.agents[:AGENTS]]
    others = len(found.agents) - AGENTS
    yield f"{'agents':<12}{', '.join(busiest)}{f' and {others} more' if others > 0 else ''}"
    yield from _rules(found, paint)
    yield from _trend(found, paint)


def _rules(found: StatsReport, paint: Painter) -> Iterator[str]:
    if not found.rules:
        return
    wide = max([len(one.rule) for one in found.rules] + [30])
    yield ""
    yield f"{paint('Rules that interrupted most'.ljust(wide), 'bold')}   asked    yes  refused"
    for one in found.rules:
        yield f"{visible(one.rule):<{wide}}{one.asked:>8,}{one.yes:>7,}{one.refused:>9,}"


def _trend(found: StatsReport, paint: Painter) -> Iterator[str]:
    """Yield a line for each day, or for each week where they are many."""
    most = max([day.calls for day in found.days] + [1])
    yield ""
    yield f"{paint('Day'.ljust(14), 'bold')}   calls  asked  refused"
    for day in found.days if len(found.days) <= 31 else [one for one in found.days if one.calls]:
        named = date.fromisoformat(day.day).strftime("%a %Y-%m-%d")
        bar = "█" * -(-day.calls * BAR // most)
        numbers = f"{day.calls:>8,}{day.asked:>7,}{day.refused:>9,}"
        yield f"{named}{numbers}  {paint(bar, 'green')}".rstrip()


def as_data(found: StatsReport) -> dict[str, object]:
    """Return the figures as plain data."""
    fields = ("calls", "asked", "yes", "refused", "proven", "answered", "kept", "undone")
    return {
        "from": found.span.first,
        "to": found.span.last,
        "totals": {name: getattr(found.totals, name) for name in fields},
        "before": {name: getattr(found.before, name) for name in fields},
        "days": [
            {"day": one.day, "calls": one.calls, "asked": one.asked, "refused": one.refused}
            for one in found.days
        ],
        "rules": [
            {"rule": one.rule, "asked": one.asked, "yes": one.yes, "refused": one.refused}
            for one in found.rules
        ],
        "agents": dict(found.agents),
    }
