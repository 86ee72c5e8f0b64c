"""The program's end of the line to its broker: one question, one answer. See
``interlock.codemode.channel`` for the form.
"""

from __future__ import annotations

import _socket
import os
from _thread import allocate_lock, get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = tuple[str, str, str, int]

MAX_MESSAGE = 1 << 16
UNREAD: Answer = ("deny", "code.no-answer", "the broker did not answer", -1)
_RIGHTS = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
_KIND = _socket.SOCK_SEQPACKET if os.uname().sysname == "Linux" else _socket.SOCK_DGRAM


def open_line(
    number: int,
) -> tuple[Callable[..., Answer], Callable[..., None], Callable[[], list[str]]]:
    """Return ``ask(operation, where, by, *arguments)``, ``tell(where, *fields)`` and
    ``configuration()`` of the line behind a descriptor.
    """
    line = _Line(number)
    os.register_at_fork(after_in_child=line.reset_after_fork)
    return line.ask, line.tell, line.configuration


def _message(fields: tuple[str, ...]) -> bytes:
    return b"\0".join([os.fsencode(field).replace(b"\0", b"?") for field in fields])[:MAX_MESSAGE]


def _receive(line: _socket.socket) -> tuple[list[str], int]:
    data, extra, _, _ = line.recvmsg(MAX_MESSAGE, _socket.CMSG_SPACE(4))
    descriptor = next(
        (
            int.from_bytes(held[:4], "little")
            for level, kind, held in extra
            if (level, kind) == _RIGHTS
        ),
        -1,
    )
    return data.decode("utf-8", "surrogateescape").split("\0"), descriptor


class _Line:
    """One line, one thread on it at a time. A line of its own has a fork, and who asks while its
    thread waits for an answer (a signal).
    """

    def __init__(self, number: int) -> None:
        self.line = _socket.socket(fileno=number)
        self.lock = allocate_lock()
        self.asking = 0

    def ask(self, *fields: str) -> Answer:
        me = get_ident()
        if (
            self.asking == me or fields[0] == "dial"
        ):  # a host that does not answer holds up one thread, not all
            line = self.another()
            try:
                return _exchange(line, fields)
            finally:
                line.close()
        with self.lock:
            self.asking = me
            try:
                return _exchange(self.line, fields)
            finally:
                self.asking = 0

    def another(self) -> _socket.socket:
        """Make a new line and hand the broker its end."""
        mine, theirs = _socket.socketpair(_socket.AF_UNIX, _KIND)
        self.line.sendmsg([b"join\0\0"], [(*_RIGHTS, theirs.fileno().to_bytes(4, "little"))])
        theirs.close()
        return mine

    def configuration(self) -> list[str]:
        """Say hello; return the broker's lines of configuration."""
        self.line.sendmsg([_message(("hello", "", "", "python"))])
        return _receive(self.line)[0][3:]

    def tell(self, where: str, *fields: str) -> None:
        """Say what was refused unasked. Where nobody listens any more, the next is refused."""
        try:
            self.line.sendmsg([_message(("note", where, "", *fields))])
        except OSError:
            self.line.close()

    def reset_after_fork(self) -> None:
        """Begin anew in a child: its parent's answers are not for it."""
        self.lock, self.asking = allocate_lock(), 0
        try:
            self.line = self.another()
        except OSError:
            self.line.close()


def _exchange(line: _socket.socket, fields: tuple[str, ...]) -> Answer:
    try:
        line.sendmsg([_message(fields)])
        answer, descriptor = _receive(line)
    except OSError:
        return UNREAD
    asked = [field.replace("\0", "?") for field in (fields[0], *fields[3:4])]
    if answer[3:5] != asked:  # a program that writes into the line itself leaves answers behind
        return UNREAD
    return answer[0], answer[1], answer[2], descriptor
