"""A server behind its standard input and output, and a client before ours: lines one way, lines the
other, each looked at by the relay.

Two threads read, one a side. The relay is asked in turns; what it answers is written outside of its
turn, so a side that does not read holds up nobody but its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from threading import Lock, Thread
from typing import Any

from interlock.mcp.jsonrpc import MAX_MESSAGE, SERVER_ERROR, encode_message, error, id_within
from interlock.mcp.relay import Relay, RelayOutput

CHUNK = 64 * 1024
KEPT = 4096
"""Bytes that are kept of the beginning and of the end of a line that is too long."""
GRACE = 5.0
"""Seconds that a server has to end after its input was closed, and again after it was told to."""
SILENT = 2.0
"""Seconds that a server may live on after it closed its output."""


class LongLine:
    """A line that was too long: its first and last bytes."""

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head = head
        self.tail = tail


def lines(descriptor: int) -> Iterator[bytes | LongLine]:
    """Yield each line of a descriptor without its end, the last one even if it has none; no more
    than ``MAX_MESSAGE`` is ever kept.
    """
    kept, head = bytearray(), b""
    while chunk := _read(descriptor):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            kept += part
            yield (
                LongLine(head or bytes(kept[:KEPT]), bytes(kept[-KEPT:]))
                if head or len(kept) > MAX_MESSAGE
                else bytes(kept)
            )
            kept, head = bytearray(), b""
        kept += rest
        if len(kept) > MAX_MESSAGE:
            head = head or bytes(kept[:KEPT])
            del kept[:-KEPT]
    if kept or head:
        yield LongLine(head, bytes(kept[-KEPT:])) if head else bytes(kept)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""  # the other side is gone, as at its end


class Sender:
    """Writes whole lines to a descriptor, one at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = Lock()
        self.gone = False

    def send(self, messages: tuple[bytes, ...]) -> bool:
        """Write the messages; tell whether the other side still takes them."""
        with self._lock:
            for message in messages:
                rest = memoryview(message + b"\n")
                try:
                    while rest and not self.gone:
                        rest = rest[os.write(self._descriptor, rest) :]
                except OSError:
                    self.gone = True
        return not self.gone


class LockedRelay:
    """A relay that is asked by several threads: one at a time."""

    def __init__(self, relay: Relay, tell: Callable[[str], None]) -> None:
        self.relay = relay
        self._tell = tell
        self._lock = Lock()

    def ask(self, work: Callable[[Relay], RelayOutput]) -> RelayOutput:
        """Return what the relay says."""
        with self._lock:
            return work(self.relay)

    def line(self, line: bytes | LongLine, *, server: bool) -> RelayOutput | None:
        """Return what becomes of a line; None for an empty one."""
        if isinstance(line, LongLine):
            return self.ask(lambda relay: relay.too_long(line.head, line.tail, server=server))
        if not line.strip():
            return None
        return self.ask(
            lambda relay: (
                relay.receive_from_server(line) if server else relay.receive_from_client(line)
            )
        )


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start the server, its errors going where ours go; raises ``OSError``."""
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - the command is what the user's configuration names


def serve(
    turns: LockedRelay, server: subprocess.Popen[Any], client: tuple[int, int] = (0, 1)
) -> int:
    """Pass lines on until one side ends; returns the exit code for this process: 0, or 1 where the
    server ended before the client was done.
    """
    assert server.stdin is not None  # noqa: S101 - it was started so
    assert server.stdout is not None  # noqa: S101 - it was started so
    to_client, to_server = Sender(client[1]), Sender(server.stdin.fileno())
    _end_with(server)
    ended: list[bool] = []

    def from_server() -> None:
        assert server.stdout is not None  # noqa: S101 - it was started so
        for line in lines(server.stdout.fileno()):
            said = turns.line(line, server=True)
            if said is not None and not to_client.send(said.to_client):
                break
        if not ended:
            code = _wait_for_exit(server)
            to_client.send(
                turns.ask(lambda relay: relay.broken(f"the server ended{code}")).to_client
            )
            os._exit(1)  # the other thread waits for a client that has nobody to talk to any more

    reader = Thread(target=from_server, daemon=True)
    reader.start()
    for line in lines(client[0]):
        said = turns.line(line, server=False)
        if said is None:
            continue
        if not to_client.send(said.to_client):
            break
        if not to_server.send(said.to_server):
            to_client.send(
                turns.ask(lambda relay: relay.broken("the server takes nothing any more")).to_client
            )
            break
    ended.append(True)
    return _close(server, reader)


def refuse(why: str, client: tuple[int, int] = (0, 1)) -> None:
    """Answer the client's first message, where there is no server to pass it on to."""
    first = next(iter(lines(client[0])), b"")
    head = first.head if isinstance(first, LongLine) else first[:KEPT]
    if head:
        Sender(client[1]).send((encode_message(error(SERVER_ERROR, why, id_within(head))),))


def _wait_for_exit(server: subprocess.Popen[Any]) -> str:
    try:
        return f" (exit code {server.wait(SILENT)})"
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        return ", for it closed its output"


def _close(server: subprocess.Popen[Any], reader: Thread) -> int:
    """End the server as MCP says: its input is closed, then it is told to end, then it is ended."""
    assert server.stdin is not None  # noqa: S101 - it was started so
    server.stdin.close()
    for end in (None, server.terminate, server.kill):
        if end is not None:
            end()
        try:
            server.wait(GRACE)
            break
        except subprocess.TimeoutExpired:
            continue
    reader.join(GRACE)
    return 0


def _end_with(server: subprocess.Popen[Any]) -> None:
    """See to it that a client that ends us ends the server, too."""

    def end(_number: int, _frame: object) -> None:
        server.terminate()
        os._exit(0)

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name) and sys.platform != "win32":
            signal.signal(getattr(signal, name), end)
