"""The proxy for what asks nobody: other programs in a run's own network reach its hosts over HTTP
here, by ``CONNECT`` or plainly (RFC 9110, 9112).

The socket at which it waits lies in the run's network, which has nothing else; whoever accepts
there is outside. Each request is judged by the name that it gives, and connected to by what that
name leads to here. Nothing is let through for having failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from threading import BoundedSemaphore, Thread

from interlock.codemode import channel
from interlock.codemode.network import connect_host
from interlock.sandbox.process import PROXY

Judge = Callable[[str, int], tuple[tuple[str, str, str], tuple[str, ...]]]
"""Of a host and a port: ``allow`` or something else, the rule, one sentence; and the hosts
whose own addresses were allowed.
"""
Watch = Callable[[int, Callable[[], float]], None]

MAX_HEAD = 1 << 15
PORT = 5
"""Digits of a port."""
MAX_CONNECTIONS = 128
PIECE = 1 << 16
_HOP = (b"proxy-connection:", b"proxy-authorization:", b"connection:", b"keep-alive:")
"""Headers that are for the proxy, or say how long a connection is kept (RFC 9110 7.6.1)."""
VARIABLES: Mapping[str, str] = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), f"http://127.0.0.1:{PROXY}"), "NODE_USE_ENV_PROXY": "1",
}  # fmt: skip
"""What tells programs of the proxy; Node's own client looks at the rest only with the last."""


HOOK = b"HOOK "
"""How a hook begins: ``HOOK MODE BYTES``, an empty line, the event."""
OUTSIDE = "INTERLOCK_OUTSIDE"
"""The variable that tells a hook behind walls at which port its guard is asked."""
HOOK_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hook.py")
MAX_HOOKS, MAX_EVENT, SECONDS = 8, 8 << 20, 30
MODES = ("check", "note")
SESSIONS = frozenset({"session_id", "sessionId", "sessionID", "conversation_id"})
"""What clients call the session in their events."""


class BadRequestError(ValueError):
    """A request that no proxy can carry out."""


