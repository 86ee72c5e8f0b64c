"""Records as rows of tables of the same columns, within one transaction of whichever database."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from interlock.model.record import Record
from interlock.store.protocol import Connection
from interlock.store.schema import Value

T = TypeVar("T", bound=Record)
Row = tuple[Any, ...]


class Statements:
    """Statements within one transaction. ``tables``: where each kind of record is kept, and how
    many of its first columns name a row; ``whose``: columns that stand before those in every key.
    """

    tables: ClassVar[dict[type[Record], tuple[str, int]]] = {}
    whose: ClassVar[tuple[str, ...]] = ()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _all(self, sql: str, *values: Value) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Value) -> Row | None:
        found: Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def _value(self, sql: str, *values: Value) -> Any:
        """Return what a question finds that always finds one value."""
        return self._connection.execute(sql, values).fetchone()[0]

    def _did(self, sql: str, *values: Value) -> int:
        return self._connection.execute(sql, values).rowcount

    def _rows(self, kind: type[T], where: str, *values: Value) -> list[T]:
        sql = f"SELECT {_names(kind)} FROM {self.tables[kind][0]} WHERE {where}"
        return [kind(*row) for row in self._all(sql, *values)]

    def _row(self, kind: type[T], where: str, *values: Value) -> T | None:
        found = self._rows(kind, where, *values)
        return found[0] if found else None

    def _add(self, row: Record, otherwise: str = "") -> int:
        """Add a row; ``otherwise``: what is done where it is there already."""
        kind = type(row)
        sql = f"""INSERT INTO {self.tables[kind][0]} ({_names(kind)})
            VALUES ({marks(len(kind.fields))}) {otherwise}"""
        return self._did(sql, *[getattr(row, name) for name in kind.fields])

    def _add_new(self, row: Record) -> bool:
        """Add a row unless it is there; tell whether it was not."""
        return self._add(row, "ON CONFLICT DO NOTHING") == 1

    def _put(self, row: Record) -> None:
        """Add a row, or have it take the place of the one that is there."""
        kind = type(row)
        keys = self.tables[kind][1]
        self._add(row, self._replace(kind.fields[:keys], kind.fields[keys:]))

    def _replace(self, keys: tuple[str, ...], others: tuple[str, ...]) -> str:
        new = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
        named = ", ".join(f'"{name}"' for name in (*self.whose, *keys))
        return f"ON CONFLICT ({named}) DO UPDATE SET {new}"


def marks(count: int) -> str:
    """Return so many question marks for a list of values; an empty one holds nothing."""
    return ", ".join("?" * count) or "NULL"


def _names(kind: type[Record]) -> str:
    return ", ".join(f'"{name}"' for name in kind.fields)
