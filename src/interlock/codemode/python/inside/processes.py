"""``multiprocessing`` within the walls: a process is always a fork of this one, so that its guard
is in it; managers, semaphores and shared memory need nothing that all of a machine share.

Other ways of starting one would run an interpreter that asks nobody, and sockets of this machine
are for nobody here.
"""

from __future__ import annotations

import os
import sys

from .paths import CHANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .asking import Asking
    from .events import EventChecks

_RECURSIVE = 0
"""``RECURSIVE_MUTEX`` of ``multiprocessing.synchronize``; the other kind is a semaphore."""
_BUBBLEWRAP, _LANDLOCK = "bubblewrap", "landlock"
_RIGHTS = 1
"""Bytes that go with a descriptor: none goes alone (unix(7))."""


def contexts(_asking: Asking, _events: EventChecks, module: Any) -> None:
    """Whichever way of starting is chosen, it is a fork: a new interpreter would have no guard."""

    def forked(process: Any) -> Any:
        from multiprocessing.popen_fork import Popen

        return Popen(process)

    for name in ("SpawnProcess", "ForkServerProcess"):
        kind = getattr(module, name, None)
        if kind is not None:
            kind._Popen = staticmethod(forked)  # noqa: SLF001 - what a context starts processes by
            base = module.process.BaseProcess
            kind._after_fork = staticmethod(base._after_fork)  # noqa: SLF001 - as a fork does


def tracker(_asking: Asking, _events: EventChecks, module: Any) -> None:
    """What a tracker would clear away goes with the run; it is an interpreter of its own."""
    module.ResourceTracker._send = lambda *_: None  # noqa: SLF001 - all that reaches it
    module.ResourceTracker.ensure_running = lambda *_: None
    one = module._resource_tracker  # noqa: SLF001 - of which there is one
    module.register, module.unregister = one.register, one.unregister
    module.ensure_running = one.ensure_running


def shared_memory(asking: Asking, _events: EventChecks, module: Any) -> None:
    """Shared memory lies in the run's own folder where its place is everybody's."""
    own, original, unlink = os.environ.get("TMPDIR", ""), module.shm_open, module.shm_unlink

    def place(path: Any) -> str:
        name = str.__str__(path).lstrip("/")
        if asking.kernel == _BUBBLEWRAP or not own or "/" in name:
            return f"/dev/shm/{name}"  # noqa: S108 - where it lies (shm_overview(7))
        return f"{own}/shared-{name}"

    def shm_open(path: Any, flags: int, mode: int = 0o777) -> int:
        target = place(path)
        asking.path("update", target, CHANGE, "_posixshmem.shm_open")
        if not target.startswith(f"{own}/shared-"):
            return int(original(path, flags, mode=mode))
        return os.open(target, flags | os.O_CLOEXEC | os.O_NOFOLLOW, mode)

    def shm_unlink(path: Any) -> None:
        target = place(path)
        asking.path("delete", target, CHANGE, "_posixshmem.shm_unlink")
        if target.startswith(f"{own}/shared-"):
            os.unlink(target)
        else:
            unlink(path)

    module.shm_open, module.shm_unlink = shm_open, shm_unlink


def heap(asking: Asking, _events: EventChecks, module: Any) -> None:
    """Values that processes share lie in the run's own folder, as above."""
    if asking.kernel != _BUBBLEWRAP:
        module.Arena._dir_candidates = []  # noqa: SLF001 - folders that everybody shares


