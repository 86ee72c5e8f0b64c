"""``interlock log``: the last decisions and stops, newest last, with what became of each;
``--follow`` shows new ones as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from interlock.audit.call_summary import briefly
from interlock.audit.export import as_json
from interlock.audit.query import STOPS, Filter, concerns, fits, last, newest, row_of, since, stops
from interlock.audit.source import ChainEvent
from interlock.cli import build, installed
from interlock.cli.colors import VERDICTS, Painter, complain, terminal_width, visible
from interlock.engine.radius import render_radius
from interlock.model.call import PROVING
from interlock.model.codec import MalformedError, decode
from interlock.model.radius import Radius
from interlock.policy.value_kinds import WORDS
from interlock.store.database import Store

NAME = "log"
SUMMARY = "show the latest decisions and stops"
EVERY = 0.3
"""Seconds between two looks for what is new."""
SHORT = 10
"""Characters of a decision's name shown; `interlock explain` takes any unique beginning."""
BELOW = " " * 33
"""Stands before what else is said of a decision: it begins below the answer."""
INDENT = " " * 4
"""Stands before it where a terminal is narrow."""
_MARKS = {**VERDICTS, installed.NOT_JUDGED: ("red", "✗", "")}
_OUTCOMES = {"ran": "green", "failed": "red", "refused": "grey"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the filters."""
    parser.add_argument("--session", default="", help="only this session")
    parser.add_argument("--all", action="store_true", help="the trials of `interlock doctor` too")
    parser.add_argument(
        "--verdict",
        default="",
        choices=("allow", "warn", "ask", "deny"),
        help="only this verdict; warn: allowed with a warning",
    )
    parser.add_argument("--rule", default="", help="only decisions in which this rule spoke")
    parser.add_argument(
        "--since",
        default="",
        metavar="TIME",
        type=moment,
        help="only since then: 90m, 12h, 7d, or a time such as 2026-01-31T09:00 (with Z: UTC)",
    )
    parser.add_argument(
        "-n", "--limit", type=count, default=20, help="how many at most (default 20)"
    )
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="keep showing decisions, outcomes and other events as they come, until Ctrl-C",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print whole rows as JSON lines (with --follow: events, as `interlock audit export`)",
    )


def count(text: str) -> int:
    """Return a number of rows; raises ``ValueError`` for what is none."""
    if int(text) < 0:
        raise ValueError(text)
    return int(text)


def moment(text: str) -> str:
    """Return the UTC time that a person means by a duration before now or by a time of theirs;
    raises ``ArgumentTypeError`` for what is neither.
    """
    if not text:
        return ""
    try:
        if text[-1] in "smhdw" and text[:-1].isdigit():
            seconds = WORDS["duration"].read(text)
            return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - seconds))
        return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%dT%H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time; expected 90m, 12h, 7d, or a time such as 2026-01-31T09:00"
        ) from None


def run(options: argparse.Namespace) -> int:
    """Print the rows."""
    wanted = Filter(
        options.session,
        options.verdict,
        options.rule,
        options.since,
        options.limit,
        options.all,
    )
    paint = Painter(sys.stdout)
    try:
        store = build.store(os.environ)
        seq = newest(store) if options.follow else 0
        shown = _last(store, wanted, None if options.json else paint)
        build.tell(store)
        if not shown and not options.json and not options.follow:
            print("no decisions yet" if wanted == Filter() else "no matching entries")
        if shown and not options.json and sys.stdout.isatty():
            print(paint(f"times in {_zone()}", "grey"))
        for text in shown:
            print(text, flush=options.follow)
        if options.follow:
            for event in _coming(store, seq):
                _show(event, wanted, None if options.json else paint)
    except build.StoreError as problem:
        complain(f"interlock log: {problem}\n")
        return 1
    return 0


def _last(store: Store, wanted: Filter, paint: Painter | None) -> list[str]:
    """Return the last decisions, stops and unjudged calls as they are shown, the oldest first;
    without a painter as JSON.
    """
    rows = last(store, wanted)
    events = stops(store, wanted, rows[-1] if rows and len(rows) == wanted.limit else None)
    rows += _read_unjudged(store, wanted)
    told = [
        (str(row["timestamp"]), json.dumps(row) if paint is None else "\n".join(_lines(row, paint)))
        for row in reversed(rows)
    ]
    told += [
        (
            str(one.values[2]),
            as_json(one).rstrip("\n") if paint is None else _event_line(one, None, paint),
        )
        for one in reversed(events)
    ]
    return (
        [text for _, text in sorted(told, key=lambda one: one[0])[-wanted.limit :]]
        if wanted.limit
        else []
    )


def _read_unjudged(store: Store, wanted: Filter) -> list[dict[str, Any]]:
    """Return the calls that were made while the guard was gone, where decisions are not asked for
    by what was said of them.
    """
    if wanted.verdict or wanted.rule:
        return []
    return [
        row
        for row in installed.find_unjudged(store)
        if wanted.session in ("", row["session_id"]) and str(row["timestamp"]) >= wanted.since
    ]


def _coming(store: Store, seq: int) -> Iterator[ChainEvent]:
    """Yield events as they come, until nobody reads any more."""
    while not _is_reader_gone():
        for event in since(store, seq):
            seq = event.seq
            yield event
        time.sleep(EVERY)
        seq = min(seq, newest(store))  # a new file may have begun


def _is_reader_gone() -> bool:
    """Tell whether our reader has gone, which only a write would show, perhaps hours later."""
    if not hasattr(select, "poll") or sys.stdout.isatty():
        return False
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))
    except (OSError, ValueError):
        return False


def _show(event: ChainEvent, wanted: Filter, paint: Painter | None) -> None:
    """Print an event that fits; without a painter as JSON."""
    row = row_of(event.row) if event.row is not None else None
    if row is not None and not fits(row, wanted):
        return
    if row is None and (wanted.verdict or wanted.rule or not concerns(event, wanted.session)):
        return
    if paint is None:
        print(as_json(event), end="", flush=True)
    elif row is not None and event.kind == "decision":
        print("\n".join(_lines({**row, "status": None}, paint)), flush=True)
    else:
        print(_event_line(event, row, paint), flush=True)


def _lines(row: Mapping[str, object], paint: Painter) -> Iterator[str]:
    """Yield a decision's line, and the loss where it was asked about or refused for it."""
    lines = list(lines_of(row, paint))
    yield from lines
    below = BELOW if len(lines) == 1 else INDENT
    if row["radius"] and row["verdict"] != "allow":
        try:
            yield paint(
                f"{below}at stake:"
                f" {visible(render_radius(decode(Radius, json.loads(str(row['radius'])))))}",
                "grey",
            )
        except (ValueError, MalformedError) as problem:
            yield paint(f"{below}at stake: not readable: {problem}", "amber")


def lines_of(row: Mapping[str, object], paint: Painter, indent: int = 0) -> Iterator[str]:
    """Yield a decision: when, what was answered; the call, what became of it, the rule, which begin
    anew where a terminal is too narrow for them.

    ``indent``: columns that stand before each line.
    """
    plain = Painter(sys.stdout, colour=False)
    wide = indent + len(f"{_answer(row, plain)} {_about(row, plain)}")
    if sys.stdout.isatty() and wide > terminal_width():
        yield _answer(row, paint).rstrip()
        yield f"{INDENT}{_about(row, paint)}"
    else:
        yield f"{_answer(row, paint)} {_about(row, paint)}"


def _answer(row: Mapping[str, object], paint: Painter) -> str:
    verdict = str(row["verdict"])
    colour, mark, _ = _MARKS[
        "warn" if verdict == "allow" and row["strictest"] == "warn" else verdict
    ]
    answer = paint(mark + " " + verdict.ljust(5), colour)
    return (
        f"{_start(row['timestamp'], row['decision_id'], paint)}  {answer} "
        f" {visible(str(row['action'])).ljust(9)}"
    )


def _about(row: Mapping[str, object], paint: Painter) -> str:
    outcome = f"  {_outcome(row, paint)}" if row["status"] and row["status"] != "refused" else ""
    rule = paint(f"  {row['rule_id']}", "grey") if row["rule_id"] else ""
    agent = str(row["agent"] or "")
    who = "asked by interlock doctor" if row["session_id"] == PROVING else visible(agent)
    own = paint(f"  {who}", "grey") if who else ""
    return f"{visible(briefly(str(row['parameters'] or '')))}{outcome}{rule}{own}"


def _event_line(event: ChainEvent, row: Mapping[str, object] | None, paint: Painter) -> str:
    """Return an event's line that is no decision: an outcome, what people or machinery did."""
    _, _, at, kind, _, subject, body = event.values
    if row is not None:
        return (
            f"{_start(at, subject, paint)}  {_outcome(row, paint)}  {visible(str(row['action']))}"
            f" {visible(briefly(str(row['parameters'] or '')))}"
        )
    if kind == "outcome":
        said = event.body
        shown = {"status": said.get("status"), "duration_ms": said.get("duration_ms")}
        return (
            f"{_start(at, '', paint)}  {_outcome(shown, paint)}  a call that no decision in this"
            " store is about"
        )
    text = describe_stop(event.body) if kind in STOPS else str(body)[:100]
    return (
        f"{_start(at, '', paint)}  {paint('· ' + visible(str(kind)), 'blue')} "
        f" {visible(str(subject))} {paint(visible(text), 'grey')}"
    )


def describe_stop(body: Mapping[str, Any]) -> str:
    """Say of a stop who and why, what was ended; of what lifts one who, and what else went on."""
    survivors, scopes = body.get("survivors") or [], body.get("scopes") or []
    ended = (
        f"{body['ended']} process{'' if body['ended'] == 1 else 'es'} ended"
        if "ended" in body
        else ""
    )
    told = [
        f"by {body['by']}{': ' if body.get('why') else ''}" if body.get("by") else "",
        str(body.get("why") or ""),
        (
            f"; {ended}, {len(survivors)}"
            f" survived{': ' if survivors else ''}{', '.join(map(str, survivors))}"
            if ended
            else ""
        ),
        "".join([f"; checkpoint {name}" for name in body.get("checkpoints") or []]),
        f"; {', '.join(map(str, scopes))}" if len(scopes) > 1 else "",
    ]
    return "".join(told)


def _start(at: object, name: object, paint: Painter) -> str:
    return paint(f"{local(str(at))}  {visible(str(name))[:SHORT].ljust(SHORT)}", "grey")


def local(at: str) -> str:
    """Return a recorded time (UTC) as a clock on the wall shows it here."""
    try:
        return f"{datetime.fromisoformat(at).replace(tzinfo=UTC).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return at[:19].replace("T", " ")


def _zone() -> str:
    """Return how far this clock is from UTC: ``UTC``, ``UTC-05:00``."""
    offset = f"{datetime.now().astimezone():%z}"
    return "UTC" if offset == "+0000" else f"UTC{offset[:3]}:{offset[3:5]}"


def _outcome(row: Mapping[str, object], paint: Painter) -> str:
    """Return what became of a call, and how long it took: ``ran 1.2 s``."""
    status, duration = str(row["status"]), row["duration_ms"]
    took = f" {seconds(duration)}" if isinstance(duration, int) and duration else ""
    return paint(f"{visible(status)}{took}", _OUTCOMES.get(status, "amber"))


def seconds(milliseconds: int) -> str:
    """Return a duration as people say it: ``350 ms``, ``1.2 s``, ``2 min 5 s``."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    minutes, rest = divmod(milliseconds // 1000, 60)
    return f"{minutes} min {rest} s"
