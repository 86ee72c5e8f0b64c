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
from interlock.service.store.commands import StoreCommands
from interlock.service.store.queries import StoreQueries
from interlock.service.store.rows import EventRow
from interlock.service.store.statements import Row, marks
from interlock.store.chain import GENESIS, event, link
from interlock.store.protocol import Cursor
from interlock.store.schema import Value
from interlock.wire.batch import BatchLine

_MARK = pattern(r"\?(\d*)")
NUL, INSTEAD = "\0", "\ufffd"
_MINE = "(SELECT my_tenant())"  # asked once, and not for each row
_TYPES = {
    "chain_event": "bigint text bigint bigint text text text text text text text text text date",
    "decision": "bigint text text text text text text text text text text text",
    "outcome": "bigint text text text text text bigint",
}


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

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Cursor:
        """Do one statement."""
        return cast(
            "Cursor", self._connection.execute(translate(sql), [plain(one) for one in values])
        )


class PostgresQueries(StoreQueries):
    """The questions of ``protocol.ServiceReader``."""

    event_columns = f"{StoreQueries.event_columns}, exact"

    @classmethod
    def _event_from_row(cls, row: Row) -> EventRow:
        found = super()._event_from_row(row)
        return found if row[12] is None else found.replace(fields=tuple(loads(row[12])))


class PostgresCommands(PostgresQueries, StoreCommands):
    """The steps of ``protocol.ServiceWriter``, where nobody else writes meanwhile."""

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
        self._did(f"INSERT INTO audit_event VALUES ({marks(8)})", *fields, hashed)

    def _numbers(self, wanted: int) -> list[int]:
        rows = self._all("SELECT nextval('arrival') FROM generate_series(1, ?)", wanted)
        return [number for (number,) in rows]

    def _event(self, number: int, chain: str, branch: int, line: BatchLine) -> Row:
        odd = any(isinstance(one, str) and NUL in one for one in line.fields)
        exact = dumps(list(line.fields)) if odd else None
        return (*super()._event(number, chain, branch, line), exact, self._day)

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows as one statement: columns of values, each with its type."""
        if rows:
            types = enumerate(_TYPES[table].split(), 1)
            columns = ", ".join(f"${at}::{kind}[]" for at, kind in types)
            sql = f"INSERT INTO {table} SELECT given.*, {_MINE} FROM unnest({columns}) AS given"
            values: Any = [[plain(one) for one in column] for column in zip(*rows, strict=True)]
            self._connection.execute(sql, values)
