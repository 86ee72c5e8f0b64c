"""``interlock resume``: resume what `interlock stop`, a trigger of the policy or a limit
stopped. It is for people: an agent is refused.

Without a scope it says what is stopped. A session that a limit paused begins to count anew.
"""

from __future__ import annotations

import argparse
import os

from interlock.approvals.answers import AnswerError
from interlock.approvals.person import me
from interlock.cli import build, machine, sitting
from interlock.cli.paint import complain, visible
from interlock.cli.stop import SCOPES, add_scopes, scope_of
from interlock.model.codec import encode
from interlock.stop import StopError
from interlock.stop.flags import argument, engaged, lift

NAME = "resume"
SUMMARY = "resume stopped agents (for people)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what goes on."""
    parser.usage = f"%(prog)s [{SCOPES}]\n{'':22}[--json] [--token]"
    add_scopes(parser, "resume")
    machine.add_json(parser)
    sitting.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Resume, or say what is stopped. 0 done, 1 refused or not stopped."""
    try:
        store, scope = build.store(os.environ), scope_of(options)
        if not scope and options.json:
            machine.tell([encode(flag) for flag in engaged(store.folder)])
            return 0
        if not scope:
            stopped = [
                f"interlock resume{visible(argument(flag.scope))}   # {visible(flag.why)}"
                for flag in engaged(store.folder)
            ]
            print("\n".join(stopped) if stopped else "nothing is stopped")
            return 0
        sitting.needs_person(store, given=options.token)
        freed = [one for one in _meant(store.folder, scope) if lift(store.folder, one)]
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
        complain(
            f"interlock resume: {visible(scope)} is not stopped; `interlock resume` lists what is\n"
        )
    return 0 if freed or paused else 1


def _meant(state: str, scope: str) -> list[str]:
    """Return the scopes to lift: with ``--all`` every one of them."""
    return [flag.scope for flag in engaged(state)] if scope == "all" else [scope]
