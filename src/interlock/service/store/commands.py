"""What is written to the service's tables, in SQLite's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.audit.call_summary import briefly
from interlock.model.jsontext import dumps
from interlock.service.store.hooks_sqlite import HookCommands
from interlock.service.store.people_sqlite import PeopleCommands
from interlock.service.store.queries import SqliteQueries
from interlock.service.store.requests_sqlite import RequestCommands
from interlock.service.store.rows import (
    Branch,
    Chain,
    ChainProblem,
    Check,
    EnrolmentTokenRow,
    Machine,
    Root,
)
from interlock.service.store.stops_sqlite import StopCommands
from interlock.store.chain import extend
from interlock.store.schema import Value
from interlock.wire.batch import KEPT, BatchLine

_ADD_EVENT = f"INSERT INTO chain_event VALUES ({', '.join('?' * 12)})"
_ADD_DECISION = f"INSERT INTO decision VALUES ({', '.join('?' * 12)})"
_ADD_OUTCOME = "INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?, ?)"
_WORDS = "session_id action verdict strictest rule_id cwd agent".split()
_AT = [KEPT.index(name) for name in _WORDS]
_PARAMETERS = KEPT.index("parameters")
MOST_TEXT = 1000
"""Characters of a call that are searched."""


class SqliteCommands(SqliteQueries, PeopleCommands, StopCommands, RequestCommands, HookCommands):
    """The steps of ``protocol.Writing``, within one transaction."""

    def _do(self, sql: str, *values: Value) -> int:
        return self._connection.execute(sql, values).rowcount

    def set(self, name: str, value: str) -> None:
        """Keep a setting."""
        self._do("INSERT OR REPLACE INTO setting VALUES (?, ?)", name, value)

    def add_machine(self, machine: Machine) -> None:
        """Add a machine."""
        self._add("machine", machine)

    def note_contact(self, machine: str, at: str, head: int) -> None:
        """Note that a machine said something."""
        self._do("UPDATE machine SET seen = ?, head = ? WHERE id = ?", at, head, machine)

    def put_check(self, check: Check) -> None:
        """Keep what a machine says of its guard."""
        values = [getattr(check, name) for name in Check.fields]
        self._do("INSERT OR REPLACE INTO machine_check VALUES (?, ?, ?, ?)", *values)

    def retire(self, machine: str, at: str) -> bool:
        """Have a credential count no more."""
        sql = "UPDATE machine SET retired = ? WHERE id = ? AND retired = ''"
        return self._do(sql, at, machine) == 1

    def add_token(self, token: EnrolmentTokenRow) -> None:
        """Add a token of enrolment."""
        self._put("INSERT", token)

    def spend_token(self, secret: str, at: str) -> bool:
        """Use a token once."""
        sql = "UPDATE enrolment SET uses = uses - 1 WHERE secret = ? AND uses > 0 AND expires > ?"
        return self._do(sql, secret, at) == 1

    def add_chain(self, chain: Chain) -> None:
        """Add an empty chain."""
        self._add("chain", chain)

    def begin(self, chain: str, base: str) -> None:
        """Note the hash before the first event."""
        self._do("UPDATE chain SET base = ? WHERE id = ?", base, chain)

    def put_branch(self, branch: Branch) -> None:
        """Add a branch, or note how far it goes."""
        values = [getattr(branch, name) for name in Branch.fields]
        self._do("INSERT OR REPLACE INTO branch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

    def add_events(self, chain: str, branch: int, lines: Sequence[BatchLine], at: str) -> None:
        """Add events, and what is looked for in them."""
        del at
        found = self._one("SELECT ifnull(max(id), 0) FROM chain_event")
        first = int(str(found[0] if found else 0)) + 1
        numbered = list(enumerate(lines, first))
        many = self._connection.executemany
        many(_ADD_EVENT, [_event(number, chain, branch, line) for number, line in numbered])
        many(
            _ADD_DECISION,
            [
                _decision(number, chain, line)
                for number, line in numbered
                if line.kind == "decision" and line.row is not None
            ],
        )
        many(
            _ADD_OUTCOME,
            [
                (number, chain, line.fields[5], line.fields[2], *line.row)
                for number, line in numbered
                if line.kind == "outcome" and line.row is not None
            ],
        )

    def add_problem(self, problem: ChainProblem) -> bool:
        """Note what is wrong, once."""
        values = [getattr(problem, name) for name in ChainProblem.fields]
        return self._do("INSERT OR IGNORE INTO problem VALUES (?, ?, ?, ?, ?, ?)", *values) == 1

    def add_root(self, root: Root) -> None:
        """Add a root."""
        self._add("root", root)

    def note(self, kind: str, subject: str, body: Mapping[str, object]) -> None:
        """Record an event in the service's own chain."""
        extend(self._connection, kind, subject, body)

    def _add(self, table: str, row: Machine | Chain | Root) -> None:
        fields = type(row).fields
        names = ", ".join(fields)
        marks = ", ".join("?" * len(fields))
        values = [getattr(row, name) for name in fields]
        self._do(f"INSERT INTO {table} ({names}) VALUES ({marks})", *values)


def _event(number: int, chain: str, branch: int, line: BatchLine) -> tuple[Value, ...]:
    row = None if line.row is None else dumps(list(line.row))
    return (number, chain, branch, *line.fields, line.hash, row)


def _decision(number: int, chain: str, line: BatchLine) -> tuple[Value, ...]:
    row = line.row or ()
    said = ["" if row[at] is None else str(row[at]) for at in _AT]
    text = briefly(str(row[_PARAMETERS] or ""), MOST_TEXT)
    return (number, chain, line.fields[5], line.fields[2], *said, text)
