"""The process above the ones that answer: it starts them, notices what is stuck, and ends all when
there is nothing to do or something changed.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic

from interlock.model.record import Record
from interlock.resident.shared_page import SharedPage
from interlock.resident.socket_place import SocketPlace, is_same
from interlock.resident.worker import Handle, serve, settle

WORKERS = 3
"""Processes that answer: one that is held up leaves two."""
BACKLOG = 64
"""Connections that may wait; a relay that finds no place goes its own way."""
IDLE = 1800.0
"""Seconds without a call after which all ends."""
STUCK = 25.0
"""Seconds after which a process that is at one call is ended, past the deadline of a hook."""
TICK = 1.0
"""Seconds between two looks."""
_AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Duties(Record):
    """``handle``: answers a request. ``moved``: asked every second; where it says so ``notice``
    runs, in a process of its own.
    """

    handle: Handle
    moved: Callable[[], bool]
    notice: Callable[[], None]


class Sources:
    """The files of what is loaded: when one of them is another, this program is an old one."""

    def __init__(self, files: Iterable[str]) -> None:
        self._was = {file: _sign(file) for file in files}

    def keep(self, files: Iterable[str]) -> None:
        """Look at these alone from now on."""
        self._was = {file: self._was.get(file, (0, 0, 0)) for file in files}

    def changed(self) -> bool:
        """Whether one of them is not what it was."""
        return any(_sign(file) != was for file, was in self._was.items())


def _sign(file: str) -> tuple[int, int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def files_of(package: str) -> list[str]:
    """Return the files of all modules of a package."""
    return [str(file) for file in Path(package).rglob("*.py")]


def module_files(package: str) -> list[str]:
    """Return the files of the modules of a package that are loaded."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return sorted({file for file in files if file.startswith(f"{package}/")})


class Supervisor:
    """Keeps ``WORKERS`` processes at one socket."""

    def __init__(self, place: SocketPlace, lock: int, duties: Duties, sources: Sources) -> None:
        self.place = place
        self.lock = lock
        self.duties = duties
        self.sources = sources
        self.board = SharedPage(WORKERS)
        self.workers: dict[int, int] = {}
        self.started = [0.0] * WORKERS
        self.noticing = 0
        self.began = monotonic()

    def run(self) -> None:
        """Listen and answer until there is a reason to end, after a call at hand."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
        settle()
        listening = listen(self.place)
        number = os.lstat(self.place.socket).st_ino
        try:
            while self._is_needed(number):
                self._fill(listening)
                if self._await_signal() not in (0, signal.SIGCHLD):
                    return
                self._look()
        finally:
            listening.close()
            if is_same(self.place.socket, number):
                _unlink(self.place.socket)
                _unlink(self.place.lock)
            self._end()

    def _is_needed(self, number: int) -> bool:
        now, last = monotonic(), max(self.board.last, self.began)
        return (
            is_same(self.place.socket, number) and now - last < IDLE and not self.sources.changed()
        )

    def _await_signal(self) -> int:
        """Wait for a signal, a second at most; return its number, 0 where none came."""
        found = signal.sigtimedwait(_AWAITED, TICK)
        return found.si_signo if found is not None else 0

    def _fill(self, listening: socket.socket) -> None:
        """Start what is missing, but not what ended at once within the same second."""
        now = monotonic()
        for at in range(WORKERS):
            if at not in self.workers.values() and now - self.started[at] >= TICK:
                self.started[at] = now
                self.board.slots[at].reset()
                self.workers[
                    self._fork(
                        lambda at=at: serve(listening, self.duties.handle, self.board.slots[at])  # type: ignore[misc]
                    )
                ] = at

    def _fork(self, work: Callable[[], None]) -> int:
        """Do something in a process of its own, which ends with it; return its number."""
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            for number in _AWAITED:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)
            os.close(self.lock)  # held by the one above alone, so that its end frees the place
            work()
            code = 0
        except BaseException as error:  # noqa: BLE001 - this process is a copy of the one above, and must not go on as that
            sys.stderr.write(
                f"interlock resident: {type(error).__name__}: {error}\n"
                if not isinstance(error, SystemExit)
                else ""
            )
        finally:
            os._exit(code)

    def _look(self) -> None:
        """See who ended, who is stuck or halted, and have the watch kept."""
        self._reap()
        now = monotonic()
        for pid, at in self.workers.items():
            since = self.board.slots[at].since
            if since and now - since > STUCK:
                os.kill(pid, signal.SIGKILL)
        if not self.noticing and self.duties.moved():
            self.noticing = self._fork(self.duties.notice)

    def _reap(self) -> None:
        """Forget who ended, and end who was halted: this call and the next would wait for it."""
        while (found := _poll_children())[0]:
            pid, status = found
            if os.WIFSTOPPED(status):
                os.kill(pid, signal.SIGKILL)
                continue
            self.workers.pop(pid, None)
            self.noticing = 0 if pid == self.noticing else self.noticing

    def _end(self) -> None:
        """Tell all to go, and wait for those that are at a call."""
        for pid in self.workers:
            os.kill(pid, signal.SIGTERM)
        until = monotonic() + STUCK
        while self.workers and monotonic() < until:
            self._await_signal()
            self._reap()
        for pid in self.workers:
            os.kill(pid, signal.SIGKILL)


def _poll_children() -> tuple[int, int]:
    """Return a process that ended or was halted, and its status; 0 where there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
    except ChildProcessError:
        return 0, 0


def listen(place: SocketPlace) -> socket.socket:
    """Return the socket at its place; whatever lay there is no process's any more, for this one
    holds the lock.
    """
    _unlink(place.socket)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    before = os.umask(0o077)
    try:
        os.chdir(place.folder)  # the path of a socket is short (unix(7)), and a home may not be
        listening.bind(place.name)
    finally:
        os.umask(before)
        os.fchdir(here)
        os.close(here)
    listening.setblocking(False)
    listening.listen(BACKLOG)
    return listening


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
