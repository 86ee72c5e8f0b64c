"""The service's database in one SQLite file: one writer at a time, readers beside it, and every
write on the disk before it counts as done.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from interlock.service.store.commands import COLUMNS, StoreCommands
from interlock.service.store.protocol import (
    NoRoomError,
    ServiceReader,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.queries import StoreQueries
from interlock.service.store.statements import Row, marks
from interlock.service.store.tables import STEPS, VERSION
from interlock.store.chain import extend
from interlock.store.place import StoreError, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

T = TypeVar("T")
FILE = "service.db"
BUSY_SECONDS = 10.0


class SqliteCommands(StoreCommands):
    """The steps of ``protocol.ServiceWriter`` in SQLite."""

    _connection: sqlite3.Connection

    def note(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Record an event in the service's own chain."""
        extend(self._connection, kind, subject, body)

    def _numbers(self, wanted: int) -> Sequence[int]:
        first = int(self._value("SELECT coalesce(max(id), 0) FROM chain_event")) + 1
        return range(first, first + wanted)

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        if rows:
            names = COLUMNS[table].split()
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks(len(names))})"
            self._connection.executemany(sql, rows)


class Database:
    """One folder of the service; safe for threads. Raises ``ServiceStoreError``."""

    near = True

    def __init__(self, folder: str) -> None:
        self.path = f"{folder}/{FILE}"
        self._turn, self._idle = Lock(), Lock()
        self._readers: list[sqlite3.Connection] = []
        try:
            prepare(folder)
            _check_not_emptied(folder, self.path)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._writer = self._opened()
            _bring_up(self._writer, self.path)
        except sqlite3.Error as error:
            raise ServiceStoreError(f"{self.path} cannot be opened: {_why(error)}") from error
        except (OSError, StoreError) as error:
            raise ServiceStoreError(f"{self.path} cannot be opened: {error}") from error

    def write(self, work: Callable[[ServiceWriter], T]) -> T:
        """Do a step in a transaction of its own; nobody else writes meanwhile."""
        with self._turn, self._told():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                found = work(SqliteCommands(self._writer))
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
            return found

    def read(self, work: Callable[[ServiceReader], T]) -> T:
        """Ask of one state; nobody waits."""
        with self._told(), self._reader() as connection:
            connection.execute("BEGIN")
            try:
                return work(StoreQueries(connection))
            finally:
                connection.execute("ROLLBACK")

    def listen(self, heard: Callable[[], None]) -> None:
        """Have nothing called: a file says nothing, and its service is alone."""

    def close(self) -> None:
        """Close the file."""
        with self._turn, self._idle:
            for connection in (self._writer, *self._readers):
                connection.close()
            self._readers.clear()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # a receipt is a promise: it outlasts a power cut
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        with self._idle:
            connection = self._readers.pop() if self._readers else None
        connection = connection or self._opened()
        try:
            yield connection
        finally:
            with self._idle:
                self._readers.append(connection)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            kind = NoRoomError if _code(error) == sqlite3.SQLITE_FULL else ServiceStoreError
            raise kind(f"{self.path}: {_why(error)}") from error


def _check_not_emptied(folder: str, path: str) -> None:
    """Raise ``ServiceStoreError`` where a file that had everything in it has nothing: its keys are
    made after its tables.
    """
    keyed = any(one.endswith(".key") for one in os.listdir(folder))
    if keyed and os.path.exists(path) and not os.path.getsize(path):
        raise ServiceStoreError(
            f"{path} is empty, and was not: put your backup of it back, or remove it to begin anew"
        )


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code, 0 where the error is not one of SQLite's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _why(error: sqlite3.Error) -> str:
    """Say what is wrong, and what helps."""
    helps = _HELPS.get(_code(error), "")
    return f"{error}; {helps}" if helps else str(error)


_BACKUP = "stop what writes there, and put your backup of it back"
_HELPS = {
    sqlite3.SQLITE_FULL: "make room there: nothing is lost, for machines send it again",
    sqlite3.SQLITE_IOERR: "its disk fails, or a quota is used up",
    sqlite3.SQLITE_BUSY: "end the program that holds it (a backup, a `sqlite3` that was left open)",
    sqlite3.SQLITE_CORRUPT: _BACKUP,
    sqlite3.SQLITE_NOTADB: _BACKUP,
}


def _bring_up(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables, or bring them to this version."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    with suppress_rollback(connection):
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise ServiceStoreError(
                f"{path} was written by a newer interlock (tables of version {version}, this one"
                f" knows {VERSION}): upgrade interlock"
            )
        for statement in [one for step in STEPS[version:] for one in step]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")


@contextmanager
def suppress_rollback(connection: sqlite3.Connection) -> Iterator[None]:
    """Undo what is not committed at the end."""
    try:
        yield
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
