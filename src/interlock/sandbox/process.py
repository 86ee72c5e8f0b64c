"""One walled process: started, listened to, ended in time with all that it started."""

from __future__ import annotations

import marshal
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from interlock.model.record import Record
from interlock.sandbox import bubblewrap, group, seatbelt, seccomp
from interlock.sandbox.bounds import BUBBLEWRAP, LANDLOCK, OPEN, SEATBELT, Bounds, Walls
from interlock.sandbox.capture import Capture
from interlock.sandbox.memory_files import memory_file

Listener = Callable[[], float]
"""Called when its descriptor can be read; returns the seconds for which a person was waited
for, which do not count, or -1 at its end.
"""

SANDBOX = os.path.dirname(os.path.abspath(__file__))
ENTRANCE = os.path.join(SANDBOX, "entrance")
"""The folder with what runs in a new process before the program does."""
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from entrance.enter import main; main()"
RUNTIME = (os.path.realpath(sys.executable), os.path.realpath(sys.base_prefix), ENTRANCE)
"""The interpreter that launches, and what it reads."""
WALLS = "INTERLOCK_WALLS"
"""The variable with the descriptor from which an interpreter reads its own walls."""
BWRAP = "bwrap"
PROXY = 3128
"""The port of the proxy, in a network where nothing else is."""
RUN = "INTERLOCK_RUN"
"""The variable that all processes of one run carry, and no others."""
WATCH = 0.1
"""Seconds between two looks at how many processes there are."""


