"""Records as rows of tables of the same columns, within one transaction of SQLite."""

from __future__ import annotations

import sqlite3
from typing import ClassVar, TypeVar

from interlock.model.record import Record

T = TypeVar("T", bound=Record)


class Statements:
    """Statements within one transaction. ``tables``: where each kind of record is kept."""

    _connection: sqlite3.Connection
    tables: ClassVar[dict[type[Record], str]] = {}

    def _rows(self, kind: type[T], where: str, *values: object) -> list[T]:
        sql = f"SELECT {_names(kind)} FROM {self.tables[kind]} WHERE {where}"
        return [kind(*row) for row in self._connection.execute(sql, values)]

    def _row(self, kind: type[T], where: str, *values: object) -> T | None:
        found = self._rows(kind, where, *values)
        return found[0] if found else None

    def _put(self, how: str, row: Record) -> int:
        fields = type(row).fields
        marks = ", ".join("?" * len(fields))
        sql = f"{how} INTO {self.tables[type(row)]} ({_names(type(row))}) VALUES ({marks})"
        return self._did(sql, *[getattr(row, name) for name in fields])

    def _did(self, sql: str, *values: object) -> int:
        return self._connection.execute(sql, values).rowcount


def _names(kind: type[Record]) -> str:
    return ", ".join(f'"{name}"' for name in kind.fields)
