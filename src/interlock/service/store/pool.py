"""Connections to a PostgreSQL server, each lent to one transaction at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Event, Lock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

MOST = 10
"""Connections that one tenant of a node has open."""
LISTENS_SECONDS, AGAIN_SECONDS = 0.5, 1.0
"""How long it is listened before it is looked whether that is to end; until it is tried anew."""
LOOPBACK = frozenset({"", "127.0.0.1", "::1", "localhost"})
_PATIENCE: dict[str, object] = {
    "application_name": "interlock",
    "connect_timeout": 5,
    # a server that is gone without a word is noticed in half a minute
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""What an address may say otherwise."""


def _protect(given: Mapping[str, Any]) -> dict[str, str]:
    """Have nobody on the way to another machine read along, unless an address says otherwise."""
    hosts = str(given.get("host") or "").split(",")
    here = all(one in LOOPBACK or one.startswith(("/", "@")) for one in hosts)
    return {} if here else {"sslmode": "require"}


class Connections:
    """Safe for threads. ``where``: the server and its database, as people are told of it."""

    def __init__(self, url: str) -> None:
        given = conninfo_to_dict(url)
        self._how: dict[str, Any] = {**_PATIENCE, **_protect(given), **given}
        self.where = f"PostgreSQL's {given.get('dbname', 'database')} at {given.get('host', '')}"
        self._room, self._lock = BoundedSemaphore(MOST), Lock()
        self._ended = Event()
        self._idle: list[psycopg.Connection[Any]] = []

    @contextmanager
    def lend(self, begin: bytes) -> Iterator[psycopg.Connection[Any]]:
        """Lend a connection in a transaction that begins so; what is not committed is undone."""
        with self._room:
            connection = self._begin(begin)
            try:
                yield connection
            finally:
                self._take_back(connection)

    def listen(self, channel: str, heard: Callable[[], None]) -> None:
        """Call ``heard`` when something was said on a channel, and whenever this had to begin
        anew, until ``close``.
        """
        while not self._ended.is_set():
            with suppress(psycopg.OperationalError), self._connect() as connection:
                connection.execute(f"LISTEN {channel}".encode())
                heard()
                while not self._ended.is_set():
                    if [*connection.notifies(timeout=LISTENS_SECONDS, stop_after=1)]:
                        heard()
            self._ended.wait(AGAIN_SECONDS)

    def close(self) -> None:
        """Close all: those that are lent once they come back."""
        self._ended.set()
        while (idle := self._pop()) is not None:
            idle.close()

    def _begin(self, begin: bytes) -> psycopg.Connection[Any]:
        while (idle := self._pop()) is not None:
            with suppress(psycopg.OperationalError):  # its server began anew since
                idle.execute(begin, prepare=False)
                return idle
            idle.close()
        found = self._connect()
        try:
            found.execute(begin, prepare=False)
        except psycopg.Error:
            found.close()
            raise
        return found

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(**self._how, autocommit=True, cursor_factory=psycopg.RawCursor)

    def _pop(self) -> psycopg.Connection[Any] | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _take_back(self, connection: psycopg.Connection[Any]) -> None:
        with suppress(psycopg.Error):  # one that is broken is closed below
            connection.rollback()
        with self._lock:
            if (
                connection.info.transaction_status == TransactionStatus.IDLE
                and not self._ended.is_set()
            ):
                self._idle.append(connection)
                return
        connection.close()
