"""The service's database on a PostgreSQL server, which several nodes may share. Of each tenant one
writes at a time, as with SQLite's file, readers beside it; and rows of one are no other's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b, sha256
from threading import Lock, Thread
from typing import Any, TypeVar

import psycopg
from psycopg import errors

from interlock.service.store.migrating import bring_up
from interlock.service.store.pool import Connections
from interlock.service.store.postgres_sql import PostgresCommands, PostgresQueries, PostgresSession
from interlock.service.store.protocol import (
    NoRoomError,
    ServiceReader,
    ServiceStoreError,
    ServiceWriter,
)

T = TypeVar("T")
BUSY_SECONDS, HANGS_SECONDS = 10, 30
"""How long a write waits for others; after how long the server ends what a node leaves open."""
_BEGIN = """BEGIN {}; SET LOCAL search_path TO interlock; SET LOCAL interlock.key TO '{}';
    SET LOCAL lock_timeout TO '{}s'; SET LOCAL idle_in_transaction_session_timeout TO '{}s';
    SET LOCAL synchronous_commit TO on"""
CHANNEL = "interlock"
"""Where a database says that machines may have to be told something."""
_ONE_STATE = "ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresDatabase:
    """One tenant of a server's database; safe for threads. ``key``: what shows whose rows are
    meant, kept by nodes and not in the database. Raises ``ServiceStoreError``.
    """

    near = False

    def __init__(self, url: str, tenant: str, key: bytes) -> None:
        shown = key.hex()
        self._tenant = tenant
        self._pool = Connections(url)
        self.path = self._pool.where
        self._reading, self._writing = [
            _BEGIN.format(how, shown, BUSY_SECONDS, HANGS_SECONDS).encode()
            for how in (_ONE_STATE, "")
        ]
        self._mine = Lock()
        turn = blake2b(b"write " + tenant.encode(), digest_size=8).digest()
        self._turn = int.from_bytes(turn, "big", signed=True)
        try:
            with self._told():
                self._open(sha256(shown.encode()).hexdigest())
        except ServiceStoreError:
            self.close()
            raise

    def write(self, work: Callable[[ServiceWriter], T]) -> T:
        """Do a step in a transaction of its own; nobody else writes of this tenant meanwhile."""
        with self._told(), self._own_turn(), self._pool.lend(self._writing) as connection:
            connection.execute("SELECT pg_advisory_xact_lock($1)", (self._turn,))
            found = work(PostgresCommands(PostgresSession(connection, self._tenant)))
            # where an error was passed over, this is where it shows
            if connection.execute("COMMIT").statusmessage != "COMMIT":
                raise ServiceStoreError(f"{self.path}: a step failed, and was undone")
            return found

    def read(self, work: Callable[[ServiceReader], T]) -> T:
        """Ask of one state; nobody waits."""
        with self._told(), self._pool.lend(self._reading) as connection:
            return work(PostgresQueries(PostgresSession(connection, self._tenant)))

    def listen(self, heard: Callable[[], None]) -> None:
        """Have it called when another node may have given a stop or an answer."""
        Thread(target=self._pool.listen, args=(CHANNEL, heard), daemon=True).start()

    def close(self) -> None:
        """Let go of the server."""
        self._pool.close()

    def _open(self, key: str) -> None:
        with self._pool.lend(self._writing) as connection:
            _check_role(connection, self.path)
            bring_up(connection, self.path)
            _register(connection, self._tenant, key, self.path)
            connection.execute("COMMIT")

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        """Wait for the other writes of this node, so that they hold no connections meanwhile."""
        if not self._mine.acquire(timeout=BUSY_SECONDS):
            raise ServiceStoreError(f"{self.path}: other writes take too long")
        try:
            yield
        finally:
            self._mine.release()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            kind = NoRoomError if isinstance(error, errors.DiskFull) else ServiceStoreError
            raise kind(f"{self.path}: {_why(error)}") from error


def _check_role(connection: psycopg.Connection[Any], where: str) -> None:
    """Raise ``ServiceStoreError`` where tenants would not be kept apart from whoever connects."""
    found = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)"
    ).fetchone()
    if found is not None:
        raise ServiceStoreError(
            f"{where}: {found[0]} sees the rows of every tenant (a superuser, or BYPASSRLS): make a"
            " role for interlock (CREATE ROLE interlock LOGIN) that owns its database"
        )


def _register(connection: psycopg.Connection[Any], tenant: str, key: str, where: str) -> None:
    """Note a new tenant's key; raises ``ServiceStoreError`` where it had another one."""
    ask = "SELECT key FROM tenant WHERE name = $1"
    found = connection.execute(ask, (tenant,)).fetchone()
    if found is None:
        connection.execute("INSERT INTO tenant (name, key) VALUES ($1, $2)", (tenant, key))
    elif found[0] != key:
        raise ServiceStoreError(
            f"{where} was begun with other keys than those of this folder: copy the *.key files of"
            " the node that serves it already"
        )


def _why(error: psycopg.Error) -> str:
    """Say what is wrong in one line, and what helps."""
    said = str(error).strip().partition("\n")[0] or type(error).__name__
    helps = next((text for kind, text in _HELPS if isinstance(error, kind)), "")
    return f"{said}; {helps}" if helps else said


_HELPS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, "make room there: nothing is lost, for machines send it again"),
    (errors.LockNotAvailable, "another node holds it: end what hangs there"),
    (errors.InsufficientPrivilege, "let the role of interlock own its database"),
    (errors.ReadOnlySqlTransaction, "that server is a copy: name the one that is written to"),
)
