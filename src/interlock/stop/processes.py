"""Whose processes are a session's: what its agent started, and what bears its tag, with all that
these started. Never the agent, nor anybody else.

A tag is a variable in the environment that bears the session's id: interlock's own, which it gives
to what it runs and has some clients give, or the client's. It stays with a process that leaves its
parents behind; what throws its environment away as well is found only as long as its parents live.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from time import sleep

from interlock.facts.files import read_file
from interlock.model.record import Record

TAG = "INTERLOCK_SESSION"
"""The variable that bears a session's id."""
SESSION_TAGS = (
    TAG, "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID", "PI_SESSION_ID", "QWEN_CODE_SESSION_ID",
)  # fmt: skip
"""That, and the clients' own, each seen in what the real client runs (tests/e2e/test_stop.py)."""
OURS = f"{TAG}=interlock"
"""The tag of what interlock starts to tell people: nobody's session."""
CALL_TAG = "INTERLOCK_CALL"
"""The variable that bears a decision's id, where interlock itself runs the call."""
CALL_TAGS = ("INTERLOCK_TOOL_CALL", "CODEX_TOOL_CALL_ID")
"""Variables that bear the client's own id of a call: OpenCode's, by our plugin, and Codex's."""


AGAIN = 3
"""So often is an empty environment read, in case that its process is only starting."""
PAUSE = 0.0005
"""Seconds between."""


class ProcessSnapshot(Record):
    """A process at a glance: who started it, when it began (ticks), and whether it only waits for
    its parent to notice its end.
    """

    parent: int
    ticks: int
    ended: bool


def read_process(pid: int | str) -> ProcessSnapshot | None:
    """Return a process; None where there is none, and on Windows, which has no ``/proc``."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fields = os.read(descriptor, 4096).rpartition(b")")[2].split()
        return ProcessSnapshot(int(fields[1]), int(fields[19]), fields[0] in (b"Z", b"X"))
    except (OSError, ValueError, IndexError):
        return None
    finally:
        os.close(descriptor)


def running() -> dict[int, ProcessSnapshot]:
    """Return the processes that can be seen; nothing where there is no ``/proc``."""
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    found = [(int(name), read_process(name)) for name in names]
    return {pid: process for pid, process in found if process is not None}


def is_gone(pid: int, ticks: int) -> bool:
    """Tell whether a process ended; one that only waits for its parent to notice did."""
    process = read_process(pid)
    return process is None or process.ended or process.ticks != ticks


def tags_of(sessions: Iterable[str]) -> list[str]:
    """Return the tags of some sessions, as they stand in environments."""
    return [f"{name}={session}" for session in dict.fromkeys(sessions) for name in SESSION_TAGS]


class SessionProcesses:
    """The processes of some sessions, or of one call.

    ``agents``: number and ticks of each agent; ``tags``: ``NAME=VALUE`` as they stand in
    environments; ``calls``: where there are any, one of these has to stand there too; ``beside``:
    tags of other sessions that the same agents serve, whose processes are not meant.
    """

    def __init__(
        self,
        agents: Iterable[tuple[int, int]],
        tags: Iterable[str],
        calls: Iterable[str] = (),
        beside: Iterable[str] = (),
    ) -> None:
        self.agents = frozenset(agents)
        self.tags, self.calls, self.beside = [
            frozenset(map(os.fsencode, some)) for some in (tags, calls, beside)
        ]
        self._known: dict[tuple[int, int], tuple[bool, bool]] = {}

    def find(self) -> dict[int, int]:
        """Return them as they are now: numbers to ticks."""
        there = running()
        spared = self._find_spared(there)
        below = _children(there)
        starts = [pid for pid, ticks in self.agents if pid in there and there[pid].ticks == ticks]
        found: dict[int, int] = {}
        visited: set[int] = set()
        left = [child for pid in starts for child in below.get(pid, ())]
        left += [pid for pid, process in there.items() if self._bears(pid, process)[0]]
        while left:
            pid = left.pop()
            if pid in visited:
                continue
            visited.add(pid)
            if self.beside and self._bears(pid, there[pid]) == (False, True):
                continue
            left += below.get(pid, ())
            if pid not in spared and not there[pid].ended:
                found[pid] = there[pid].ticks
        return found

    def _find_spared(self, there: Mapping[int, ProcessSnapshot]) -> set[int]:
        """Return who is never meant: this process, agents, and all above these."""
        spared = {1}
        for start in (
            os.getpid(),
            *[pid for pid, ticks in self.agents if pid in there and there[pid].ticks == ticks],
        ):
            pid = start
            while pid in there and pid not in spared:
                spared.add(pid)
                pid = there[pid].parent
        return spared

    def _bears(self, pid: int, process: ProcessSnapshot) -> tuple[bool, bool]:
        """Tell whether a process bears a tag that is meant, and one of those beside.

        Who bears none is looked at again: until its program has started (execve(2)) a process has
        its parent's environment, or an empty one.
        """
        if process.ended or not (self.tags or self.beside):
            return False, False
        key = (pid, process.ticks)
        if key in self._known:
            return self._known[key]
        try:
            words = frozenset(_environment(pid).split(b"\0"))
        except (OSError, ValueError):
            return False, False
        found = (
            not words.isdisjoint(self.tags) and not (self.calls and words.isdisjoint(self.calls)),
            not words.isdisjoint(self.beside),
        )
        if any(found):
            self._known[key] = found
        return found


def _environment(pid: int) -> bytes:
    """Return the environment of a process, read anew while it is empty: in the middle of execve(2)
    it is, for some microseconds.
    """
    for _ in range(AGAIN):
        if found := read_file(f"/proc/{pid}/environ", 1 << 22):
            return found
        sleep(PAUSE)
    return b""


def _children(there: Mapping[int, ProcessSnapshot]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for pid, process in there.items():
        found.setdefault(process.parent, []).append(pid)
    return found
