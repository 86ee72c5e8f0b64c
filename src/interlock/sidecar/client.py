"""Questions to the service, by the standard library alone: HTTP with or without TLS, one at a
time. Nothing is followed to another address.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from interlock.model.jsontext import dumps, object_of
from interlock.model.record import Record

SECONDS = 20.0
_EPOCH = "Interlock-Epoch"
MOST = 1 << 20
"""Bytes of an answer that are read."""
MOST_AFTER = 300.0
"""Seconds that a service may ask to wait."""
MOST_NUMBER, MOST_DIGITS = 2**53, 15


class UnreachableError(Exception):
    """The service did not answer, or what answered is not it; one sentence says why."""


class ServiceResponse(Record):
    """``status``: HTTP's; ``said``: the answer's JSON, empty where it is none; ``after``: seconds
    that it asks to wait, 0 where it asks for none; ``epoch``: of the newest stop or resumption that
    the service knows.
    """

    status: int
    said: Mapping[str, Any]
    after: float = 0.0
    epoch: int = 0


class SidecarClient:
    """One service. ``pin``: SHA-256 of its certificate, empty where the system's authorities vouch
    for it; ``credential``: this machine's; ``seconds``: without a word after which it counts as
    gone.
    """

    def __init__(
        self, url: str, pin: str = "", credential: str = "", seconds: float = SECONDS
    ) -> None:
        self.url, self._pin, self._credential, self._seconds = url, pin, credential, seconds
        self._open: http.client.HTTPConnection | None = None

    def tell(self, path: str, body: Mapping[str, object]) -> ServiceResponse:
        """Send JSON; raises ``UnreachableError``."""
        return self.send(path, dumps(dict(body)).encode(), {"Content-Type": "application/json"})

    def ask(self, path: str) -> ServiceResponse:
        """Ask for something; raises ``UnreachableError``."""
        return self.send(path, None, {})

    def send(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> ServiceResponse:
        """Send a body, or ask where there is none; raises ``UnreachableError``. A connection that
        the service has ended meanwhile is opened anew, once.
        """
        again = self._open is not None
        try:
            return self._asked(path, body, headers)
        except (http.client.HTTPException, OSError) as error:
            self.close()
            if not again or isinstance(error, TimeoutError):
                raise UnreachableError(f"{self.url}: {why(error)}") from error
        return self.send(path, body, headers)

    def cut(self) -> None:
        """End what another thread waits for."""
        sock = self._open.sock if self._open is not None else None
        if sock is not None:
            with suppress(OSError):  # it ended by itself
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _asked(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> ServiceResponse:
        with self.begun(path, body, headers) as answer:
            text = answer.read(MOST)
            after, epoch = [_digits(answer, name) for name in ("Retry-After", _EPOCH)]
        return ServiceResponse(answer.status, object_of(text), min(after, MOST_AFTER), epoch)

    def begun(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """Return an answer of which nothing was read yet; raises ``OSError`` and what
        ``http.client`` raises.
        """
        connection = self._open or self._connect()
        self._open = connection
        said = {"Host": urlsplit(self.url).netloc, "Interlock-Version": "1", **(headers or {})}
        if self._credential:
            said["Authorization"] = f"Bearer {self._credential}"
        method = "GET" if body is None else "POST"
        connection.request(method, urlsplit(self.url).path.rstrip("/") + path, body, said)
        return connection.getresponse()

    def _connect(self) -> http.client.HTTPConnection:
        where = urlsplit(self.url)
        if where.scheme == "http":
            return http.client.HTTPConnection(
                _host(where.hostname or ""), where.port, timeout=self._seconds
            )
        context = ssl.create_default_context()
        if self._pin:
            # this very certificate, whoever signed it and whatever name it carries
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        host = where.hostname or ""
        connection = http.client.HTTPSConnection(
            _host(host) if self._pin else host, where.port, timeout=self._seconds, context=context
        )
        connection.connect()
        self._known(connection)
        return connection

    def _known(self, connection: http.client.HTTPSConnection) -> None:
        """Make sure of the certificate before anything is said; raises ``UnreachableError``."""
        if not self._pin:
            return
        shown = connection.sock.getpeercert(binary_form=True) if connection.sock else None
        if sha256(shown or b"").hexdigest() != self._pin:
            connection.close()
            raise UnreachableError(
                f"{self.url}: what answers there is not the service that this machine was enrolled"
                " with: its certificate is another one"
            )


def number(said: Mapping[str, Any], name: str) -> int:
    """Return a number of an answer, 0 where it has none there: what answers may be anything."""
    found = said.get(name)
    return found if type(found) is int and 0 <= found < MOST_NUMBER else 0


def _host(name: str) -> str:
    """Return where a name leads: those below `localhost` are this machine's (RFC 6761), whether or
    not its resolver knows it.
    """
    return "127.0.0.1" if name.endswith(".localhost") else name


def _digits(answer: http.client.HTTPResponse, name: str) -> int:
    text = answer.headers.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0


def why(error: Exception) -> str:
    """Say why no answer came."""
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return f"the answer was cut off ({type(error).__name__})"