class HttpProxy:
    """Serves one run. ``inner``: the end of a line over which the run's first process hands out the
    socket at which it waits.
    """

    def __init__(self, hooks: str = "") -> None:
        self.hooks = hooks
        self._asking = BoundedSemaphore(MAX_HOOKS)
        self._line, self.inner = channel.pair()
        self._open: set[socket.socket] = set()
        self._judge: Judge
        self._watch: Watch
        self._waiting: socket.socket | None = None

    def serve(self, judge: Judge, watch: Watch) -> None:
        """Serve whoever connects, as soon as there is something to connect to. ``watch``: calls
        when a descriptor can be read.
        """
        self.inner.close()
        self._judge, self._watch = judge, watch
        watch(self._line.fileno(), self._opened)

    def close(self) -> None:
        """End all of it; who is being carried for sees the end of both connections."""
        for one in tuple(self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._line.close()
        if self._waiting is not None:
            self._waiting.close()

    def _opened(self) -> float:
        found = channel.receive(self._line)
        if found is not None and found[1]:
            self._waiting = channel.from_descriptor(found[1][0])
            self._waiting.setblocking(False)
            self._watch(self._waiting.fileno(), self._accept)
        return -1.0

    def _accept(self) -> float:
        if self._waiting is None:
            return -1.0
        try:
            client, _ = self._waiting.accept()
        except BlockingIOError:
            return 0.0
        except OSError:
            return -1.0
        client.setblocking(False)
        self._open.add(client)
        head = bytearray()
        self._watch(client.fileno(), lambda: self._read_request(client, head))
        return 0.0

    def _read_request(self, client: socket.socket, head: bytearray) -> float:
        """Take what a client says until its request is whole."""
        try:
            data = client.recv(PIECE)
        except BlockingIOError:
            return 0.0
        except OSError:
            data = b""
        head += data
        whole = b"\r\n\r\n" in head
        if data and not whole and len(head) <= MAX_HEAD:
            return 0.0
        if not whole:
            self._told(client, 431 if data else 0, "its request is too long")
        else:
            self._asked(client, bytes(head))
        return -1.0

    def _asked(self, client: socket.socket, head: bytes) -> None:
        client.setblocking(True)
        if self.hooks and head.startswith(HOOK):
            Thread(target=self._run_hook, args=(client, head), daemon=True).start()
            return
        try:
            host, port, first = request(head)
        except BadRequestError as problem:
            self._told(client, 400, str(problem))
            return
        (verdict, rule, message), allowed = self._judge(host, port)
        if verdict != "allow":
            self._told(client, 403, f"{message} [{rule}]")
        elif len(self._open) > MAX_CONNECTIONS:
            self._told(client, 503, "there are too many connections")
        else:
            Thread(
                target=self._tunnel, args=(client, (host, port, allowed), first), daemon=True
            ).start()

    def _run_hook(self, client: socket.socket, head: bytes) -> None:
        """Answer an event of the client that runs behind the walls: its hook has the person's own
        guard judge it, out here.
        """
        try:
            with self._asking:
                client.settimeout(SECONDS)
                client.sendall(run_hook(client, head, self.hooks))
        except (OSError, ValueError, subprocess.SubprocessError):
            return  # who hears nothing refuses the call
        finally:
            self._close_client(client)

    def _told(self, client: socket.socket, status: int, why: str) -> None:
        """Refuse, in words that a program prints; nothing is said to who is gone."""
        body = f"interlock: {why}\n".encode()
        head = (
            f"HTTP/1.1 {status} Refused",
            "Content-Type: text/plain",
            f"Content-Length: {len(body)}",
            "Connection: close",
            "",
            "",
        )
        if status:
            with contextlib.suppress(OSError):
                client.sendall("\r\n".join(head).encode() + body)
        self._close_client(client)

    def _close_client(self, client: socket.socket) -> None:
        self._open.discard(client)
        client.close()

    def _tunnel(
        self, client: socket.socket, to: tuple[str, int, tuple[str, ...]], first: bytes
    ) -> None:
        """Connect, and carry bytes both ways until both have said all."""
        try:
            server = connect_host(*to)
        except OSError as error:
            self._told(client, 403 if error.errno == 13 else 502, error.strerror or str(error))
            return
        server.settimeout(None)
        self._open.add(server)
        try:
            if first:
                server.sendall(first)
            else:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join()
        except OSError:
            client.close()
        finally:
            self._close_client(server)
            self._close_client(client)


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Carry bytes one way until there are no more, and say so."""
    with contextlib.suppress(OSError):
        while data := source.recv(PIECE):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def run_hook(client: socket.socket, head: bytes, name: str) -> bytes:
    """Return what the guard outside answers to an event: its exit code, and how long its output and
    its errors are, in a line before both. Raises ``ValueError`` for what is no event.
    """
    first, _, body = head.partition(b"\r\n\r\n")
    mode, _, size = first[len(HOOK) :].decode("ascii", "replace").partition(" ")
    if mode not in ("-", *MODES) or not size.isdigit() or int(size) > MAX_EVENT:
        raise ValueError("expected HOOK MODE BYTES")
    while len(body) < int(size):
        more = client.recv(PIECE)
        if not more:
            raise ValueError("the event ended early")
        body += more
    body = own_session(body, f"walled-{os.getpid()}-")
    words = [sys.executable, "-I", "-S", HOOK_FILE, name, *([mode] if mode != "-" else [])]
    done = subprocess.run(  # noqa: S603 - the guard's own file
        words, input=body, capture_output=True, timeout=SECONDS, check=False
    )
    told = f"{done.returncode} {len(done.stdout)} {len(done.stderr)}\n".encode()
    return told + done.stdout + done.stderr


def own_session(event: bytes, mark: str) -> bytes:
    """Return an event whose session is one of this run: what is behind the walls can send any, and
    must not speak for a session that has none.
    """
    try:
        document = json.loads(event)
    except (ValueError, RecursionError):
        return event  # the hook says what is wrong with it
    if isinstance(document, dict):
        for name in document:
            if name in SESSIONS and isinstance(document[name], str):
                document[name] = mark + document[name]
    return json.dumps(document).encode()


def request(head: bytes) -> tuple[str, int, bytes]:
    """Return the host, the port, and what to say to it first (nothing behind ``CONNECT``); raises
    ``BadRequestError``.

    A plain request loses what is for the proxy alone, and its connection ends with it, so that no
    second request to another host goes the same way.
    """
    lines, _, rest = head.partition(b"\r\n\r\n")
    first, *headers = lines.split(b"\r\n")
    words = first.split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        raise BadRequestError("expected a request of HTTP/1.1")
    method, target, version = words
    if method == b"CONNECT":
        if rest:
            raise BadRequestError("nothing is said before a connection is there")
        return (*_place(target, 0), b"")
    scheme, _, path = target.partition(b"://")
    if scheme.lower() != b"http" or not path:
        raise BadRequestError("expected CONNECT HOST:PORT, or an address that begins with http://")
    place, _, path = path.partition(b"/")
    kept = [line for line in headers if not line.lower().startswith(_HOP)]
    said = b"\r\n".join([b" ".join((method, b"/" + path, version)), *kept, b"Connection: close"])
    return (*_place(place, 80), said + b"\r\n\r\n" + rest)


def _place(text: bytes, usual: int) -> tuple[str, int]:
    """Return host and port; raises ``BadRequestError``."""
    name, _, port = (
        text.rpartition(b":")
        if b":" in text and not text.endswith(b"]")
        else (text, b"", str(usual).encode())
    )
    host = name.decode("ascii", "replace").strip("[]").lower().rstrip(".")
    if (
        not host
        or "@" in host
        or not host.isprintable()
        or " " in host
        or not port.isdigit()
        or len(port) > PORT
        or not 0 < int(port) < 65536
    ):
        raise BadRequestError(f"expected HOST:PORT, not {text[:80].decode('ascii', 'replace')}")
    return host, int(port)
