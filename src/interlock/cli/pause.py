"""``interlock pause 10m``: for some minutes, what would be asked about only warns; what is denied
stays denied. It ends by itself.

For a person who watches an agent at work and wants no question just now, instead of switching the
guard off. Every call is judged and recorded as ever, what would change the guard itself is asked
about all the same, and so is what takes the approval of a role. Exit codes: 0 done, 1 refused.
"""

from __future__ import annotations

import argparse
import os
import time

from interlock.approvals import answers, screen
from interlock.approvals.answers import AnswerError
from interlock.approvals.grant_scope import EVERYWHERE, PROJECT
from interlock.approvals.service import Grant, keep_grant
from interlock.approvals.user import me
from interlock.cli import build, person_check
from interlock.cli.colors import complain
from interlock.policy.value_kinds import WORDS
from interlock.store.database import Store

NAME = "pause"
SUMMARY = "turn questions into warnings for some minutes"
LONGEST = 3600
"""Seconds. Who wants it for longer wants another policy."""
USES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how long."""
    parser.add_argument(
        "time",
        nargs="?",
        metavar="TIME",
        help="how long, such as 10m; 1h at most. Without it: whether questions are paused",
    )
    parser.add_argument("--end", action="store_true", help="end the pause now")
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Begin, end or show a pause."""
    try:
        store = build.store(os.environ)
        if options.end:
            return _end_pause(store)
        if options.time is None:
            return _print_pause(store)
        seconds = _seconds(options.time)
        person_check.needs_person(store, given=options.token)
        _begin(store, seconds)
    except (AnswerError, build.StoreError) as why:
        complain(f"interlock pause: {why}\n")
        return 1
    print(
        f"for {screen.format_time_left(seconds)} what would be asked about only warns;"
        " what is denied stays denied. To end it now: interlock pause --end"
    )
    return 0


def _seconds(text: str) -> int:
    try:
        seconds = int(WORDS["duration"].read(text))
    except ValueError:
        raise AnswerError(f"expected a time such as 10m, not {text!r}") from None
    if not 0 < seconds <= LONGEST:
        raise AnswerError("expected at most 1h: for longer, write another policy (docs/policy.md)")
    return seconds


def _pauses(store: Store) -> list[Grant]:
    return [grant for grant in answers.grants(store) if grant.owner == EVERYWHERE]


def _begin(store: Store, seconds: int) -> None:
    """Keep a pause in the place of the one that there may be."""
    for grant in _pauses(store):
        answers.revoke(store, grant.id, me())
    made = Grant(
        f"g-{os.urandom(5).hex()}", PROJECT, EVERYWHERE, (), me(), time.time() + seconds, USES
    )
    store.transact(lambda connection: keep_grant(connection, made, "", ""))


def _end_pause(store: Store) -> int:
    """End it; whoever may do so, for it only tightens."""
    found = _pauses(store)
    for grant in found:
        answers.revoke(store, grant.id, me())
    print("questions are asked again" if found else "nothing was paused")
    return 0


def _print_pause(store: Store) -> int:
    found = _pauses(store)
    left = max([grant.expires for grant in found], default=0.0) - time.time()
    print(
        f"questions are paused for {screen.format_time_left(left)} more;"
        " to end it now: interlock pause --end"
        if found
        else "questions are asked as ever"
    )
    return 0
