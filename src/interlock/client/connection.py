"""HTTP by Python's own library: connections that are kept, an end to waiting, and a second try only
where nothing can have been done.
"""

from __future__ import annotations

import random
import ssl
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from interlock.model.jsontext import JsonError, dumps, loads

MOST_ANSWER = 16 << 20
KEPT_SECONDS = 2.0
"""How long a connection waits for its next use: less than servers do, so that none is used just
when its other side ends it.
"""
MOST_KEPT = 32
LOOPBACK = ("127.0.0.1", "::1", "localhost")
BUSY = (429, 503, 507)
"""Answers of a service that did nothing and says when to come again."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0


class NoDecisionError(Exception):
    """No decision came; one sentence says why. ``status``: of the service's answer, 0 without
    one; ``kind``: its word for what is wrong.
    """

    def __init__(self, why: str, status: int = 0, kind: str = "") -> None:
        super().__init__(why)
        self.status, self.kind = status, kind


class _NothingSentError(Exception):
    """A connection was not to be had, so nothing of the request went out."""


class ServiceConnection:
    """Asks one service. Safe for threads. ``context``: whom TLS trusts; ``seconds``: for an answer,
    tries and pauses included.
    """

    def __init__(
        self, url: str, token: str, seconds: float, context: ssl.SSLContext | None = None
    ) -> None:
        where = urlsplit(url)
        if where.scheme not in ("http", "https") or not where.hostname or where.path.strip("/"):
            raise ValueError(f"{url!r} is no address of a service: expected https://NAME")
        local = where.hostname in LOOPBACK or where.hostname.endswith(".localhost")
        if where.scheme == "http" and not local:
            raise ValueError(f"{url!r} has no TLS, and the token could be read on the way")
        self._where, self._seconds, self._context = where, seconds, context
        self._headers = {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json",
            "Accept": "application/json", "Host": where.netloc,
        }  # fmt: skip
        self._kept: list[tuple[float, HTTPConnection]] = []
        self._turn = Lock()

    def post(self, path: str, body: Mapping[str, Any], *, again: bool) -> Any:
        """Return what the service answers; raises ``NoDecisionError``. ``again``: what was sent may
        be sent a second time, also where nobody knows what became of the first.
        """
        try:
            sent = dumps(dict(body)).encode()
        except (TypeError, ValueError) as error:
            raise NoDecisionError(f"the call cannot be sent: {error}") from error
        until, pause = time.monotonic() + self._seconds, 0.0
        while True:
            try:
                return self._once(path, sent, until)
            except _NothingSentError as error:
                wrong, pause = NoDecisionError(str(error)), _longer(pause)
            except (OSError, HTTPException) as error:
                wrong, pause = NoDecisionError(f"no answer came: {error!r}"), _longer(pause)
                if not again:
                    raise wrong from error
            except NoDecisionError as error:
                wrong, pause = error, max(_longer(pause), getattr(error, "after", 0.0))
                if error.status not in BUSY:
                    raise
            if time.monotonic() + pause >= until:
                raise wrong
            time.sleep(pause)

    def close(self) -> None:
        """Close what is kept."""
        with self._turn:
            kept, self._kept = self._kept, []
        for _, connection in kept:
            connection.close()

    def _once(self, path: str, sent: bytes, until: float) -> Any:
        connection = self._connection(max(0.001, until - time.monotonic()))
        try:
            connection.request("POST", path, sent, self._headers)
            answer = connection.getresponse()
            text = answer.read(MOST_ANSWER + 1)
        except BaseException:
            connection.close()
            raise
        if len(text) > MOST_ANSWER or answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return _read(answer.status, answer.headers.get("Retry-After", ""), text)

    def _connection(self, seconds: float) -> HTTPConnection:
        with self._turn:
            now = time.monotonic()
            while self._kept:
                since, kept = self._kept.pop()
                if now - since < KEPT_SECONDS and kept.sock is not None:
                    kept.sock.settimeout(seconds)
                    return kept
                kept.close()
        host, port = self._where.hostname or "", self._where.port
        made: HTTPConnection
        if self._where.scheme == "https":
            made = HTTPSConnection(host, port, timeout=seconds, context=self._context)
        else:
            made = HTTPConnection("127.0.0.1" if _is_local(host) else host, port, timeout=seconds)
        try:
            made.connect()
        except OSError as error:
            raise _NothingSentError(f"{self._where.netloc} is not reached: {error}") from error
        return made

    def _keep(self, connection: HTTPConnection) -> None:
        with self._turn:
            if len(self._kept) < MOST_KEPT:
                self._kept.append((time.monotonic(), connection))
                return
        connection.close()


def _is_local(host: str) -> bool:
    """Names below ``localhost`` (a tenant's) are this machine, whether or not it resolves them."""
    return host.endswith(".localhost")


def _longer(pause: float) -> float:
    return min(LONGEST_PAUSE, max(FIRST_PAUSE, 2 * pause)) * random.uniform(0.5, 1.0)  # noqa: S311 - spreads callers


def _read(status: int, after: str, text: bytes) -> Any:
    try:
        found = loads(text)
    except JsonError as error:
        raise NoDecisionError(f"the answer ({status}) cannot be read: {error}", status) from error
    if status == 200:
        return found
    said = found if isinstance(found, dict) else {}
    wrong = NoDecisionError(
        f"the service answered {status}: {said.get('title', 'no reason')}", status,
        str(said.get("type", "")),
    )  # fmt: skip
    wrong.after = float(after) if after.isdecimal() and len(after) < 6 else 0.0  # type: ignore[attr-defined]
    raise wrong
