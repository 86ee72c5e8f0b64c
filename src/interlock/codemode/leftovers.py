"""What a run leaves where interlock itself was killed (``kill -9``, a machine that lost its power):
folders, and processes that no namespace ended with it. The next run clears them away.

Each folder and each process says which process of which namespace made it, and when that began, so
that nothing of a run that still goes on is taken for a leftover.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile

from interlock.sandbox import group

_NAME = re.compile(r"interlock-(run|shown|go|output)-(\d+-\d+-\d+)-\w+")
_GROUP = re.compile(group.PREFIX + r"(\d+-\d+-\d+)-\w+")
_MARK = re.compile(rb"(?:^|\0)INTERLOCK_RUN=(\d+-\d+-\d+)-")
_BEGAN = 19
"""The place of the time at which a process began, behind its name (proc_pid_stat(5))."""
_cleared: set[bool] = set()


def maker() -> str:
    """Return what tells this process from all others: the namespace of its number, the number, when
    it began; ``""`` where that is not to be known.
    """
    try:
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""
    return f"{space}-{os.getpid()}-{_start_ticks(os.getpid())}"


def make_folder(kind: str) -> str:
    """Make a folder for a run, and return its real path. ``kind``: ``run``, ``shown``, ``go``,
    ``output``, which stays if there is anything in it.
    """
    who = maker()
    prefix = f"interlock-{kind}-{who}-" if who else f"interlock-{kind}-"
    return os.path.realpath(tempfile.mkdtemp(prefix=prefix))


def mark() -> str:
    """Return a new mark for the processes of one run."""
    return f"{maker() or '0-0-0'}-{os.urandom(8).hex()}"


def clear(*, processes: bool) -> None:
    """Clear away what is left of runs whose maker is gone; once for each process of interlock.
    ``processes``: those, too, which a namespace would have ended.
    """
    if processes in _cleared or not maker():
        return
    _cleared.add(processes)
    for path in _folders(tempfile.gettempdir()):
        if "/interlock-output-" in path:
            with contextlib.suppress(OSError):
                os.rmdir(path)
        else:
            shutil.rmtree(path, ignore_errors=True)
    for path in group.list_groups():
        said = _GROUP.fullmatch(os.path.basename(path))
        if said and _is_gone(said[1]):
            group.end_group(path)
    for pid in _processes() if processes else ():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _folders(top: str) -> list[str]:
    found = []
    with contextlib.suppress(OSError), os.scandir(top) as entries:
        for entry in entries:
            said = _NAME.fullmatch(entry.name)
            ours = said and entry.stat(follow_symlinks=False).st_uid == os.getuid()
            if said and ours and entry.is_dir(follow_symlinks=False) and _is_gone(said[2]):
                found.append(entry.path)
    return found


def _processes() -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                said = _MARK.search(file.read())
        except OSError:
            continue
        if said and _is_gone(said[1].decode()):
            found.append(int(name))
    return found


def _is_gone(who: str) -> bool:
    """Tell whether a process of this namespace has ended; of another one nobody knows."""
    space, pid, began = who.split("-")
    return space == maker().partition("-")[0] and _start_ticks(int(pid)) != began


def _start_ticks(pid: int) -> str:
    """Return when a process began, in ticks; ``""`` for one that is not there."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[_BEGAN]
    except (OSError, IndexError):
        return ""
