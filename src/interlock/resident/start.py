"""Starting the resident guard, and ending it. On the way of a hook that was judged in a process of
its own, so little is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import monotonic, sleep, time

from interlock.facts.files import read_file
from interlock.policy.files import is_own_home
from interlock.resident.relay_protocol import SWITCH, is_off, is_private
from interlock.resident.socket_place import SocketPlace, holder

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


KEPT = ("HOME", "USERPROFILE", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", SWITCH)
"""What the resident guard takes over of its starter's environment; each call brings its own."""
LOG_BYTES = 64 * 1024
PAUSE = 30.0
"""Seconds after which one that did not stay may be started again."""
_TERM, _KILL = 15, 9


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether a resident guard is to answer: on Linux, for the home that the system lists for this
    user, or as ``SWITCH`` says.

    A home that only a variable names is a test's or a sandbox's: nothing stays behind there, unless
    that is asked for (``on``).
    """
    if sys.platform != "linux" or is_off(environment):
        return False
    said = environment.get(SWITCH, "").lower()
    return said in ("on", "1", "yes", "true") or is_own_home(
        (environment.get("HOME") or "").rstrip("/"), system.getuid()
    )


def may_start(environment: Mapping[str, str], place: SocketPlace) -> bool:
    """Whether a resident guard may be started from this process: not from one with less rights than
    calls from elsewhere would need.
    """
    if not is_wanted(environment) or not is_private(place.folder):
        return False
    try:
        # walls of a sandbox come with it (landlock(7), bwrap(1))
        return b"NoNewPrivs:\t0" in read_file("/proc/self/status", 1 << 16)
    except (OSError, ValueError):
        return False


def start(place: SocketPlace, package: str, environment: Mapping[str, str]) -> bool:
    """Start a resident guard that outlives this process; tell whether one was started. What hangs
    is ended first. Raises ``OSError``.
    """
    if not may_start(environment, place):
        return False
    process = holder(place)
    if process is not None and not is_halted(process.pid):
        return False
    if process is not None:
        _end_all(process.pid)
    log = system.open(
        f"{place.folder}/resident.log",
        system.O_RDWR | system.O_CREAT | system.O_APPEND | system.O_NOFOLLOW | system.O_CLOEXEC,
        0o600,
    )
    try:
        found = system.fstat(log)
        if process is None and found.st_mtime > time() - PAUSE and _was_begun(place):
            return False
        if found.st_size > LOG_BYTES:
            system.ftruncate(log, 0)
        system.utime(log)
        _spawn(package, environment, log)
    finally:
        system.close(log)
    return True


def _was_begun(place: SocketPlace) -> bool:
    """Whether one began here before: its lock is there."""
    try:
        system.stat(place.lock)
    except OSError:
        return False
    return True


def _spawn(package: str, environment: Mapping[str, str], log: int) -> None:
    above = package.rpartition("/")[0]
    program = (
        f"import os, sys; os.chdir('/'); sys.path.append({above!r}); from interlock.cli.resident"
        " import serve; sys.exit(serve())"
    )
    kept = {name: value for name, value in environment.items() if name in KEPT}
    streams = [
        (system.POSIX_SPAWN_OPEN, 0, "/dev/null", system.O_RDONLY, 0),
        (system.POSIX_SPAWN_OPEN, 1, "/dev/null", system.O_WRONLY, 0),
        (system.POSIX_SPAWN_DUP2, log, 2),
    ]  # fmt: skip
    system.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", "-c", program],
        kept,
        file_actions=streams,
        setsid=True,
    )


def is_halted(pid: int) -> bool:
    """Whether a process was halted by a signal and answers nobody."""
    try:
        return read_file(f"/proc/{pid}/stat", 8192).rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, ValueError, IndexError):
        return False


def end(place: SocketPlace, seconds: float = 5.0) -> bool:
    """End the resident guard; tell whether there was one. What stays so many seconds is killed."""
    process = holder(place)
    if process is None:
        return False
    system.kill(process.pid, _TERM)
    until = monotonic() + seconds
    while holder(place) is not None:
        if monotonic() > until:
            _end_all(process.pid)
            break
        sleep(0.02)
    return True


def _end_all(pid: int) -> None:
    """Kill a process, which leads a session (``_spawn``), with all it started, if it is there."""
    try:
        system.killpg(pid, _KILL)
    except ProcessLookupError:
        return
