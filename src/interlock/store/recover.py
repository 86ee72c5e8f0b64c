"""What can still be read of a damaged database, copied into the new one.

SQLite reads a table page by page and stops at the first that is no page. So each table is read from
its beginning up to there, from its end back to there, and the rows between are tried by leaps that
double, within bounds. What loosens and may have lost its undoing stays behind
(``schema.RECOVERED``). The damaged file itself is only read, and kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from interlock.store.chain import extend, now
from interlock.store.schema import AFTER_RECOVERY, RECOVERED
from interlock.store.sqlite import load

MOST = 100_000
"""Rows of one table that are copied: a hook has to answer within seconds."""
MOST_LEAPS = 200
MOST_NUMBERS = 2**62


def recover(damaged: str, connection: sqlite3.Connection) -> dict[str, int]:
    """Copy what can be read of the database ``damaged`` into the new one's empty tables; return how
    many rows of each.

    It belongs into the transaction that makes the tables. The chain goes on from the last event
    that was read, and says what happened.
    """
    counts = {}
    old = _open_damaged(damaged)
    if old is not None:
        try:
            for table, condition in RECOVERED.items():
                counts[table] = _copy(old, connection, table, condition)
        finally:
            old.close()
    if not counts.get("audit_event"):
        rows, through = connection.execute(
            "SELECT count(*), ifnull(max(id), 0) FROM guardrail_audit_log"
        ).fetchone()
        extend(connection, "store", "", {"rows": rows, "through": through, "version": 0})
    extend(
        connection,
        "store-set-aside",
        damaged,
        {table: count for table, count in counts.items() if count},
    )
    for statement in AFTER_RECOVERY:
        connection.execute(statement, (now(),) * statement.count("?"))
    return counts


def _open_damaged(damaged: str) -> sqlite3.Connection | None:
    sqlite = load()
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite.connect(damaged, timeout=0.1, isolation_level=None)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA cell_size_check=ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite.Error:
        if connection is not None:
            connection.close()
        return None
    return connection


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str, condition: str) -> int:
    """Copy the columns that both know. A damaged row that the new table refuses is left out."""
    try:
        known = [name for _, name, *_ in old.execute(f"PRAGMA table_info({table})").fetchall()]
    except load().Error:
        return 0
    columns = [
        name
        for _, name, *_ in new.execute(f"PRAGMA table_info({table})").fetchall()
        if name in known
    ]
    if not columns:
        return 0
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own words
    count = 0
    for row in _Table(old, table, columns, condition).rows():
        count += new.execute(insert, row).rowcount
        if count >= MOST:
            break
    return count


class _Table:
    """One table of a damaged file. ``at``: the number of the row read last; ``whole``: the last
    reading came to its end.
    """

    def __init__(
        self, old: sqlite3.Connection, table: str, columns: list[str], condition: str
    ) -> None:
        self._old = old
        self._numbered = self._has_numbers(table)
        number = "rowid" if self._numbered else "0"
        self._select = (
            f"SELECT {number}, {', '.join(columns)} FROM {table} WHERE {condition or '1'}"  # noqa: S608 - our own words
        )
        self.at = 0
        self.whole = False

    def _has_numbers(self, table: str) -> bool:
        try:
            self._old.execute(f"SELECT rowid FROM {table} LIMIT 0")  # noqa: S608 - our own words
        except load().Error:
            return False
        return True

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the readable rows; some may come twice."""
        yield from self._read(" ORDER BY rowid" if self._numbered else "")
        if self.whole or not self._numbered:
            return
        first = self.at
        self.at = MOST_NUMBERS
        yield from self._read(" AND rowid > ? ORDER BY rowid DESC", first)
        end, self.at = self.at, first
        leap = 1
        for _ in range(MOST_LEAPS):
            before = self.at = self.at + leap
            if before >= end:
                return
            yield from self._read(" AND rowid >= ? AND rowid < ? ORDER BY rowid", before, end)
            leap = 1 if self.at > before else leap * 2

    def _read(self, which: str, *values: int) -> Iterator[tuple[Any, ...]]:
        """Yield rows up to the first that cannot be read."""
        self.whole = False
        try:
            cursor = self._old.execute(self._select + which, values)
            while (row := cursor.fetchone()) is not None:
                self.at = row[0]
                yield row[1:]
        except load().Error:
            return
        self.whole = True
