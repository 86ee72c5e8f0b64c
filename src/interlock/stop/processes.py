"""Whose processes are a session's: what its agent started, and what bears its tag, with all that these started. Never the agent, nor anybody else.

A tag is a variable in the environment of what interlock starts or has its client start (``INTERLOCK_SESSION``). It stays with a process that leaves
its parents behind; what throws its environment away as well is found only as long as its parents live.
"""

from __future__ import annotations

import os

from interlock.facts import processes
from interlock.facts.files import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.facts.processes import Running

TAG = "INTERLOCK_SESSION"
"""The variable that bears a session's id."""
CALL_TAG = "INTERLOCK_CALL"
"""The variable that bears a decision's id, where interlock itself runs the call."""


_ANY = f"{TAG}=".encode("ascii")


def running() -> dict[int, Running]:
    """Return the processes that can be seen; nothing where there is no ``/proc``."""
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    found = [processes.running(int(name)) for name in names]
    return {process.pid: process for process in found if process is not None}


def gone(pid: int, ticks: int) -> bool:
    """Tell whether a process ended; one that only waits for its parent to notice did."""
    try:
        fields = read_file(f"/proc/{pid}/stat", 8192).rpartition(b")")[2].split()
        return fields[0] in (b"Z", b"X") or int(fields[19]) != ticks
    except (OSError, ValueError, IndexError):
        return True


class Belonging:
    """The processes of some sessions.

    ``agents``: number and ticks of each agent; ``tags``: ``NAME=VALUE`` as they stand in environments; ``everything``: of every session's tag.
    """

    def __init__(self, agents: Iterable[tuple[int, int]], tags: Iterable[str], *, everything: bool = False) -> None:
        self.agents = frozenset(agents)
        self.tags = frozenset(os.fsencode(tag) for tag in tags)
        self.everything = everything
        self._clean: dict[tuple[int, int], bool] = {}

    def find(self) -> dict[int, int]:
        """Return them as they are now: numbers to ticks."""
        there = running()
        spared = self._spared(there)
        below = _children(there)
        starts = [pid for pid, ticks in self.agents if pid in there and there[pid].ticks == ticks]
        found: dict[int, int] = {}
        seen: set[int] = set()
        left = [child for pid in starts for child in below.get(pid, ())]
        left += [pid for pid, process in there.items() if self._tagged(process)]
        while left:
            pid = left.pop()
            if pid in seen:
                continue
            seen.add(pid)
            left += below.get(pid, ())
            if pid not in spared and not gone(pid, there[pid].ticks):
                found[pid] = there[pid].ticks
        return found

    def _spared(self, there: Mapping[int, Running]) -> set[int]:
        """Return who is never meant: this process, agents, and all above these."""
        spared = {1}
        for start in (os.getpid(), *[pid for pid, ticks in self.agents if pid in there and there[pid].ticks == ticks]):
            pid = start
            while pid in there and pid not in spared:
                spared.add(pid)
                pid = there[pid].parent
        return spared

    def _tagged(self, process: Running) -> bool:
        """Tell whether a process bears a tag. Its environment at its start is looked at, once."""
        if not self.tags and not self.everything:
            return False
        key = (process.pid, process.ticks)
        if key not in self._clean:
            try:
                said = read_file(f"/proc/{process.pid}/environ", 1 << 22).split(b"\0")
                self._clean[key] = self.tags.isdisjoint(said) and not (self.everything and any(entry.startswith(_ANY) for entry in said))
            except (OSError, ValueError):
                self._clean[key] = True
        return not self._clean[key]


def _children(there: Mapping[int, Running]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for pid, process in there.items():
        found.setdefault(process.parent, []).append(pid)
    return found
