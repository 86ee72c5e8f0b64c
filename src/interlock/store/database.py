"""``Store``: the SQLite file that many processes write at once.

WAL, every write inside ``BEGIN IMMEDIATE`` (a deferred one loses rows under load), a bounded wait
for the others, and ``user_version`` as the version of the tables. ``_sqlite3`` is imported at first
use and without its Python wrapper, which costs as much again. A hook's process ends without closing
the file: the last close would write the log back and wait for the disk each time, and the next
process recovers the log by itself, as after a crash.
"""

from __future__ import annotations

import sqlite3
import sys
from _thread import RLock
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.store import migrations
from interlock.store.chain import STEPS, extend
from interlock.store.place import StoreError, prepare
from interlock.store.protocol import Connection
from interlock.store.schema import CHAINED, VERSION, WRITES, Value, Write
from interlock.store.spool import Spool
from interlock.store.sqlite import load

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

T = TypeVar("T")

BUSY_SECONDS = 1.0
"""How long a write waits for other processes before its record goes to the spool."""
MAX_LOG = 1 << 20
"""Bytes of the write-ahead log from which on it is emptied after a write: some 30 calls, so that
few of them wait for the disk.
"""
MAX_TIDIED = 8 << 20
"""The same where whoever holds the store stays and empties it between calls: each time costs two
waits for the disk, however much there is.
"""
AGAIN = 20
"""By how much shorter a wait is that follows one in vain."""
_BUSY = 5  # SQLITE_BUSY
_DAMAGED = (11, 26)  # SQLITE_CORRUPT, SQLITE_NOTADB


class NewerStoreError(StoreError):
    """The file was written by a later interlock."""


