"""A group of the kernel's for all of one run (cgroups(7), version 2), where this user may make one.

It bounds memory and processes of the run as a whole, if the kernel's controllers were delegated to
this user; and it ends what is left of the run, whatever that did to get away: only who may write to
the group's files leaves it, and no run may.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from interlock.sandbox.bounds import Bounds

MOUNTS, OWN = "/proc/self/mountinfo", "/proc/self/cgroup"
PREFIX = "interlock-"
THREADS = 4
"""Threads for each process: the kernel counts both alike."""
PATIENCE = 5.0
"""Seconds in which what was killed has to be gone."""


class RunGroup:
    """A group that was made. ``whole``: whether it bounds memory and processes. ``joining``: a
    descriptor; who writes ``0`` to it is in the group, with all that it starts from then on.
    """

    def __init__(self, path: str, *, whole: bool) -> None:
        self.path = path
        self.whole = whole
        self.joining = os.open(f"{path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def joined(self) -> None:
        """Nobody else is to join."""
        if self.joining >= 0:
            os.close(self.joining)
        self.joining = -1

    def end(self) -> None:
        """Kill all that is in it, and take it away."""
        self.joined()
        end_group(self.path)


def make_group(name: str, bounds: Bounds) -> RunGroup | None:
    """Make a group for a run; None where this user may not, the kernel is too old for one
    (cgroup.kill, Linux 5.14), or the run has no name.
    """
    for folder in sorted(_places() if name else (), key=_rank):
        path = f"{folder}/{PREFIX}{name}"
        try:
            os.mkdir(path)
        except OSError:
            continue  # another place may be this user's
        if os.path.exists(f"{path}/cgroup.kill"):
            return RunGroup(path, whole=_set_bounds(path, bounds))
        os.rmdir(path)
    return None


def _set_bounds(path: str, bounds: Bounds) -> bool:
    """Bound a group's memory and processes; tell whether that could be done."""
    memory = str(bounds.memory) if bounds.memory > 0 else "max"
    try:
        _say(f"{path}/memory.max", memory)
        _say(f"{path}/pids.max", str(bounds.processes * THREADS))
    except OSError:
        return False
    with contextlib.suppress(OSError):  # a machine without swap has no such file
        _say(f"{path}/memory.swap.max", "0" if bounds.memory > 0 else "max")
    return True


def _say(path: str, text: str) -> None:
    """Write to a file of the kernel's; raises ``OSError``, also where there is none."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _places() -> Iterator[str]:
    """Yield the folders in which a group may be made: beside this process's own, and in it."""
    own = _own()
    if own:
        above = os.path.dirname(own)
        yield from [path for path in (above, own) if os.access(path, os.W_OK)]


def _rank(folder: str) -> bool:
    """Return how good a place is: first those whose groups are bounded as a whole."""
    try:
        with open(f"{folder}/cgroup.subtree_control", encoding="ascii") as file:
            return not {"memory", "pids"} <= set(file.read().split())
    except OSError:
        return True


def _own() -> str:
    """Return the folder of the group in which this process is, ``""`` where there is none."""
    try:
        with open(OWN, encoding="utf-8", errors="replace") as file:
            at = next((line[3:].rstrip("\n") for line in file if line.startswith("0::")), "")
        with open(MOUNTS, encoding="utf-8", errors="replace") as file:
            mounts = [line.split() for line in file if " - cgroup2 " in line]
    except OSError:
        return ""
    for words in mounts:
        root, top = words[3].rstrip("/"), words[4]
        if at and f"{at}/".startswith(f"{root}/"):
            return top + at[len(root) :].rstrip("/")
    return ""


def list_groups() -> list[str]:
    """Return the groups that runs have made here, this process's own among them."""
    found = []
    for folder in _places():
        with contextlib.suppress(OSError):
            names = [name for name in os.listdir(folder) if name.startswith(PREFIX)]
            found += [f"{folder}/{name}" for name in names]
    return found


def end_group(path: str) -> None:
    """Kill all that is in a group, and take it away; one that is not there any more is fine."""
    until = time.monotonic() + PATIENCE
    while os.path.isdir(path) and time.monotonic() < until:
        with contextlib.suppress(OSError):  # it went in between
            _say(f"{path}/cgroup.kill", "1")
        try:
            os.rmdir(path)
        except OSError:
            time.sleep(0.005)  # somebody in it is still ending
