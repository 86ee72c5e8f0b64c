"""What a session leaves running is ended with it: what bears its tag, and what left its parents and
its environment behind.

For the latter this process takes in the orphans of what it started (PR_SET_CHILD_SUBREAPER,
prctl(2)), unless it had children before: those are somebody else's, and so may their orphans be.
What interlock itself starts to tell people is spared (``OURS``). On macOS and Windows nothing is
seen.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from types import FrameType

from interlock.facts import processes
from interlock.stop.kill import PAUSE, HaltedProcesses, KillResult, send
from interlock.stop.processes import OURS, TAG, SessionProcesses

GRACE = 2.0
"""Seconds that what was left has to end by itself."""
_ADOPT = 36


class Leftovers:
    """What a session of this process left running. ``session``: its tag's value, ``""`` where what
    runs bears none.
    """

    def __init__(self, session: str = "") -> None:
        self.session = session
        self._adopts = sys.platform == "linux" and not _has_children() and _adopt(on=True)

    def find(self) -> dict[int, int]:
        """Return what runs, as it is now: numbers to ticks."""
        itself = processes.this() if self._adopts else None
        tags = [f"{TAG}={self.session}"] if self.session else []
        return SessionProcesses(
            [(itself.pid, itself.ticks)] if itself is not None else [], tags, beside=[OURS]
        ).find()

    def end(self) -> KillResult:
        """End it: first asked, then made to. Returns what was ended."""
        found = asked = self.find()
        for pid, ticks in asked.items():
            send(pid, ticks, signal.SIGTERM)
        until = monotonic() + GRACE
        while found and monotonic() < until:
            sleep(PAUSE)
            found = self.find()
        made = HaltedProcesses(self, grouped=False).kill()
        self.reap()
        return made.replace(count=len(asked.keys() - found.keys()) + made.count)

    def close(self) -> None:
        """Take in orphans no longer."""
        if self._adopts:
            self._adopts = not _adopt(on=False)

    def reap(self) -> None:
        """Take note of orphans that ended, so that they do not stay in the table of processes; only
        while nothing else is waited for.
        """
        while self._adopts and sys.platform != "win32":
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    return
            except ChildProcessError:
                return


def _has_children() -> bool:
    if sys.platform == "win32":
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _adopt(*, on: bool) -> bool:
    """Take in orphans from now on, or no longer; tell whether that works."""
    import ctypes

    return bool(
        ctypes.CDLL(None).prctl(_ADOPT, *[ctypes.c_ulong(number) for number in (int(on), 0, 0, 0)])
        == 0
    )


@contextmanager
def leaving(session: str = "", name: str = "interlock") -> Iterator[Leftovers]:
    """Have what a session leaves running ended with this block, however it ends but by SIGKILL;
    says so as ``name`` on standard error.
    """
    left = Leftovers(session)
    before = (
        [(number, signal.signal(number, _exit_on_signal)) for number in endings()]
        if threading.current_thread() is threading.main_thread()
        else []
    )
    try:
        yield left
    finally:
        told = sentence(left.end())
        if told:
            sys.stderr.write(f"{name}: {told}\n")
        left.close()
        for number, earlier in before:
            signal.signal(number, earlier)


def endings() -> list[signal.Signals]:
    """Return the signals that end a program and may be heard: to end, and that its terminal is
    gone, unless that is ignored (nohup(1)).
    """
    known = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def _exit_on_signal(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def sentence(killed: KillResult) -> str:
    """Say what was ended, ``""`` where there was nothing."""
    some = f"{killed.count} process{'es' if killed.count != 1 else ''}"
    ended = f"ended {some} that commands had left running" if killed.count else ""
    alive = ", ".join([f"{name} ({pid})" for pid, name in killed.survivors])
    return "; ".join(
        [part for part in (ended, f"what lives all the same: {alive}" if alive else "") if part]
    )