class Store:
    """One state folder. Safe for threads and across a fork; nothing is opened or made before the
    first question.

    ``tidied``: whoever holds it calls ``tidy`` when nobody waits, so that no write waits for the
    log to be written back.
    """

    def __init__(
        self, folder: str, busy_seconds: float = BUSY_SECONDS, *, tidied: bool = False
    ) -> None:
        self.folder = folder
        self.path = folder + "/interlock.db"
        self.notices: list[str] = []
        """Sentences that a person should read: a damaged file moved aside, unreadable lines."""
        self._busy = busy_seconds
        self._tidied = tidied
        self._always = False
        self._wait_for_exit = False
        """A write waited for others as long as may be: the next ones wait less, so that one answer
        does not wait again and again.
        """
        self._lock = RLock()
        self._open: tuple[int, int, sqlite3.Connection] | None = None

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one SELECT; raises ``StoreError``."""
        return self._attempt(lambda connection: connection.execute(sql, values).fetchall())

    def commit(self, writes: Sequence[Write]) -> None:
        """Do all writes or none, and take in what waits in the spool; raises ``StoreError``."""
        self._attempt(lambda connection: self._write(connection, writes))

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` returns, done within one ``BEGIN IMMEDIATE`` ... ``COMMIT``: what it
        reads nobody changes meanwhile.

        For steps whose writes hang on what they read (a limit's count, an approval that is spent
        once). ``work`` may be called twice, when the file was found damaged, and only its last call
        counts. Its failure rolls back. Raises ``StoreError``.
        """

        def whole(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            found = work(connection)
            connection.execute("COMMIT")
            return found

        return self._attempt(whole)

    def view(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` returns; all its questions see one and the same state, and nobody
        waits for it. Raises ``StoreError``.
        """

        def whole(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN")
            return work(connection)

        return self._attempt(whole)

    def spool(self, writes: Sequence[Write]) -> None:
        """Keep writes that ``commit`` did not do, for a later one; raises ``StoreError``, and then
        they are lost.
        """
        self.spooled.append(dumps([[name, list(values)] for name, values in writes]))

    @property
    def spooled(self) -> Spool:
        """The spool of this folder."""
        from interlock.store.spool import Spool  # not on the way of a write that succeeds

        return Spool(self.folder)

    def close(self) -> None:
        """Close the file; the log is written back when nobody else has it open."""
        with self._lock:
            if self._open is not None and self._open[0] == system.getpid():
                self._open[2].close()
            self._open = None

    def __del__(self) -> None:
        """Close what nobody holds any more: Python 3.13 warns of a connection left open."""
        if getattr(self, "_open", None) is not None:
            self.close()

    # -- one attempt, and what its failure means ---------------------------------------------------

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        sqlite = load()
        with self._lock:
            try:
                return self._once(work)
            except sqlite.Error as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                self._wait_for_exit = code == _BUSY
                self._drop()
                if code not in _DAMAGED:
                    raise StoreError(f"{self.path}: {error}") from error
                self._set_aside()
            except (ValueError, OverflowError, TypeError) as error:
                self._drop()
                raise StoreError(f"{self.path}: {error}") from error
            try:
                return self._once(work)
            except sqlite.Error as error:
                self._drop()
                raise StoreError(f"{self.path}: {error}") from error

    def _once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connection()
        changed = connection.total_changes
        try:
            found = work(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        if connection.total_changes != changed:
            if not self._tidied:
                self._write_back(connection)
            if self._wait_for_exit:
                self._wait_for_exit = False
                connection.execute(f"PRAGMA busy_timeout={int(self._busy * 1000)}")
        return found

    def sync(self, *, always: bool) -> None:
        """Have the disk itself confirm each write before it counts as done, or leave that to the
        system (SQLite, ``PRAGMA synchronous``).
        """
        if always == self._always:
            return
        self._always = always
        with self._lock:
            if self._open is not None and self._open[0] == system.getpid():
                self._open[2].execute(f"PRAGMA synchronous={self._level}")

    @property
    def _level(self) -> str:
        return "FULL" if self._always else "NORMAL"

    def tidy(self) -> None:
        """Empty the write-ahead log where it got long. Total: else it is done later."""
        with self._lock:
            if self._open is not None and self._open[0] == system.getpid():
                self._write_back(self._open[2])

    def _write_back(self, connection: sqlite3.Connection) -> None:
        """Empty the write-ahead log where it got long; where somebody else is at work the next call
        does.

        A process that ends without closing leaves the log, and the next one begins by not knowing
        what of it was written back: the log would only grow (SQLite, Write-Ahead Logging, "Avoiding
        Excessively Large WAL Files"). The first step waits for the disk and holds up nobody's
        write; what is left to the second, which does, is little.
        """
        try:
            size = system.stat(self.path + "-wal").st_size
            if size <= (MAX_TIDIED if self._tidied else MAX_LOG):
                return
        except OSError:
            return
        connection.execute("PRAGMA busy_timeout=0")
        try:
            for how in ("PASSIVE", "TRUNCATE"):
                connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
        except load().Error:
            return  # the next call tries again
        finally:
            connection.execute(f"PRAGMA busy_timeout={int(self._busy * 1000)}")

    def _drop(self) -> None:
        opened, self._open = self._open, None
        if opened is not None and opened[0] == system.getpid():
            opened[2].close()

    def _connection(self) -> sqlite3.Connection:
        """Return the open connection of this process, or a new one: after a fork, and where the
        file was moved or deleted meanwhile.
        """
        connection: sqlite3.Connection
        if self._open is not None:
            process, inode, connection = self._open
            if process == system.getpid() and inode == self._inode():
                return connection
            self._drop()
        if self._inode() < 0:
            self._make()
        patience = self._busy / AGAIN if self._wait_for_exit else self._busy
        connection = load().connect(
            self.path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version != VERSION:
                self._bring_up(connection, version)
            connection.execute(f"PRAGMA synchronous={self._level}")
            connection.execute(
                f"PRAGMA wal_autocheckpoint={0 if self._tidied else 256}"
            )  # a megabyte of log: what the next process may have to recover
        except BaseException:
            connection.close()
            raise
        self._open = (system.getpid(), self._inode(), connection)
        return connection

    def _make(self) -> None:
        """Make the empty file, for its owner only; SQLite gives its other files the same mode."""
        prepare(self.folder)
        try:
            system.close(system.open(self.path, system.O_RDWR | system.O_CREAT, 0o600))
        except OSError as error:
            raise StoreError(f"{self.path} cannot be made: {error.strerror}") from error

    def _inode(self) -> int:
        try:
            return system.stat(self.path).st_ino
        except OSError:
            return -1

    # -- versions and damage -----------------------------------------------------------------------

    def _bring_up(self, connection: sqlite3.Connection, version: int) -> None:
        """Make the tables, or migrate them; one process at a time; others wait."""
        if version > VERSION:
            raise NewerStoreError(
                f"{self.path} was written by a newer interlock (tables of version {version}, this"
                f" one knows {VERSION}): upgrade interlock, or move that file away"
            )
        from interlock.store.spool import SpoolLock

        with SpoolLock(self.folder + "/store.lock", self._busy * 3):
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            _migrate(connection)
            connection.execute("COMMIT")

    def _set_aside(self) -> None:
        """Move a damaged file away, unless another process did and there is a sound one."""
        from interlock.store.spool import SpoolLock

        try:
            with SpoolLock(self.folder + "/store.lock", self._busy * 3):
                if self._sound():
                    return
                from time import gmtime, strftime

                aside = (
                    f"{self.path}.corrupt-{strftime('%Y%m%dT%H%M%SZ', gmtime())}-{system.getpid()}"
                )
                system.rename(self.path, aside)
                for suffix in ("-wal", "-shm"):
                    self._move(self.path + suffix, aside + suffix)
                self._make()
                counts = self._begin_from(aside)
        except OSError as error:
            raise StoreError(
                f"{self.path} is damaged and could not be moved aside: {error.strerror}"
            ) from error
        except load().Error as error:
            raise StoreError(
                f"{self.path} was damaged and was moved to {aside}, and a new one could not be"
                f" begun: {error}"
            ) from error
        kept = (
            f"{counts.get('guardrail_audit_log', 0)} judgements and {counts.get('audit_event', 0)}"
            " records of it could be read and were taken over"
        )
        self.notices.append(
            f"the audit database was damaged and was moved to {aside}; a new one was begun, and"
            f" {kept}"
        )

    def _begin_from(self, aside: str) -> dict[str, int]:
        """Make the new database with what can be read of the damaged one. Where that fails the next
        process begins with empty tables.
        """
        from interlock.store.recover import recover

        connection = load().connect(self.path, timeout=self._busy, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            for statement in [statement for step in migrations.read_steps() for statement in step]:
                connection.execute(statement)
            counts = recover(aside, connection)
            connection.execute(f"PRAGMA user_version={VERSION}")
            connection.execute("COMMIT")
        finally:
            connection.close()
        return counts

    @staticmethod
    def _move(path: str, to: str) -> None:
        try:
            system.rename(path, to)
        except FileNotFoundError:
            return

    def _sound(self) -> bool:
        sqlite = load()
        try:
            connection = sqlite.connect(self.path, timeout=self._busy, isolation_level=None)
        except sqlite.Error:
            return False
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite.Error:
            return False
        finally:
            connection.close()

    # -- writing -----------------------------------------------------------------------------------

    def _write(self, connection: sqlite3.Connection, writes: Sequence[Write]) -> None:
        if not self.waiting():
            connection.execute("BEGIN IMMEDIATE")
            _do(connection, writes)
            connection.execute("COMMIT")
            return
        self._write_with_spool(connection, writes)

    def waiting(self) -> bool:
        """Tell, by one stat, whether writes wait in the spool that a question does not see yet."""
        try:
            return system.stat(self.folder + "/spool.jsonl").st_size > 0
        except OSError:
            return False

    def _write_with_spool(self, connection: sqlite3.Connection, writes: Sequence[Write]) -> None:
        """Take in the spool first, unless another process holds it. It is emptied after the commit:
        twice does no harm, never would.

        The database is waited for before the spool is held, so that a process whose write had to go
        there does not wait for that, too.
        """
        from interlock.store.spool import HeldElsewhereError, SpoolLock

        connection.execute("BEGIN IMMEDIATE")
        try:
            with SpoolLock(self.spooled.path, 0) as held:
                bad = [line for line in held.lines() if not self._take_in(connection, line)]
                _do(connection, writes)
                connection.execute("COMMIT")
                if bad:
                    path = self.spooled.set_bad_aside(bad)
                    self.notices.append(
                        f"{len(bad)} unreadable lines of the audit's spool were put aside in {path}"
                    )
                held.empty()
        except HeldElsewhereError:
            _do(connection, writes)
            connection.execute("COMMIT")
        except OSError as error:
            raise StoreError(f"{self.spooled.path}: {error.strerror}") from error

    @staticmethod
    def _take_in(connection: sqlite3.Connection, line: bytes) -> bool:
        try:
            writes = [(name, tuple(values)) for name, values in loads(line)]
        except (JsonError, TypeError, ValueError):
            return False
        connection.execute("SAVEPOINT line")
        try:
            _do(connection, writes)
        except (
            KeyError,
            TypeError,
            ValueError,
            OverflowError,
            load().IntegrityError,
            load().ProgrammingError,
            load().InterfaceError,
        ):
            connection.execute("ROLLBACK TO line")
            return False
        finally:
            connection.execute("RELEASE line")
        return True


def _migrate(connection: sqlite3.Connection) -> None:
    """Make what tables are missing. What the audit held before there was a chain is told in the
    chain's first event, by number only.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for step in migrations.read_steps()[version:] if version < VERSION else ():
        for statement in step:
            connection.execute(statement)
    if version < CHAINED:
        rows, through = connection.execute(
            "SELECT count(*), ifnull(max(id), 0) FROM guardrail_audit_log"
        ).fetchone()
        extend(connection, "store", "", {"rows": rows, "through": through, "version": version})
    connection.execute(f"PRAGMA user_version={VERSION}")


def _do(connection: sqlite3.Connection, writes: Sequence[Write]) -> None:
    for name, values in writes:
        step = STEPS.get(name)
        if step is None:
            connection.execute(WRITES[name], values)
        else:
            step(connection, values)
