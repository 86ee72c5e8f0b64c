"""A process of the resident guard: it takes one connection after the other and answers one event on
each.

It serves one event at a time, so that nothing of one call is seen by another; others wait for none,
since several such processes take connections from one socket, and what is stuck is told to go by
the process above it.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from functools import cache
from time import monotonic

from interlock.facts import processes
from interlock.model.record import Record
from interlock.resident.message import (
    HookRequest,
    HookResponse,
    UnreadableRequestError,
    pack_answer,
    read_request,
)
from interlock.resident.relay_protocol import PATIENCE, TAKEN
from interlock.resident.shared_page import Slot

Handle = Callable[[HookRequest, Callable[[HookResponse], bool]], None]
"""Answers a request by calling what it is given, once; tell whether the answer went out whole."""

CALLS = 20_000
"""Calls after which a process makes room for a fresh one, so that nothing grows for ever."""
ALONE = 5.0
"""Seconds without a call after which a process looks whether the one above it still is there."""


class Peer(Record):
    """The process at the other end, and its user."""

    pid: int
    user: int


def peer_of(connection: socket.socket) -> Peer:
    """Return who is at the other end (unix(7), SO_PEERCRED)."""
    pid, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return Peer(pid, user)


def is_at_home(peer: Peer) -> bool:
    """Whether a process is this user's and sees the same disk and the same processes; for a
    container's this guard would look at other files.
    """
    if peer.user != os.getuid() or peer.pid <= 0:
        return False
    try:
        return _home_of(str(peer.pid)) == _own_home()
    except OSError:
        return False


def _home_of(process: str) -> tuple[str, ...]:
    """Return the namespaces and the root of a process; raises ``OSError``."""
    return tuple([os.readlink(f"/proc/{process}/{name}") for name in ("ns/mnt", "ns/pid", "root")])


@cache
def _own_home() -> tuple[str, ...]:
    """Return the same of this process, which never goes anywhere else."""
    return _home_of("self")


def adopt(environment: dict[str, str]) -> None:
    """Make this the environment of the process, for all that reads it and all that is started."""
    held = os.environ
    if held == environment:
        return
    for name in [name for name in held if name not in environment]:
        del held[name]
    for name, value in environment.items():
        if held.get(name) != value:
            held[name] = value


class Turn:
    """Whether this process is at a call: one that is told to go (SIGTERM) answers it first."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.busy = False
        self.ending = False
        signal.signal(signal.SIGTERM, self._told)

    def _told(self, _number: int, _frame: object) -> None:
        self.ending = True
        if not self.busy:
            raise SystemExit(0)

    def __enter__(self) -> None:
        self.busy = True
        self.slot.begin(monotonic())

    def __exit__(self, *_error: object) -> None:
        self.slot.end(monotonic())
        self.busy = False


def serve(listening: socket.socket, handle: Handle, slot: Slot) -> None:
    """Answer connections until ``CALLS`` are answered, this is told to go, its parent is gone."""
    turn, above, calls = Turn(slot), os.getppid(), 0
    waiting = select.epoll()
    # wakes who waited last: the one whose pages are warm
    waiting.register(listening, select.EPOLLIN | select.EPOLLEXCLUSIVE)
    while calls < CALLS and not turn.ending and os.getppid() == above:
        if not waiting.poll(ALONE):
            continue
        try:
            connection, _ = listening.accept()
        except BlockingIOError:
            continue  # another one was quicker
        calls += 1
        with turn, connection:
            one(connection, handle)


def one(connection: socket.socket, handle: Handle) -> None:
    """Answer one connection; one who is not at home, says nonsense or says nothing gets no answer,
    and has its call judged otherwise.
    """
    peer = peer_of(connection)
    if not is_at_home(peer):
        return
    try:
        request = read_request(reader(connection, monotonic() + PATIENCE))
        connection.sendall(TAKEN)
    except (UnreadableRequestError, OSError):
        return
    adopt(request.environment)
    processes.note_asker(peer.pid)
    try:
        handle(request, lambda answer: _send_answer(connection, answer))
    finally:
        processes.note_asker(0)


def reader(connection: socket.socket, until: float) -> Callable[[int], bytes]:
    """Return what reads at most so many bytes, and raises ``TimeoutError`` from a moment on,
    however often a little came before.
    """

    def read(most: int) -> bytes:
        left = until - monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        return connection.recv(most)

    return read


def _send_answer(connection: socket.socket, answer: HookResponse) -> bool:
    connection.settimeout(PATIENCE)  # for all of it, as for a request
    try:
        connection.sendall(pack_answer(answer))
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        return False
    return True


def settle() -> None:
    """Leave what is loaded out of what the collector looks at: it stays for good, and its pages
    stay shared between the processes.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