class SemLock:
    """A lock or semaphore of processes that are forks of each other: a counter of the kernel's
    that they inherit (eventfd(2)).
    """

    SEM_VALUE_MAX = 2147483647

    def __init__(self, kind: int, value: int, maxvalue: int, name: str, unlink: bool) -> None:
        self.kind, self.maxvalue = kind, maxvalue
        self.name = None if unlink else name
        flags = os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC
        self.handle = os.eventfd(value, flags)
        self._held, self._owner = 0, 0

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            os.close(self.handle)

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take one; wait for it if that is wanted."""
        import select
        import time

        if self.kind == _RECURSIVE and self._is_mine():
            self._held += 1
            return True
        until = None if timeout is None else time.monotonic() + max(timeout, 0.0)
        while not self._taken():
            left = None if until is None else until - time.monotonic()
            if not block or (left is not None and left <= 0):
                return False
            waiting = select.poll()
            waiting.register(self.handle, select.POLLIN)
            waiting.poll(None if left is None else left * 1000)
        self._held += 1
        self._owner = _thread()
        return True

    def release(self) -> None:
        """Give one back."""
        if self.kind == _RECURSIVE:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self._held > 1:
                self._held -= 1
                return
        elif self.maxvalue == 1 and not self._is_zero():
            raise ValueError("semaphore or lock released too many times")
        self._held -= 1
        os.eventfd_write(self.handle, 1)

    def _taken(self) -> bool:
        try:
            os.eventfd_read(self.handle)
        except BlockingIOError:
            return False
        return True

    def _count(self) -> int:
        return self._held

    def _is_mine(self) -> bool:
        return self._held > 0 and self._owner == _thread()

    def _get_value(self) -> int:
        raise NotImplementedError("how many are left is not to be known here")

    def _is_zero(self) -> bool:
        if self._taken():
            os.eventfd_write(self.handle, 1)
            return False
        return True

    def _after_fork(self) -> None:
        self._held = 0


def _thread() -> int:
    from _thread import get_ident

    return get_ident()


def semaphores(asking: Asking, _events: EventChecks, module: Any) -> None:
    """Where no namespace keeps named semaphores apart nobody may make one (sem_overview(7))."""
    if asking.kernel == _LANDLOCK:
        module.SemLock, module.sem_unlink = SemLock, lambda _: None


class _MeetingPoints:
    """Meeting points of this run, by name: a pair of sockets that every fork inherits. Who wants to
    be connected sends one end of another pair over it.
    """

    def __init__(self, module: Any) -> None:
        self.module, self.known = module, {}  # type: ignore[var-annotated]

    def made(self, name: str) -> tuple[Any, Any]:
        """Return both ends of a meeting point, made where there is none."""
        if name not in self.known:
            self.known[name] = self.module.socket.socketpair()
        ends: tuple[Any, Any] = self.known[name]
        return ends

    def reached(self, name: str) -> Any:
        """Connect to who listens at a name."""
        ends = self.known.get(name)
        if ends is None:
            raise ConnectionRefusedError(111, "Connection refused", name)
        ours, theirs = self.module.socket.socketpair()
        with theirs:
            self.module.socket.send_fds(ends[1], [b"+"], [theirs.fileno()])
        return self.module.Connection(ours.detach())


class _Listener:
    """Listens at a meeting point, as ``SocketListener`` does at a socket of this machine."""

    def __init__(self, bells: _MeetingPoints, name: str) -> None:
        self._bells, self._address = bells, name
        self._last_accepted = None
        self._end = bells.made(name)[0]

    def accept(self) -> Any:
        """Wait for the next who wants to be connected."""
        _, descriptors, _, _ = self._bells.module.socket.recv_fds(self._end, _RIGHTS, 1)
        if not descriptors:
            raise OSError(9, "nobody can reach this any more")
        return self._bells.module.Connection(descriptors[0])

    def close(self) -> None:
        """Listen no more; who still holds the name reaches nobody."""
        for end in self._bells.known.pop(self._address, ()):
            end.close()


def connections(_asking: Asking, _events: EventChecks, module: Any) -> None:
    """Processes of this run meet without a socket of this machine."""
    bells, listener, client = _MeetingPoints(module), module.SocketListener, module.SocketClient

    def listening(address: Any, family: str, backlog: int = 1) -> Any:
        if family == "AF_UNIX" and isinstance(address, str):
            return _Listener(bells, address)
        return listener(address, family, backlog)

    def reaching(address: Any) -> Any:
        return bells.reached(address) if isinstance(address, str) else client(address)

    module.SocketListener, module.SocketClient = listening, reaching
    module.meeting = bells.made


def servers(_asking: Asking, _events: EventChecks, module: Any) -> None:
    """The meeting point of a manager is there before its process is forked, so both have it."""
    start = module.BaseManager.start

    def started(self: Any, *arguments: Any, **keywords: Any) -> Any:
        connection = sys.modules["multiprocessing.connection"]
        if self._address is None:
            self._address = connection.arbitrary_address("AF_UNIX")
        if isinstance(self._address, str):
            connection.meeting(self._address)
        return start(self, *arguments, **keywords)

    module.BaseManager.start = started


LATE = {
    "multiprocessing.context": contexts, "multiprocessing.resource_tracker": tracker,
    "_posixshmem": shared_memory, "multiprocessing.heap": heap, "_multiprocessing": semaphores,
    "multiprocessing.connection": connections, "multiprocessing.managers": servers,
}  # fmt: skip
"""Modules by name, and what is changed in them."""
