"""What is asked of the service's tables, in SQLite's words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from interlock.model.jsontext import loads
from interlock.service.store.history_sqlite import HistoryQueries
from interlock.service.store.hooks_sqlite import HookQueries
from interlock.service.store.people_sqlite import PeopleQueries
from interlock.service.store.requests_sqlite import RequestQueries
from interlock.service.store.rows import (
    Branch,
    Chain,
    ChainProblem,
    Check,
    EnrolmentTokenRow,
    EventRow,
    Machine,
    Root,
)
from interlock.service.store.stops_sqlite import StopQueries

_EVENT = "id, chain, branch, seq, key, at, kind, session, subject, body, hash, row"
_BRANCH = 'chain, number, parent, "left", base, seq, hash, kind, since, grown'
AT_ONCE = 400
"""Values that one statement takes."""


def event_from_row(row: Sequence[object]) -> EventRow:
    """Return an event by the columns of ``_EVENT``."""
    values = None if row[11] is None else tuple(loads(str(row[11])))
    number, chain, branch = int(str(row[0])), str(row[1]), int(str(row[2]))
    return EventRow(number, chain, branch, tuple(row[3:10]), str(row[10]), values)  # type: ignore[arg-type]


class SqliteQueries(HistoryQueries, PeopleQueries, StopQueries, RequestQueries, HookQueries):
    """The questions of ``protocol.Reading``, within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _all(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: object) -> tuple[object, ...] | None:
        found: tuple[object, ...] | None = self._connection.execute(sql, values).fetchone()
        return found

    def setting(self, name: str) -> str:
        """Return a setting."""
        found = self._one("SELECT value FROM setting WHERE name = ?", name)
        return str(found[0]) if found else ""

    def machine(self, name: str) -> Machine | None:
        """Return a machine."""
        found = self._one(f"SELECT {_of(Machine)} FROM machine WHERE id = ?", name)
        return Machine(*found) if found else None  # type: ignore[arg-type]

    def machine_of(self, secret: str) -> Machine | None:
        """Return the machine of a credential."""
        sql = f"SELECT {_of(Machine)} FROM machine WHERE secret = ? AND retired = ''"
        found = self._one(sql, secret)
        return Machine(*found) if found else None  # type: ignore[arg-type]

    def machines(self) -> list[Machine]:
        """Return all machines."""
        rows = self._all(f"SELECT {_of(Machine)} FROM machine ORDER BY name, id")
        return [Machine(*row) for row in rows]  # type: ignore[arg-type]

    def machine_count(self) -> int:
        """Return how many machines there are."""
        found = self._one("SELECT count(*) FROM machine")
        return int(str(found[0])) if found else 0

    def checks(self, machine: str) -> list[Check]:
        """Return what a machine last said of its guard."""
        sql = "SELECT machine, kind, at, rows FROM machine_check WHERE machine = ? ORDER BY kind"
        return [Check(*row) for row in self._all(sql, machine)]  # type: ignore[arg-type]

    def chain(self, name: str) -> Chain | None:
        """Return a chain."""
        found = self._one(f"SELECT {_of(Chain)} FROM chain WHERE id = ?", name)
        return Chain(*found) if found else None  # type: ignore[arg-type]

    def chains(self) -> list[Chain]:
        """Return all chains."""
        return [Chain(*row) for row in self._all(f"SELECT {_of(Chain)} FROM chain ORDER BY id")]  # type: ignore[arg-type]

    def branches(self, chain: str) -> list[Branch]:
        """Return a chain's branches."""
        sql = f"SELECT {_BRANCH} FROM branch WHERE chain = ? ORDER BY number"
        return [Branch(*row) for row in self._all(sql, chain)]  # type: ignore[arg-type]

    def nodes(self, chain: str, first: int, last: int) -> dict[tuple[int, str], int]:
        """Return the events of some positions."""
        sql = "SELECT seq, hash, branch FROM chain_event WHERE chain = ? AND seq BETWEEN ? AND ?"
        rows = self._connection.execute(sql, (chain, first, last)).fetchall()
        return {(seq, hashed): branch for seq, hashed, branch in rows}

    def events(self, chain: str, branch: int, after: int, most: int) -> list[EventRow]:
        """Return a branch's own events."""
        sql = f"""SELECT {_EVENT} FROM chain_event WHERE chain = ? AND branch = ? AND seq > ?
            ORDER BY seq LIMIT ?"""
        return [event_from_row(row) for row in self._all(sql, chain, branch, after, most)]

    def settled(self, chain: str, names: Sequence[str]) -> dict[str, tuple[object, ...]]:
        """Return what became of decisions."""
        found: dict[str, tuple[object, ...]] = {}
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            sql = f"""SELECT name, status, result, duration_ms FROM outcome WHERE chain = ?
                AND name IN ({", ".join("?" * len(some))}) ORDER BY id"""
            found.update({str(row[0]): row[1:] for row in self._all(sql, chain, *some)})
        return found

    def problems(self, most: int) -> list[ChainProblem]:
        """Return what is wrong."""
        sql = (
            f"SELECT {_of(ChainProblem)} FROM problem ORDER BY at DESC, chain, branch, seq LIMIT ?"
        )
        return [ChainProblem(*row) for row in self._all(sql, most)]  # type: ignore[arg-type]

    def roots(self) -> list[Root]:
        """Return all roots."""
        return [Root(*row) for row in self._all(f"SELECT {_of(Root)} FROM root ORDER BY minute")]  # type: ignore[arg-type]

    def last_root(self) -> Root | None:
        """Return the newest root."""
        found = self._one(f"SELECT {_of(Root)} FROM root ORDER BY minute DESC LIMIT 1")
        return Root(*found) if found else None  # type: ignore[arg-type]

    def grown(self, since: str) -> list[Branch]:
        """Return what grew since a time."""
        sql = f"SELECT {_BRANCH} FROM branch WHERE grown >= ? ORDER BY chain, number"
        return [Branch(*row) for row in self._all(sql, since)]  # type: ignore[arg-type]

    def token(self, secret: str) -> EnrolmentTokenRow | None:
        """Return a token of enrolment."""
        return self._row(EnrolmentTokenRow, "secret = ?", secret)


def _of(kind: type[Machine | Chain | ChainProblem | Root]) -> str:
    return ", ".join(kind.fields)