class ProcessStart(Record):
    """What to start. ``argv[0]`` is absolute. ``kernel``: which walls, ``""`` for none. ``given``:
    descriptors that it inherits by their numbers.

    ``inside``: the program puts up the walls itself (an interpreter that does so before it runs
    anything); else a launcher does, and becomes it.
    ``landlock``: whether that is to be put up besides bubblewrap. ``stdin``: what it reads.
    ``spill``: the folder for output that is too long to keep, or ``""``. ``door``: an inherited
    descriptor over which it hands out the socket of its own network at which a proxy waits, or -1
    (``entrance.walls.open_door``). ``attached``: it has this process's own streams, and its
    terminal.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    walls: Walls
    bounds: Bounds
    kernel: str
    bwrap: str = ""
    given: tuple[int, ...] = ()
    inside: bool = False
    stdin: bytes = b""
    spill: str = ""
    landlock: bool = False
    door: int = -1
    attached: bool = False


class ProcessEnd(Record):
    """What became of a process. ``why``: ``exit``, ``signal``, ``time``, ``processes``; ``code``:
    its exit status, or the signal's number.
    """

    why: str
    code: int
    stdout: Capture
    stderr: Capture
    seconds: float


def spec(start: ProcessStart) -> dict[str, Any]:
    """Return what a process needs to put up its walls (``entrance.walls.put_up``), as data."""
    walls, bounds = start.walls, start.bounds
    landlock = start.kernel == LANDLOCK or (start.kernel == BUBBLEWRAP and start.landlock)
    own = ["/dev"] if start.kernel == BUBBLEWRAP else ["/dev/null", "/dev/zero", "/dev/full"]
    seen = (
        ["/proc"]
        if start.kernel == BUBBLEWRAP
        else ["/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg"]
    )
    linux = sys.platform.startswith("linux")
    # of which macOS has only the name
    memory = [("RLIMIT_AS", bounds.memory)] if linux and bounds.memory > 0 else []
    limits = [
        *memory,
        ("RLIMIT_FSIZE", bounds.file_size),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NOFILE", 1024),
    ]
    return {
        "limits": (
            limits if os.getuid() == 0 else [*limits, ("RLIMIT_NPROC", bounds.processes + _mine())]
        ),
        "privileges": linux,
        "capabilities": linux and bool(start.kernel),
        "landlock": landlock,
        "reads": [*walls.reads, "/dev/urandom", "/dev/random", *seen],
        "writes": [*walls.writes, *walls.empty, *own],
        "executes": list(walls.executes),
        "ports": (
            None if walls.network == OPEN or walls.listens else [PROXY] if start.door >= 0 else []
        ),
        "door": start.door,
        "group": -1,
        "proxy": PROXY,
        "filter": seccomp.program(os.uname().machine, walls, alone=start.kernel == LANDLOCK)
        if start.kernel and linux
        else b"",
    }


def _mine() -> int:
    """Return how many threads this user has already: the kernel counts them all together against a
    limit of processes (getrlimit(2)).
    """
    return (
        sum(map(_threads, filter(str.isdigit, os.listdir("/proc"))))
        if os.path.isdir("/proc/1")
        else 0
    )


def _threads(pid: str) -> int:
    """Return how many threads a process has if it is this user's: each is a folder in ``task``
    (proc(5)), and links back to it.
    """
    try:
        seen = os.stat(f"/proc/{pid}/task")
    except OSError:
        return 0
    return seen.st_nlink - 2 if seen.st_uid == os.getuid() else 0


class SandboxProcess:
    """A started process and what it prints."""

    def __init__(self, start: ProcessStart) -> None:
        self.start = start
        self.began = time.monotonic()
        self.group = group.make_group(start.environment.get(RUN, ""), start.bounds)
        try:
            self._popen = _spawn(start, self.group.joining if self.group else -1)
        except BaseException:
            if self.group:
                self.group.end()
            raise
        self._selector = selectors.DefaultSelector()

    @property
    def whole(self) -> bool:
        """Whether its memory and processes are bounded as a whole."""
        return self.group is not None and self.group.whole

    @property
    def pid(self) -> int:
        """Its number."""
        return self._popen.pid

    def listen(self, descriptor: int, listener: Listener) -> None:
        """Call the listener whenever the descriptor can be read while the process runs."""
        self._selector.register(descriptor, selectors.EVENT_READ, listener)

    def ended(self) -> ProcessEnd:
        """Listen until it ends or its time is over; in any case nothing it started is left."""
        bounds, streams = self.start.bounds, (self._popen.stdout, self._popen.stderr)
        captures = [
            Capture(bounds.output, f"{self.start.spill}/{name}" if self.start.spill else "")
            for name in ("stdout", "stderr")
        ]
        try:
            for capture, stream in zip(captures, streams, strict=True):
                if stream is None:  # it has ours
                    continue
                os.set_blocking(stream.fileno(), False)
                self._selector.register(stream, selectors.EVENT_READ, capture)
            why = self._until()
        finally:
            self.kill()
            self._selector.close()
            for stream in streams:
                if stream is not None:
                    stream.close()
        code = self._popen.wait()
        if why == "exit" and code < 0:
            why, code = "signal", -code
        return ProcessEnd(why, code, captures[0], captures[1], time.monotonic() - self.began)

    def tree(self) -> list[int]:
        """Return its number, and those of all that it started."""
        return [self.pid, *_tree(self.pid)]

    def kill(self) -> None:
        """End it and all that it started, at once."""
        tree = self.tree()
        _signal_group(self.pid, signal.SIGKILL)
        for pid in tree:
            _signal(pid, signal.SIGKILL)
        self._popen.wait()
        mark = self.start.environment.get(RUN, "")
        if self.group:
            self.group.end()
        elif (
            self.start.kernel != BUBBLEWRAP and mark
        ):  # its namespace ends with bubblewrap, whoever is in it
            _end_marked(f"{RUN}={mark}".encode())

    def _until(self) -> str:
        """Serve everybody until the process is gone, late or too many; return which."""
        deadline = self.began + self.start.bounds.seconds
        why, looked = "exit", self.began
        while self._popen.poll() is None:
            now = time.monotonic()
            if now >= deadline:
                if why == "time":
                    return why
                why, deadline = "time", now + self.start.bounds.grace
                for pid in self.tree():
                    if _name(pid) != BWRAP:  # it would end, and take everything with it
                        _signal(pid, signal.SIGINT)
            deadline += self._serve(min(max(deadline - now, 0.0), WATCH))
            if now - looked >= WATCH:
                looked = now
                if len(self.tree()) > self.start.bounds.processes:
                    return "processes"
        while self._selector.get_map() and self._serve(0.0) >= 0:
            if not self._selector.select(0):
                break
        return why

    def _serve(self, seconds: float) -> float:
        """Take what is there to be read, waiting so long for it; returns how long a person was
        waited for.
        """
        waited = 0.0
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Capture):
                more = self._taken(key)
            else:
                spent = key.data()
                more, waited = spent >= 0, waited + max(spent, 0.0)
            if not more:
                self._selector.unregister(key.fileobj)
        return waited

    @staticmethod
    def _taken(key: selectors.SelectorKey) -> bool:
        try:
            data = os.read(key.fd, 1 << 16)
        except BlockingIOError:
            return True
        key.data.take(data)
        return bool(data)


def _spawn(start: ProcessStart, joining: int) -> subprocess.Popen[bytes]:
    """Start in a session of its own, without a terminal, with no descriptors but those given.
    ``joining``: one by which it joins its group, or -1.

    A program that does not put up its walls itself gets a launcher that becomes it: behind
    bubblewrap where Landlock is put up as well (then a descriptor that is handed over leads nowhere
    else), before it where there is none.
    """
    belted = start.kernel == SEATBELT
    wrapped, behind = start.kernel == BUBBLEWRAP, start.kernel == BUBBLEWRAP and start.landlock
    launched = (
        start.replace(walls=start.walls.replace(reads=(*start.walls.reads, *RUNTIME)))
        if behind
        else start
    )
    front = (
        bubblewrap.command(start.bwrap, launched.walls, start.cwd)
        if wrapped
        else seatbelt.command(start.walls, start.argv[0])
        if belted
        else []
    )
    environment, files = dict(start.environment), [memory_file(start.stdin)]
    held, argv = {**spec(launched), "group": joining}, [*front, *start.argv]
    if start.inside:
        files.append(memory_file(marshal.dumps(held)))
        environment[WALLS] = str(files[-1])
    else:
        if wrapped and not behind:
            files.append(memory_file(held["filter"]))
            argv[1:1] = ["--seccomp", str(files[-1])]
            held |= {"landlock": False, "filter": b"", "capabilities": False}
        files.append(
            memory_file(
                marshal.dumps(
                    {
                        **held,
                        "argv": list(start.argv) if behind else argv,
                        "environment": environment,
                    }
                )
            )
        )
        launcher = [RUNTIME[0], "-I", "-S", "-c", BOOT, SANDBOX, str(files[-1])]
        argv = [*front, *launcher] if behind else launcher
    ends = None if start.attached else subprocess.PIPE
    try:
        return subprocess.Popen(  # noqa: S603 - the one place that starts what was asked for
            argv, cwd=start.cwd, env=environment, stdin=None if start.attached else files[0],
            stdout=ends, stderr=ends,
            pass_fds=(*start.given, *files[1:], *filter(_is_open, (start.door, joining))),
            start_new_session=not start.attached,
        )  # fmt: skip
    finally:
        for descriptor in files:
            os.close(descriptor)


def _is_open(descriptor: int) -> bool:
    return descriptor >= 0


# -- trees of processes ----------------------------------------------------------------------------


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _tree(pid: int) -> list[int]:
    """Return the processes that a process started, and theirs, as far as ``/proc`` tells."""
    found, left = [], [pid]
    while left:
        for child in _children(left.pop()):
            found.append(child)
            left.append(child)
    return found


ROUNDS = 20


def _end_marked(mark: bytes) -> None:
    """End what carries a variable of the run's own: processes that left its tree (setsid, a second
    fork). Again, while there are more.
    """
    for _ in range(ROUNDS):
        found = (
            [int(name) for name in os.listdir("/proc") if name.isdigit() and _carries(name, mark)]
            if os.path.isdir("/proc/1")
            else []
        )
        for pid in found:
            _signal(pid, signal.SIGKILL)
        if not found:
            return


def _carries(pid: str, mark: bytes) -> bool:
    """Whether a living process was started with a variable (proc_pid_environ(5)); that of another
    user cannot be read.
    """
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read().split(b"\0")
    except OSError:
        return False


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _children(pid: int) -> list[int]:
    """Return the children of all threads of a process (proc_pid_task(5)); none where it is gone."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        return found
    return found
