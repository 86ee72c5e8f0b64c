"""What was decided on machines that send their record, in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.model.jsontext import loads, object_of
from interlock.service.store.statements import Statements, marks
from interlock.service.store.views import (
    DecisionDetail,
    DecisionLine,
    DecisionQuery,
    MinuteCounts,
    SessionEvent,
    SessionLine,
    conditions,
)
from interlock.store.schema import SETTLED_COLUMNS, Value
from interlock.wire.batch import KEPT

_LAST = """(SELECT {} FROM outcome o WHERE o.chain = d.chain AND o.name = d.name
    ORDER BY o.id DESC LIMIT 1)"""
_SEEN = ", ".join(
    [
        *[f"d.{one}" for one in DecisionLine.fields[:-2]],
        f"coalesce({_LAST.format('status')}, '')",
        f"CAST(coalesce({_LAST.format('duration_ms')}, 0) AS BIGINT)",  # a machine may say anything
    ]
).replace("d.source", "d.chain")
_ASKED, _DENIED = [f"sum(CASE WHEN verdict = '{one}' THEN 1 ELSE 0 END)" for one in ("ask", "deny")]
_COLUMNS = {name: f"d.{name}" for name in DecisionLine.fields}
MOST_MOMENTS = 2000
AT_ONCE = 400
"""Values that one statement takes."""


class HistoryQueries(Statements):
    """The questions of the console, within one transaction."""

    def decisions(self, wanted: DecisionQuery) -> list[DecisionLine]:
        """Return decisions, the newest first."""
        where, values = conditions(wanted, _COLUMNS)
        if wanted.sources is not None:
            where += f" AND d.chain IN ({marks(len(wanted.sources))})"
            values += wanted.sources
        if wanted.beyond:
            where += " AND d.id > ?"
            values.append(wanted.beyond)
        sql = f"""SELECT {_SEEN} FROM decision d WHERE {where}
            ORDER BY d.at DESC, d.name DESC LIMIT ?"""
        return [DecisionLine(*row) for row in self._all(sql, *values, wanted.most)]

    def lines(self, numbers: Sequence[int]) -> list[DecisionLine]:
        """Return decisions by their numbers, in any order."""
        sql = f"SELECT {_SEEN} FROM decision d WHERE d.id IN ({marks(len(numbers))})"
        return [DecisionLine(*row) for row in self._all(sql, *numbers)]

    def last_judged(self, before: str) -> int:
        """Return the number of the newest decision that was judged before a time, 0 for none."""
        sql = "SELECT d.id FROM decision d WHERE d.at < ? ORDER BY d.at DESC LIMIT 1"
        found = self._one(sql, before)
        return int(found[0]) if found else 0

    def session(self, chain: str, name: str) -> list[SessionEvent]:
        """Return a session's events, oldest first."""
        sql = """SELECT id, seq, at, kind, subject, body FROM chain_event
            WHERE session = ? AND chain = ? AND kind != 'outcome' ORDER BY id LIMIT ?"""
        rows = self._all(sql, name, chain, MOST_MOMENTS)
        wanted = DecisionQuery(session=name, sources=(chain,), own=True, most=MOST_MOMENTS)
        known = {one.name: one for one in self.decisions(wanted)}
        return [
            SessionEvent(chain, seq, at, kind, subject, read(body), find_seen(known, kind, subject))
            for _, seq, at, kind, subject, body in rows
        ]

    def decision(self, chain: str, name: str) -> DecisionDetail | None:
        """Return a decision in full."""
        sql = f"""SELECT e.seq, e.hash, e.row, {_SEEN} FROM decision d
            JOIN chain_event e ON e.id = d.id WHERE d.chain = ? AND d.name = ?"""
        found = self._one(sql, chain, name)
        if found is None or found[2] is None:
            return None
        row = dict(zip(KEPT, loads(found[2]), strict=False))
        last = self.settled(chain, [name]).get(name, (None, None, None))
        row.update(zip(SETTLED_COLUMNS, last, strict=True))
        return DecisionDetail(DecisionLine(*found[3:]), row, found[0], found[1])

    def settled(self, chain: str, names: Sequence[str]) -> dict[str, tuple[Value, ...]]:
        """Return what became of decisions, as it was sent: ``outcome`` has what is looked for."""
        found: dict[str, tuple[Value, ...]] = {}
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            sql = f"""SELECT o.name, e.row FROM outcome o JOIN chain_event e ON e.id = o.id
                WHERE o.chain = ? AND o.name IN ({marks(len(some))}) ORDER BY o.id"""
            found.update(
                {str(name): tuple(loads(row)) for name, row in self._all(sql, chain, *some)}
            )
        return found

    def find_arrived(self, after: int) -> tuple[int, list[DecisionLine]]:
        """Return the newest number, and the decisions that came or ended since an earlier one."""
        newest = "SELECT max(id) AS id FROM decision UNION ALL SELECT max(id) FROM outcome"
        last = int(self._value(f"SELECT coalesce(max(id), 0) FROM ({newest}) newest"))
        if last == after:
            return last, []
        ids = """SELECT d.id FROM decision d WHERE d.id > ?1 UNION SELECT d.id FROM outcome n
            JOIN decision d ON d.chain = n.chain AND d.name = n.name WHERE n.id > ?1"""
        sql = f"SELECT {_SEEN} FROM decision d WHERE d.id IN ({ids}) ORDER BY d.id DESC LIMIT 100"
        return last, [DecisionLine(*row) for row in self._all(sql, after)]

    def minutes(self, since: str, without: str) -> list[MinuteCounts]:
        """Return the counts of each minute from a time on, in which there was any; of all chains
        but one.
        """
        sql = f"""SELECT substr(at, 1, 16), count(*), {_ASKED}, {_DENIED}
            FROM decision WHERE at >= ? AND chain != ? AND session != 'interlock-doctor'
            GROUP BY 1"""
        return [MinuteCounts(*row) for row in self._all(sql, since, without)]

    def sessions(self, since: str, most: int) -> list[SessionLine]:
        """Return the sessions of which something was decided since a time, the newest first."""
        sql = f"""SELECT chain, session, max(agent), max(cwd), min(at), max(at), count(*),
            {_ASKED}, {_DENIED} FROM decision
            WHERE at >= ? AND session NOT IN ('', 'interlock-doctor')
            GROUP BY chain, session ORDER BY 6 DESC LIMIT ?"""
        return [SessionLine(*row) for row in self._all(sql, since, most)]

    def proven(self, chain: str, since: str) -> str:
        """Return when the guard of a chain's machine last refused the trial of ``interlock
        doctor``, from a time on; empty where it did not.
        """
        sql = """SELECT coalesce(max(at), '') FROM decision WHERE chain = ? AND verdict = 'deny'
            AND session = 'interlock-doctor' AND at >= ?"""
        return str(self._value(sql, chain, since))

    def noted(self, kinds: Sequence[str], most: int) -> list[SessionEvent]:
        """Return events of the service's own chain, the newest first."""
        sql = f"""SELECT seq, at, kind, subject, body FROM audit_event
            WHERE kind IN ({marks(len(kinds))}) ORDER BY seq DESC LIMIT ?"""
        return [
            SessionEvent("", seq, at, kind, subject, read(body))
            for seq, at, kind, subject, body in self._all(sql, *kinds, most)
        ]


def find_seen(known: Mapping[str, DecisionLine], kind: str, subject: str) -> DecisionLine | None:
    """Return the decision that an event is, None where it only tells of one."""
    return known.get(subject) if kind == "decision" else None


def read(body: str) -> dict[str, object]:
    """Return an event's body; empty where that is not readable."""
    return object_of(body)
