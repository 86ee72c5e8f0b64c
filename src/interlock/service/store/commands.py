"""What is written to the service's tables, in SQL that every database of the service takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from interlock.audit.call_summary import briefly
from interlock.model.jsontext import dumps
from interlock.service.store.exports_sql import ExportCommands
from interlock.service.store.hooks_sql import HookCommands
from interlock.service.store.leases_sql import LeaseCommands
from interlock.service.store.people_sql import PeopleCommands
from interlock.service.store.policy_sql import PolicyCommands
from interlock.service.store.queries import StoreQueries
from interlock.service.store.requests_sql import RequestCommands
from interlock.service.store.rows import (
    Branch,
    Chain,
    ChainProblem,
    Check,
    EnrolmentTokenRow,
    Machine,
    Root,
)
from interlock.service.store.statements import Row
from interlock.service.store.stops_sql import StopCommands
from interlock.store.schema import Value
from interlock.wire.batch import KEPT, BatchLine

_WORDS = "session_id action verdict strictest rule_id cwd agent".split()
_AT = [KEPT.index(name) for name in _WORDS]
_PARAMETERS = KEPT.index("parameters")
_MOST_MS = 2**53
MOST_TEXT = 1000
"""Characters of a call that are searched."""


COLUMNS = {
    "chain_event": "id chain branch seq key at kind session subject body hash row",
    "decision": "id chain name at session action verdict strictest rule cwd agent text",
    "outcome": "id chain name at status result duration_ms",
}
"""Of tables into which many rows go at once; a newer version's may have more."""


class StoreCommands(
    StoreQueries,
    PeopleCommands,
    StopCommands,
    RequestCommands,
    HookCommands,
    LeaseCommands,
    PolicyCommands,
    ExportCommands,
    ABC,
):
    """The steps of ``protocol.ServiceWriter``, within one transaction. A database's own say where
    numbers of events come from (``_numbers``) and how many rows go in at once (``_insert``).
    """

    def set(self, name: str, value: str) -> None:
        """Keep a setting."""
        how = self._replace(("name",), ("value",))
        self._did(f"INSERT INTO setting (name, value) VALUES (?, ?) {how}", name, value)

    def add_machine(self, machine: Machine) -> None:
        """Add a machine."""
        self._add(machine)

    def note_contact(self, machine: str, at: str, head: int) -> None:
        """Note that a machine said something."""
        self._did("UPDATE machine SET seen = ?, head = ? WHERE id = ?", at, head, machine)

    def put_check(self, check: Check) -> None:
        """Keep what a machine says of its guard."""
        self._put(check)

    def retire(self, machine: str, at: str) -> bool:
        """Have a credential count no more."""
        sql = "UPDATE machine SET retired = ? WHERE id = ? AND retired = ''"
        return self._did(sql, at, machine) == 1

    def add_token(self, token: EnrolmentTokenRow) -> None:
        """Add a token of enrolment."""
        self._add(token)

    def spend_token(self, secret: str, at: str) -> bool:
        """Use a token once."""
        sql = "UPDATE enrolment SET uses = uses - 1 WHERE secret = ? AND uses > 0 AND expires > ?"
        return self._did(sql, secret, at) == 1

    def add_chain(self, chain: Chain) -> None:
        """Add an empty chain."""
        self._add(chain)

    def begin(self, chain: str, base: str) -> None:
        """Note the hash before the first event."""
        self._did("UPDATE chain SET base = ? WHERE id = ?", base, chain)

    def put_branch(self, branch: Branch) -> None:
        """Add a branch, or note how far it goes."""
        self._put(branch)

    def add_events(self, chain: str, branch: int, lines: Sequence[BatchLine]) -> None:
        """Add events, and what is looked for in them."""
        numbered = list(zip(self._numbers(len(lines)), lines, strict=True))
        events = [self._event(number, chain, branch, line) for number, line in numbered]
        told = [(number, line) for number, line in numbered if line.row is not None]
        judged = [_decision(*one, chain) for one in told if one[1].kind == "decision"]
        ended = [_outcome(*one, chain) for one in told if one[1].kind == "outcome"]
        for table, rows in (("chain_event", events), ("decision", judged), ("outcome", ended)):
            self._insert(table, rows)

    def add_problem(self, problem: ChainProblem) -> bool:
        """Note what is wrong, once."""
        return self._add_new(problem)

    def add_root(self, root: Root) -> None:
        """Add a root."""
        self._add(root)

    @abstractmethod
    def note(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Record an event in the service's own chain."""

    @abstractmethod
    def _numbers(self, wanted: int) -> Sequence[int]:
        """Return numbers for so many events, each greater than any that was given before."""

    @abstractmethod
    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows of ``COLUMNS``."""

    def _event(self, number: int, chain: str, branch: int, line: BatchLine) -> Row:
        """Return an event's row."""
        row = None if line.row is None else dumps(list(line.row))
        return (number, chain, branch, *line.fields, line.hash, row)


def _decision(number: int, line: BatchLine, chain: str) -> Row:
    return (number, chain, line.fields[5], line.fields[2], *search_words(line))


def search_words(line: BatchLine) -> list[str]:
    """Return what is looked for of a decision, from its session to its text."""
    row = line.row or ()
    said = ["" if row[at] is None else str(row[at]) for at in _AT]
    return [*said, briefly(str(row[_PARAMETERS] or ""), MOST_TEXT)]


def _outcome(number: int, line: BatchLine, chain: str) -> Row:
    return (number, chain, line.fields[5], line.fields[2], *settled_words(line))


def settled_words(line: BatchLine) -> list[Value]:
    """Return what is looked for of an outcome; a machine may say anything."""
    status, result, duration = line.row or (None, None, None)
    words = [None if one is None else str(one) for one in (status, result)]
    ms = int(duration) if isinstance(duration, int | float) and abs(duration) < _MOST_MS else 0
    return [*words, ms]
