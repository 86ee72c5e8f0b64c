"""The line between a program and its broker: datagrams of fields, each answered once; descriptors
go along. One message, one datagram.

Fields are bytes without NUL between NULs, so that a program needs nothing to write or read them.
Text that is no UTF-8 survives.
"""

from __future__ import annotations

import array
import os
import socket
import sys

MAX_MESSAGE = 1 << 16
KIND = socket.SOCK_SEQPACKET if sys.platform.startswith("linux") else socket.SOCK_DGRAM
Line = socket.socket


def pair() -> tuple[Line, Line]:
    """Return both ends of a new line: ours, and the program's, which is to be inherited."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, KIND)
    return ours, theirs


def from_descriptor(number: int) -> Line:
    """Return the line behind a descriptor that a program handed over; raises ``OSError``."""
    return socket.socket(fileno=number)


def receive(line: Line) -> tuple[list[str], list[int]] | None:
    """Return the fields of the next message and its descriptors; None if the other end is gone."""
    try:
        data, extra, flags, _ = line.recvmsg(
            MAX_MESSAGE, socket.CMSG_SPACE(4 * 4), socket.MSG_DONTWAIT
        )
    except BlockingIOError:
        return [], []
    except OSError:
        return None
    descriptors = array.array("i")
    for level, kind, held in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(held[: len(held) // descriptors.itemsize * descriptors.itemsize])
    if not data or flags & socket.MSG_TRUNC:
        for number in descriptors:
            os.close(number)
        return None if not data else (["too-long"], [])
    return [os.fsdecode(field) for field in data.split(b"\0")], list(descriptors)


def send(line: Line, fields: list[str], descriptor: int = -1) -> bool:
    """Send an answer; False where nobody reads it any more."""
    data = b"\0".join([os.fsencode(field).replace(b"\0", b" ") for field in fields])[:MAX_MESSAGE]
    extra = (
        [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        if descriptor >= 0
        else []
    )
    try:
        line.sendmsg([data], extra, socket.MSG_DONTWAIT)
    except OSError:
        return False
    return True
