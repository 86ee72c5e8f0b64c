"""``interlock policy replay``: the recorded history judged again, by what holds here or by another
policy.

Exit codes: 0 no answer changes; 1 some do; 2 there is nothing to judge, or a file is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_all_start_methods, get_context

from interlock.audit.rejudge import CHUNK, HistoryCall, RejudgeReport, chunks, history, judge_rows
from interlock.cli import build
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policy_cases import WRONG, policy_of
from interlock.effects.read import read
from interlock.guard.intent_stage import misfits
from interlock.model.call import ToolCall
from interlock.model.policy import Policy
from interlock.policy.examples import HOME
from interlock.policy.problem import PolicyError
from interlock.policy.value_kinds import WORDS

FEW = 4 * CHUNK
"""So many distinct calls are judged before other processes would have started."""
SAMPLES = 5
WIDTH = 40


def run(options: argparse.Namespace) -> int:
    """Judge the history again and tell what changes."""
    try:
        seconds = WORDS["duration"].read(options.since)
        policy = policy_of(options.policy).policy
        since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - seconds))
        rows = history(build.store(os.environ), since)
    except PolicyError as error:
        complain(f"{error}\n")
        return WRONG
    except (build.StoreError, ValueError) as why:
        complain(f"interlock policy replay: {why}\n")
        return WRONG
    if not rows:
        complain(f"interlock policy replay: no call was recorded in the last {options.since}\n")
        return WRONG
    report = in_processes(rows, policy, _progress(len(rows)))
    if options.json:
        print(json.dumps(_plain(report), indent=2))
    else:
        for line in lines(report, Painter(sys.stdout)):
            print(line)
    return 1 if report.flips else 0


def in_processes(
    rows: Sequence[HistoryCall], policy: Policy, done: Callable[[int], None]
) -> RejudgeReport:
    """Judge rows in as many processes as there are processors. ``done`` hears their number."""
    report = RejudgeReport()
    several = (os.cpu_count() or 1) > 1 and len(rows) > FEW and "fork" in get_all_start_methods()
    if not several:
        for part in chunks(rows):
            report = report.with_(judge_rows(part, policy, misfits, commands))
            done(report.distinct)
        return report
    # forked processes find them where they are: nothing is copied or written out
    _WorkerState.rows, _WorkerState.policy = rows, policy
    with get_context("fork").Pool(os.cpu_count()) as pool:
        for part_report in pool.imap_unordered(_part, range(0, len(rows), CHUNK)):
            report = report.with_(part_report)
            done(report.distinct)
    return report


class _WorkerState:
    """What forked processes judge, and by what."""

    rows: Sequence[HistoryCall] = ()
    policy: Policy


def _part(start: int) -> RejudgeReport:
    return judge_rows(
        _WorkerState.rows[start : start + CHUNK], _WorkerState.policy, misfits, commands
    )


def commands(call: ToolCall) -> tuple[tuple[str, ...], ...]:
    """Return the commands of a recorded call, from its text."""
    return read(call, build.fixed_facts(HOME)).commands


def _progress(total: int) -> Callable[[int], None]:
    """Return what shows on a terminal how far it is; elsewhere nothing."""
    if not sys.stderr.isatty():
        return lambda _: None

    def show(done: int) -> None:
        sys.stderr.write(bar(done, total))
        sys.stderr.flush()

    return show


def bar(done: int, total: int) -> str:
    """Return what draws how much is done over what was drawn before; at the end it goes away."""
    full = WIDTH * done // total
    return f"\r[{'#' * full}{' ' * (WIDTH - full)}] {done} of {total}" + (
        "\r\x1b[K" if done == total else ""
    )


def lines(report: RejudgeReport, paint: Painter) -> Iterator[str]:
    """Yield what changes as people read it."""
    yield f"{report.calls} recorded calls, {report.distinct} distinct"
    unread = sum(count for _, count in report.unread)
    if unread:
        yield f"{paint('!', 'amber')} {unread} of them cannot be judged again:"
        yield from [f"    {count}: {visible(why)}" for why, count in report.unread]
    for was, now in dict.fromkeys([(flip.old, flip.new) for flip in report.flips]):
        some = [flip for flip in report.flips if (flip.old, flip.new) == (was, now)]
        yield (
            f"{paint(f'{was} -> {now}', 'bold')}: {sum(flip.times for flip in some)} calls,"
            f" {len(some)} distinct"
        )
        for flip in some[:SAMPLES]:
            yield (
                f"  {flip.decision}  {visible(flip.text[:120])} "
                f" {paint(', '.join(flip.rules), 'grey')}"
            )
        if len(some) > SAMPLES:
            yield f"  ... and {len(some) - SAMPLES} more"
    if report.rules:
        yield "rules that say something else now, and of how many calls:"
        yield from [f"  {count:8}  {rule}" for rule, count in report.rules]
    if not report.flips:
        yield paint("no answer changes", "green")


def _plain(report: RejudgeReport) -> dict[str, object]:
    flips = [
        {
            "decision": one.decision,
            "call": one.text,
            "old": one.old,
            "new": one.new,
            "rules": [*one.rules],
            "times": one.times,
        }
        for one in report.flips
    ]
    return {
        "calls": report.calls,
        "distinct": report.distinct,
        "unread": dict(report.unread),
        "rules": dict(report.rules),
        "flips": flips,
    }
