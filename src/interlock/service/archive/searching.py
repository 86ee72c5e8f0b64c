"""Decisions found in files of Parquet, by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from interlock.service.archive.protocol import FoundDecision
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.views import DecisionLine, DecisionQuery, conditions

_COLUMNS = {name: f'"{name}"' for name in DecisionLine.fields} | {"name": "subject"}
_SETTINGS = {
    "threads": 2,
    "memory_limit": "512MB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


class ArchiveSearch:
    """Asks files; safe for threads. Raises ``ServiceStoreError``."""

    def __init__(self) -> None:
        settings: dict[str, Any] = _SETTINGS
        self._connection = duckdb.connect(":memory:", config=settings)

    def find(self, paths: Sequence[str], wanted: DecisionQuery) -> list[FoundDecision]:
        """Return decisions, the newest first."""
        where, values = conditions(wanted, _COLUMNS)
        if wanted.sources is not None:
            where += " AND chain IN (SELECT unnest(?))"
            values.append(list(wanted.sources))  # type: ignore[arg-type]
        wanted_words = where.replace(" LIKE ", " ILIKE ")
        sql = f"""SELECT id, chain, subject FROM read_parquet(?)
            WHERE kind = 'decision' AND verdict IS NOT NULL AND {wanted_words}
            ORDER BY "at" DESC, subject DESC LIMIT ?"""  # noqa: S608 - our own words
        return [FoundDecision(*row) for row in self._all(sql, [list(paths), *values, wanted.most])]

    def close(self) -> None:
        """Let go of what is open."""
        self._connection.close()

    def _all(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        try:
            with self._connection.cursor() as cursor:
                return cursor.execute(sql, values).fetchall()
        except duckdb.Error as error:
            said = str(error).strip().partition("\n")[0]
            raise ServiceStoreError(
                f"the archive cannot be searched: {said}; a damaged file that is moved away is"
                " written anew"
            ) from error
