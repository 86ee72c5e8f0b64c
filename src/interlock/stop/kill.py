"""Processes are held still, killed, and looked for again, until none or known ones are left."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from time import monotonic, sleep
from typing import Protocol

from interlock.facts import processes
from interlock.model.record import Record
from interlock.stop import cgroup
from interlock.stop.processes import is_gone


class ProcessFinder(Protocol):
    """Who looks for the processes that are meant."""

    def find(self) -> dict[int, int]:
        """Return them as they are now: numbers to ticks."""


ROUNDS = 50
"""Looks for processes that were started while others were being held."""
PATIENCE = 2.0
"""Seconds after which what still lives is a survivor."""
PAUSE = 0.01
CGROUP, SIGNALS = "cgroup", "signals"


class KillResult(Record):
    """What a stop ended. ``how``: by a control group or by signals; ``survivors``: number and name
    of what still lives.
    """

    count: int = 0
    how: str = SIGNALS
    survivors: tuple[tuple[int, str], ...] = ()

    @property
    def met(self) -> bool:
        """Whether there was anything to end."""
        return bool(self.count or self.survivors)


class HaltedProcesses:
    """Processes that stand still until they are killed. ``grouped``: a control group is tried
    first.
    """

    def __init__(self, finder: ProcessFinder, *, grouped: bool = True) -> None:
        self.finder = finder
        self.held: dict[int, int] = {}
        first = finder.find()
        self.group = cgroup.make(list(first)) if grouped and first else None
        self._all(first)

    def _all(self, found: Mapping[int, int]) -> None:
        """Hold all that are there, and those that were started meanwhile."""
        for _ in range(ROUNDS):
            fresh = {pid: ticks for pid, ticks in found.items() if pid not in self.held}
            if not fresh:
                return
            for pid, ticks in fresh.items():
                self._one(pid, ticks)
            found = self.finder.find()

    def _one(self, pid: int, ticks: int) -> None:
        self.held[pid] = ticks
        if self.group is not None and not is_gone(pid, ticks):
            try:
                self.group.add(pid)
            except OSError:
                send(pid, ticks, signal.SIGSTOP)  # of another part of the hierarchy, or gone
            return
        send(pid, ticks, signal.SIGSTOP)

    def kill(self) -> KillResult:
        """Kill them, and whatever still turns up; return what was ended and what lives."""
        until, calm = monotonic() + PATIENCE, 0
        while True:
            if self.group is not None:
                self.group.kill()
            for pid, ticks in self.held.items():
                send(pid, ticks, signal.SIGKILL)
            alive = [pid for pid, ticks in self.held.items() if not is_gone(pid, ticks)]
            fresh = {
                pid: ticks
                for pid, ticks in self.finder.find().items()
                if pid not in self.held and not is_gone(pid, ticks)
            }
            self.held.update(fresh)
            calm = 0 if alive or fresh else calm + 1
            if calm > 1 or monotonic() > until:
                break
            sleep(PAUSE)
        if self.group is not None:
            self.group.close()
        ended = sum(is_gone(pid, ticks) for pid, ticks in self.held.items())
        return KillResult(
            ended,
            CGROUP if self.group is not None else SIGNALS,
            tuple([(pid, _name(pid)) for pid in alive]),
        )


def _name(pid: int) -> str:
    process = processes.running(pid)
    return process.name if process is not None else ""


def send(pid: int, ticks: int, number: int) -> None:
    """Send a signal to a process, and to no other that may have its number by now. What is gone, or
    not ours, gets none.
    """
    if sys.platform != "linux":
        return
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if not is_gone(pid, ticks):
            signal.pidfd_send_signal(handle, number)
    except OSError:
        return
    finally:
        os.close(handle)
