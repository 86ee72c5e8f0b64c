"""How a batch gets to a destination, and what its answer means."""

from __future__ import annotations

import ssl
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Protocol
from urllib.parse import urlsplit

from interlock.model.jsontext import object_of
from interlock.model.record import Record
from interlock.model.release import __version__
from interlock.service.export.encoding import KINDS, SYSLOG, ExportBatch
from interlock.service.outward import (
    connect,
    connect_http,
    cut,
    limit_time,
    request_target,
    wrap_tls,
)
from interlock.service.standard_webhooks import sign
from interlock.service.store.rows import Destination

SECONDS, WHOLE_SECONDS = 10.0, 30.0
"""For each word that a destination says, and for all of them."""
MOST_ANSWER = 64 << 10
MOST_WAIT = 3600
"""Seconds that a destination may ask to be left alone."""
SYSLOG_PORT = 6514
REFUSING = frozenset({400, 413, 422})
"""What is said of what was sent, and would be said of it again."""


class NotTakenError(Exception):
    """A batch was not taken, and may be later; ``after``: in so many seconds, as it asked for."""

    def __init__(self, said: str, after: float = 0) -> None:
        super().__init__(said)
        self.after = after


class EventRefusedError(Exception):
    """Something of a batch is not taken, now or later."""


class Credentials(Record):
    """What a destination knows us by. ``key``: of signatures; ``header``: a line of HTTP."""

    key: bytes
    header: str = ""


class BatchSender(Protocol):
    """What sends batches to one destination."""

    def send(self, batch: ExportBatch) -> None:
        """Return once it has the batch; raises ``NotTakenError`` or ``EventRefusedError``."""

    def interrupt(self) -> None:
        """End what is under way; from any thread."""

    def close(self) -> None:
        """Let go of what is open."""


def build_sender(where: Destination, known_by: Credentials) -> BatchSender:
    """Return what sends to a destination."""
    if KINDS[where.kind].schemes == SYSLOG:
        return SyslogSender(where)
    return HttpSender(where, known_by)


class HttpSender:
    """Posts batches, over one connection as long as it lasts."""

    def __init__(self, where: Destination, known_by: Credentials) -> None:
        self._where, self._known_by = where, known_by
        self._kind = KINDS[where.kind]
        self._open: HTTPConnection | None = None

    def send(self, batch: ExportBatch) -> None:
        """Post a batch; a connection that ended meanwhile is opened anew, once."""
        body = self._kind.form(batch)
        again = self._open is not None
        try:
            try:
                self._post(batch.name, body)
            except (OSError, HTTPException):
                self.close()
                if not again:
                    raise
                self._post(batch.name, body)
        except (OSError, ValueError, HTTPException) as error:
            self.close()
            raise NotTakenError(_explain(error)) from error
        except (NotTakenError, EventRefusedError):
            self.close()
            raise

    def interrupt(self) -> None:
        """End what is under way."""
        opened = self._open
        if opened is not None and opened.sock is not None:
            cut(opened.sock)

    def close(self) -> None:
        """Let go of the connection."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()

    def _post(self, name: str, body: bytes) -> None:
        if self._open is None:
            self._open = connect_http(
                self._where.url, private=self._where.private, seconds=SECONDS,
                authority=self._where.authority,
            )  # fmt: skip
        opened = self._open
        with limit_time(opened.sock, WHOLE_SECONDS):
            opened.request(
                "POST", request_target(urlsplit(self._where.url)), body, self._headers(name, body)
            )
            answer = opened.getresponse()
            said = answer.read(MOST_ANSWER)
        if answer.will_close or not answer.isclosed():
            self.close()
        _check_answer(answer, said, self._kind.name)

    def _headers(self, name: str, body: bytes) -> dict[str, str]:
        found = {"Content-Type": self._kind.content, "User-Agent": f"interlock/{__version__}"}
        if self._kind.signed:
            found.update(sign(self._known_by.key, name, body))
        header, _, value = self._known_by.header.partition(":")
        return {**found, header.strip(): value.strip()} if value else found


def _check_answer(answer: HTTPResponse, said: bytes, kind: str) -> None:
    status = answer.status
    if 200 <= status < 300:
        rejected = _count_rejected(said) if kind == "otlp" else ""
        if rejected:
            raise EventRefusedError(rejected)
        return
    why = f"it answered {status}{_excerpt(said)}"
    if status in REFUSING:
        raise EventRefusedError(why)
    after = answer.headers.get("Retry-After", "")
    raise NotTakenError(why, min(int(after), MOST_WAIT) if after.isdecimal() else 0)


def _count_rejected(said: bytes) -> str:
    """Return what a receiver of OTLP says it did not take of a batch, empty where it took all."""
    partial = object_of(said.decode("utf-8", "replace")).get("partialSuccess")
    found = partial if isinstance(partial, dict) else {}
    count = str(found.get("rejectedLogRecords") or "0")
    return f"it rejected {count}: {found.get('errorMessage', '')}"[:200] if count != "0" else ""


def _explain(error: Exception) -> str:
    """Return why nothing came of it, without the numbers of the system."""
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def _excerpt(said: bytes) -> str:
    """Return the beginning of what was answered, as one line."""
    text = " ".join(said[:200].decode("utf-8", "replace").split())
    return f": {text}" if text else ""


class SyslogSender:
    """Sends batches by syslog over TLS (RFC 5425), which has no answers: that a receiver has read
    a batch shows where it closes the connection in turn, so each batch has one of its own.
    """

    def __init__(self, where: Destination) -> None:
        self._where = where
        self._open: ssl.SSLSocket | None = None

    def send(self, batch: ExportBatch) -> None:
        """Send a batch and wait until it was read."""
        place = urlsplit(self._where.url)
        host = place.hostname or ""
        body = KINDS[self._where.kind].form(batch)
        try:
            plain = connect(
                host, place.port or SYSLOG_PORT, private=self._where.private, seconds=SECONDS
            )
            with wrap_tls(plain, host, self._where.authority) as opened:
                self._open = opened
                with limit_time(opened, WHOLE_SECONDS):
                    opened.sendall(body)
                    _await_end(opened)
        except (OSError, ValueError) as error:
            raise NotTakenError(_explain(error)) from error
        finally:
            self._open = None

    def interrupt(self) -> None:
        """End what is under way."""
        if self._open is not None:
            cut(self._open)

    def close(self) -> None:
        """Let go of nothing: a connection ends with its batch."""


def _await_end(opened: ssl.SSLSocket) -> None:
    """Say that this was all, and wait until the other side says so, too; raises ``OSError``. One
    that ends without having read everything resets the connection.
    """
    try:
        opened.unwrap().close()
    except ssl.SSLEOFError:
        return  # it had read all, and ended the connection without a word
