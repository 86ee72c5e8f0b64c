"""A stream that stays open: what is said goes straight to its connection, and is encoded once for
all whom it is for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from interlock.model.jsontext import dumps
from interlock.model.record import Record

TRANSPORT = "transport"
"""By which word a request's state names its connection."""
MOST_WAITING = 1 << 16
"""Bytes that wait for somebody who takes none of them; where more would, the connection is cut, and
whoever comes again begins with a look at what stands.
"""
_END = b"0\r\n\r\n"


class StreamMessage(Record):
    """A server-sent event, as a chunk of HTTP/1.1 and as HTTP/1.0 has it."""

    chunk: bytes
    bare: bytes


def encode_event(kind: str, body: Mapping[str, object]) -> StreamMessage:
    """Return an event as it is sent."""
    bare = f"event: {kind}\ndata: {dumps(body)}\n\n".encode()
    return StreamMessage(b"%x\r\n%s\r\n" % (len(bare), bare), bare)


class OpenStream:
    """One machine's stream; it belongs to the loop that made it. ``turn``: which beat it hears."""

    def __init__(
        self, machine: str, team: str, transport: asyncio.Transport, *, chunked: bool
    ) -> None:
        self.machine, self.team, self.turn = machine, team, 0
        self.loop = asyncio.get_running_loop()
        self._transport, self._chunked = transport, chunked

    def write(self, message: StreamMessage) -> None:
        """Say something at once, within the loop."""
        if self._transport.is_closing():
            return
        if self._transport.get_write_buffer_size() > MOST_WAITING:
            self._transport.abort()
            return
        self._transport.write(message.chunk if self._chunked else message.bare)

    def end(self) -> None:
        """Say no more, within the loop."""
        if not self._transport.is_closing():
            if self._chunked:
                self._transport.write(_END)
            self._transport.close()
