"""A server behind an address: streamable HTTP, as MCP has it from 2025-03-26 on. One POST a
message, answered by JSON or by a stream of events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from interlock.mcp.jsonrpc import MAX_MESSAGE
from interlock.mcp.methods import RESOURCE
from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record

CONNECT = 30.0
"""Seconds until a server has to take a connection, however long an answer takes."""
SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
ACCEPT = "application/json, text/event-stream"
EVENTS = "text/event-stream"
MODERN = "io.modelcontextprotocol/protocolVersion"


class UpstreamError(Exception):
    """The server could not be reached, or answered what is no answer; the text is one sentence."""


class StreamEvent(Record):
    """One event of a stream: its data, and its other lines as they came (``id``, ``event``,
    ``retry``).
    """

    data: bytes
    others: tuple[bytes, ...] = ()


class UpstreamResponse:
    """What a server answered. ``close`` it when it is read, or is not wanted any more."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status
        self.reason = response.reason
        self.session = response.headers.get(SESSION, "")
        self.kind = (response.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        self.headers = response.headers

    def body(self) -> bytes:
        """Return the whole body; raises ``UpstreamError``."""
        try:
            data = self._response.read(MAX_MESSAGE + 1)
        except (OSError, HTTPException, ValueError) as error:
            raise UpstreamError(
                f"the server's answer broke off ({type(error).__name__})"
            ) from error
        if len(data) > MAX_MESSAGE:
            raise UpstreamError(
                f"the server's answer is longer than {MAX_MESSAGE // (1024 * 1024)} MiB"
            )
        return data

    def events(self) -> Iterator[StreamEvent]:
        """Yield the events of a stream as they come (WHATWG HTML, server-sent events); raises
        ``UpstreamError``.
        """
        data: list[bytes] = []
        others: list[bytes] = []
        for line in self._lines():
            if not line:
                if data or others:
                    yield StreamEvent(b"\n".join(data), tuple(others))
                data, others = [], []
            elif line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
                if sum(map(len, data)) > MAX_MESSAGE:
                    raise UpstreamError(
                        f"an event of the server is longer than {MAX_MESSAGE // (1024 * 1024)} MiB"
                    )
            elif not line.startswith(b":"):
                others = [*others, line][:10]

    def _lines(self) -> Iterator[bytes]:
        while True:
            try:
                line = self._response.readline(MAX_MESSAGE + 1)
            except (OSError, HTTPException, ValueError, AttributeError) as error:
                # closed by another thread, it has parts that are None
                raise UpstreamError(
                    f"the server's stream broke off ({type(error).__name__})"
                ) from error
            if not line:
                return
            if len(line) > MAX_MESSAGE:
                raise UpstreamError(
                    f"a line of the server is longer than {MAX_MESSAGE // (1024 * 1024)} MiB"
                )
            yield line.rstrip(b"\r\n")

    def close(self) -> None:
        """Give the connection up; who still reads from it is told that it broke off."""
        from socket import SHUT_RDWR

        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(SHUT_RDWR)
            except OSError:
                sock.close()
        self._connection.close()


class Upstream:
    """An address, and the headers that every request takes there."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url[:200]!r} is no http or https address")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers = dict(headers)

    def ask(
        self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> UpstreamResponse:
        """Send a request and return what is answered; raises ``UpstreamError``. Redirects are
        answers like any other: nobody follows them.
        """
        connection = (HTTPSConnection if self._secure else HTTPConnection)(
            self._host, self._port, timeout=CONNECT
        )
        try:
            connection.connect()
            connection.sock.settimeout(None)
            connection.request(method, self._path, body, {**(headers or {}), **self._headers})
            return UpstreamResponse(connection, connection.getresponse())
        except (OSError, HTTPException, ValueError) as error:
            connection.close()
            why = getattr(error, "strerror", None) or type(error).__name__
            raise UpstreamError(f"the server at {self._host} could not be asked: {why}") from error


def build_headers(message: bytes) -> dict[str, str]:
    """Return the headers that say of a message what it says itself: newer servers route by them, so
    they are made of what was judged.
    """
    headers = {"Content-Type": "application/json", "Accept": ACCEPT}
    try:
        value = loads(message)
    except JsonError:
        return headers
    params = value.get("params") if isinstance(value, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(MODERN) if isinstance(meta, dict) else None
    if isinstance(version, str) and isinstance(value, dict) and isinstance(params, dict):
        headers |= {VERSION: _plain(version), "Mcp-Method": _plain(str(value.get("method", "")))}
        name = params.get("uri" if value.get("method") == RESOURCE else "name")
        headers |= {"Mcp-Name": _plain(name)} if isinstance(name, str) else {}
    return headers


def _plain(text: str) -> str:
    """Return a text for a header: other than visible ASCII is framed base64 (MCP 2026-07-28)."""
    if (
        text
        and all(" " <= char <= "~" for char in text)
        and text == text.strip()
        and not text.startswith("=?")
    ):
        return text
    from base64 import b64encode

    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="
