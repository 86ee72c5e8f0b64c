"""A stop is proven on a harmless session: processes of every stubborn kind are started, stopped,
and looked for.
"""

from __future__ import annotations

import os
import sys
import time

from interlock.approvals.user import me
from interlock.cli import build
from interlock.cli.colors import Painter, complain
from interlock.guard.stopping import StopCommand, StopResult
from interlock.model.call import SHELL, ToolCall
from interlock.stop.flags import lift
from interlock.stop.kill import KillResult
from interlock.stop.rehearsal import Rehearsal, possible


def drill() -> int:
    """Start, stop and look. 0 where every call was denied and nothing survived; raises
    ``StopError`` and ``StoreError``.
    """
    if not possible():
        complain(
            "interlock stop: on this system processes cannot be seen, so a stop denies calls and"
            " ends nothing\n"
        )
        return 1
    session = Rehearsal(os.environ)
    try:
        build.store(os.environ).commit([session.noted()])
        print(f"a session of {session.left()} processes was started: {session.session}")
        done = build.execute_stop(
            os.environ, StopCommand(f"session:{session.session}", "a drill", me())
        )
        return _report_drill(session, done)
    finally:
        session.end()
        lift(build.store(os.environ).folder, f"session:{session.session}")


def _report_drill(session: Rehearsal, done: StopResult) -> int:
    call = ToolCall(SHELL, "Bash", {"command": "ls"}, cwd="/", session=session.session)
    began = time.perf_counter()
    denied = str(build.guard(os.environ).check(call).verdict) == "deny"
    asked, left, alive = time.perf_counter() - began, session.left(), session.agent.poll() is None
    paint = Painter(sys.stdout)
    for fine, words in (
        (
            denied,
            (
                f"its calls are denied: the flag stood after {done.flagged * 1000:.0f} ms, a call"
                f" was answered in {asked * 1000:.0f} ms"
            ),
        ),
        (
            _all_ended(done.killed, left, session.count),
            (
                f"{done.killed.count} of {session.count} processes ended by {done.killed.how},"
                f" {left} left"
            ),
        ),
        (alive, "the agent itself was left alone"),
    ):
        print(f"  {paint('ok', 'green') if fine else paint('FAILED', 'red')}  {words}")
    return 0 if denied and alive and _all_ended(done.killed, left, session.count) else 1


def _all_ended(killed: KillResult, left: int, count: int) -> bool:
    return not killed.survivors and left == 0 and killed.count == count
