"""``interlock resume``: resume what `interlock stop`, a trigger of the policy or a limit
stopped. It is for people: an agent is refused.

Without a scope it says what is stopped. A session that a limit paused begins to count anew. What a
team's service stopped is resumed there; `--without-service`, for root, is for when it is gone.
"""

from __future__ import annotations

import argparse
import os

from interlock.approvals.answers import AnswerError
from interlock.approvals.user import me
from interlock.cli import build, local_resume, machine, person_check
from interlock.cli.colors import complain, visible
from interlock.cli.stop import SCOPES, add_scopes, scope_of
from interlock.model.codec import encode
from interlock.stop import StopError
from interlock.stop.flags import ALL, Flag, argument, lift, read_flags

NAME = "resume"
SUMMARY = "resume stopped agents (for people)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what goes on."""
    parser.usage = f"%(prog)s [{SCOPES} |\n{'':22}--without-service]\n{'':22}[--json] [--token]"
    add_scopes(parser, "resume").add_argument(
        "--without-service",
        action="store_true",
        help="resume what your team's service stopped, though it is not there: for root, recorded",
    )
    machine.add_json(parser)
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Resume, or say what is stopped. 0 done, 1 refused or not stopped."""
    try:
        store, scope = build.store(os.environ), scope_of(options)
        if not scope and not options.without_service and options.json:
            machine.tell([encode(flag) for flag in read_flags(store.folder)])
            return 0
        if not scope and not options.without_service:
            stopped = [f"{how(flag)}   # {visible(flag.why)}" for flag in read_flags(store.folder)]
            print("\n".join(stopped) if stopped else "nothing is stopped")
            return 0
        person_check.needs_person(store, given=options.token)
        if options.without_service:
            return local_resume.resume(store, plain=options.json)
        freed = [one for one in _select_scopes(store.folder, scope) if lift(store.folder, one)]
        paused = (
            build.meter(store).resume(scope, me())
            if scope.startswith(("session:", "user:", "tenant:"))
            else False
        )
        if freed:
            build.record(
                store,
                "resume",
                scope,
                {"by": me(), "scopes": freed},
                scope.partition(":")[2] if scope.startswith("session:") else "",
            )
    except (AnswerError, StopError, build.StoreError) as problem:
        complain(f"interlock resume: {problem}\n")
        return 1
    if options.json:
        machine.tell({"resumed": freed, "limit_resumed": paused})
        return 0 if freed or paused else 1
    for one in freed:
        print(f"resumed {visible(one)}")
    if paused:
        print(f"resumed {visible(scope)}, which a limit had paused; its budgets begin anew")
    if not freed and not paused:
        complain(f"interlock resume: {_not(store.folder, scope)}\n")
    return 0 if freed or paused else 1


def how(flag: Flag) -> str:
    """Say how a flag is lifted."""
    if flag.epoch:
        return f"{visible(flag.scope)}: resume it at your team's service"
    return f"interlock resume{visible(argument(flag.scope))}"


def _not(state: str, scope: str) -> str:
    """Say why nothing was resumed."""
    if any(flag.epoch and (scope in (ALL, flag.scope)) for flag in read_flags(state)):
        return (
            f"your team's service stopped {visible(scope)}: resume it there; where that is gone for"
            " good, as root: interlock resume --without-service"
        )
    return f"{visible(scope)} is not stopped; `interlock resume` lists what is"


def _select_scopes(state: str, scope: str) -> list[str]:
    """Return the scopes to lift: with ``--all`` every one of them."""
    return [flag.scope for flag in read_flags(state)] if scope == "all" else [scope]
