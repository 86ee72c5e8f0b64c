"""What is asked of the service's tables, in SQL that every database of the service takes."""

from __future__ import annotations

from interlock.service.store.exports_sql import ExportQueries
from interlock.service.store.history_sql import HistoryQueries
from interlock.service.store.hooks_sql import HookQueries
from interlock.service.store.insights_sql import InsightQueries
from interlock.service.store.leases_sql import LeaseQueries
from interlock.service.store.people_sql import PeopleQueries
from interlock.service.store.policy_sql import PolicyQueries
from interlock.service.store.requests_sql import RequestQueries
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
from interlock.service.store.statements import Statements
from interlock.service.store.stops_sql import StopQueries

Statements.tables.update(
    {
        Machine: ("machine", 1),
        Check: ("machine_check", 2),
        Chain: ("chain", 1),
        Branch: ("branch", 2),
        ChainProblem: ("problem", 4),
        Root: ("root", 1),
        EnrolmentTokenRow: ("enrolment", 1),
    }
)


class StoreQueries(
    HistoryQueries,
    PeopleQueries,
    StopQueries,
    RequestQueries,
    HookQueries,
    LeaseQueries,
    PolicyQueries,
    ExportQueries,
    InsightQueries,
):
    """The questions of ``protocol.ServiceReader``, within one transaction."""

    def setting(self, name: str) -> str:
        """Return a setting."""
        found = self._one("SELECT value FROM setting WHERE name = ?", name)
        return str(found[0]) if found else ""

    def machine(self, name: str) -> Machine | None:
        """Return a machine."""
        return self._row(Machine, "id = ?", name)

    def machine_of(self, secret: str) -> Machine | None:
        """Return the machine of a credential."""
        return self._row(Machine, "secret = ? AND retired = ''", secret)

    def machines(self) -> list[Machine]:
        """Return all machines."""
        return self._rows(Machine, "true ORDER BY name, id")

    def machine_count(self) -> int:
        """Return how many machines there are."""
        return int(self._value("SELECT count(*) FROM machine"))

    def checks(self, machine: str) -> list[Check]:
        """Return what a machine last said of its guard."""
        return self._rows(Check, "machine = ? ORDER BY kind", machine)

    def chain(self, name: str) -> Chain | None:
        """Return a chain."""
        return self._row(Chain, "id = ?", name)

    def chains(self) -> list[Chain]:
        """Return all chains."""
        return self._rows(Chain, "true ORDER BY id")

    def branches(self, chain: str) -> list[Branch]:
        """Return a chain's branches."""
        return self._rows(Branch, "chain = ? ORDER BY number", chain)

    def nodes(self, chain: str, first: int, last: int) -> dict[tuple[int, str], int]:
        """Return the events of some positions."""
        sql = "SELECT seq, hash, branch FROM chain_event WHERE chain = ? AND seq BETWEEN ? AND ?"
        return {(seq, hashed): branch for seq, hashed, branch in self._all(sql, chain, first, last)}

    def events(self, chain: str, branch: int, after: int, most: int) -> list[EventRow]:
        """Return a branch's own events."""
        sql = f"""SELECT {self.event_columns} FROM chain_event
            WHERE chain = ? AND branch = ? AND seq > ? ORDER BY seq LIMIT ?"""
        return [self._event_from_row(row) for row in self._all(sql, chain, branch, after, most)]

    def holds_session(self, chain: str, name: str) -> bool:
        """Tell whether a chain has events of a session."""
        sql = "SELECT 1 FROM chain_event WHERE session = ? AND chain = ? LIMIT 1"
        return self._one(sql, name, chain) is not None

    def problems(self, most: int) -> list[ChainProblem]:
        """Return what is wrong."""
        return self._rows(ChainProblem, "true ORDER BY at DESC, chain, branch, seq LIMIT ?", most)

    def roots(self) -> list[Root]:
        """Return all roots."""
        return self._rows(Root, "true ORDER BY minute")

    def last_root(self) -> Root | None:
        """Return the newest root."""
        return self._row(Root, "true ORDER BY minute DESC LIMIT 1")

    def grown(self, since: str) -> list[Branch]:
        """Return what grew since a time."""
        return self._rows(Branch, "grown >= ? ORDER BY chain, number", since)

    def token(self, secret: str) -> EnrolmentTokenRow | None:
        """Return a token of enrolment."""
        return self._row(EnrolmentTokenRow, "secret = ?", secret)
