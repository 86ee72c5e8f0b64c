"""What PostgreSQL says otherwise than SQLite: its marks for values, how many rows go in at once,
what no text of its can hold, and where the numbers of events come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from itertools import count
from re import compile as pattern
from typing import Any, cast

import psycopg

from interlock.model.jsontext import dumps, loads
from interlock.service.store.commands import COLUMNS, StoreCommands
from interlock.service.store.queries import StoreQueries
from interlock.service.store.rows import EventRow
from interlock.service.store.statements import Row, marks
from interlock.service.store.views import MOST_BEHIND
from interlock.store.chain import FIELDS, GENESIS, event, link
from interlock.store.protocol import Cursor
from interlock.store.schema import Value
from interlock.wire.batch import BatchLine

_MARK = pattern(r"\?(\d*)")
_MORE = {"chain_event": "exact received"}
FEW = 16
"""Rows that are not worth the way by a table of their own."""
NUL, INSTEAD = "\0", "\ufffd"


@lru_cache(maxsize=512)
def translate(sql: str) -> bytes:
    """Return a statement of SQLite's as PostgreSQL has it: values are numbered, and what is like
    a text is so in small letters and capitals.
    """
    numbers = count(1)
    numbered = _MARK.sub(lambda mark: f"${mark[1] or next(numbers)}", sql)
    return numbered.replace(" LIKE ", " ILIKE ").encode()


def plain(value: Any) -> Any:
    """Return a value as a text of PostgreSQL can hold it."""
    return value.replace(NUL, INSTEAD) if isinstance(value, str) and NUL in value else value


class PostgresSession:
    """One transaction, which takes statements as SQLite has them."""

    def __init__(self, connection: psycopg.Connection[Any], tenant: str) -> None:
        self._connection, self.tenant = connection, tenant
        self._copied: set[str] = set()

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Cursor:
        """Do one statement."""
        return cast(
            "Cursor", self._connection.execute(translate(sql), [plain(one) for one in values])
        )

    def copy_in(self, table: str, names: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert many rows. COPY is refused where row-level security holds, so they are copied
        into a table of this connection's own first: a seventh of the time of an INSERT of values.
        """
        new, columns = f"new_{table}", ", ".join(names)
        if table in self._copied:
            self.execute(f"TRUNCATE {new}")
        else:
            how = f"ON COMMIT DELETE ROWS AS SELECT {columns} FROM {table} WITH NO DATA"
            self.execute(f"CREATE TEMP TABLE IF NOT EXISTS {new} {how}")
            self._copied.add(table)
        with self._connection.cursor().copy(f"COPY {new} FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row([*map(plain, row)])
        self.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {new}")


class PostgresQueries(StoreQueries):
    """The questions of ``protocol.ServiceReader``."""

    def clock(self) -> int:
        """Return the server's time."""
        return int(self._value("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"))

    event_columns = f"{StoreQueries.event_columns}, exact"

    @classmethod
    def _event_from_row(cls, row: Row) -> EventRow:
        found = super()._event_from_row(row)
        return found if row[12] is None else found.replace(fields=tuple(loads(row[12])))

    def _count_past(self, number: int) -> int:
        few = "SELECT 1 FROM chain_event WHERE id > ? LIMIT ?"
        return int(self._value(f"SELECT count(*) FROM ({few}) few", number, MOST_BEHIND))


class PostgresCommands(PostgresQueries, StoreCommands):
    """The steps of ``protocol.ServiceWriter``, where nobody else writes meanwhile."""

    _connection: PostgresSession
    whose = ("tenant",)

    @cached_property
    def _day(self) -> date:
        """The day on which events come, by the server's clock, with a part of the table for it."""
        found: date = self._value("SELECT add_day()")
        return found

    def note(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Record an event in the service's own chain; a tail that was cut off stays a gap."""
        number = self._value(
            "UPDATE tenant SET noted = noted + 1 WHERE name = my_tenant() RETURNING noted"
        )
        last = self._one("SELECT hash FROM audit_event ORDER BY seq DESC LIMIT 1")
        fields = (number, *event(kind, plain(subject), body)[1])
        hashed = link(last[0] if last else GENESIS, fields)
        self._did(
            f"INSERT INTO audit_event ({', '.join(FIELDS)}) VALUES ({marks(8)})", *fields, hashed
        )

    def _numbers(self, wanted: int) -> list[int]:
        rows = self._all("SELECT nextval('arrival') FROM generate_series(1, ?)", wanted)
        return [number for (number,) in rows]

    def _event(self, number: int, chain: str, branch: int, line: BatchLine) -> Row:
        odd = any(isinstance(one, str) and NUL in one for one in line.fields)
        exact = dumps(list(line.fields)) if odd else None
        return (*super()._event(number, chain, branch, line), exact, self._day)

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        names = (*f"{COLUMNS[table]} {_MORE.get(table, '')}".split(), "tenant")
        mine = [(*row, self._connection.tenant) for row in rows]
        if len(rows) > FEW:
            self._connection.copy_in(table, names, mine)
        elif rows:
            each = ", ".join([f"({marks(len(names))})"] * len(rows))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES {each}"
            self._did(sql, *[value for row in mine for value in row])
