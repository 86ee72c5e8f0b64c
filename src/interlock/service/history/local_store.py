"""The record of whoever runs the service, asked where it lies: nothing is copied."""

from __future__ import annotations

from interlock.audit.call_summary import briefly
from interlock.audit.query import row_of
from interlock.audit.source import ROW
from interlock.service.store.history_sql import MOST_MOMENTS, read
from interlock.service.store.views import (
    OWN,
    AskedCount,
    DecisionDetail,
    DecisionLine,
    DecisionQuery,
    MinuteCounts,
    RepeatedQuestion,
    SessionEvent,
    SessionLine,
    conditions,
)
from interlock.store.protocol import Storage
from interlock.store.schema import Value

_NAMES = {
    "name": "decision_id",
    "at": "timestamp",
    "session": "session_id",
    "rule": "rule_id",
    "text": "parameters",
    "ms": "duration_ms",
}
_COLUMNS = {name: _NAMES.get(name, name) for name in DecisionLine.fields}
_SEEN = ", ".join([_COLUMNS[name] for name in DecisionLine.fields[1:]])
_ASKED = "verdict = 'ask' AND timestamp >= ? AND session_id != 'interlock-doctor'"
MOST_TEXT = 1000


class LocalHistory:
    """One store; every question raises ``StoreError``."""

    def __init__(self, store: Storage) -> None:
        self._store = store

    def decisions(self, wanted: DecisionQuery) -> list[DecisionLine]:
        """Return decisions, the newest first."""
        where, values = conditions(wanted, _COLUMNS)
        sql = f"""SELECT {_SEEN} FROM guardrail_audit_log WHERE {where}
            ORDER BY timestamp DESC, decision_id DESC LIMIT ?"""  # noqa: S608 - our own words
        return [_row_to_seen(row) for row in self._store.query(sql, (*values, wanted.most))]

    def session(self, name: str) -> list[SessionEvent]:
        """Return a session's events, oldest first; its decisions, too, that are older than the
        chain.
        """
        sql = """SELECT seq, at, kind, subject, body FROM audit_event
            WHERE session = ? AND kind NOT IN ('decision', 'outcome') ORDER BY seq LIMIT ?"""
        rows = self._store.query(sql, (name, MOST_MOMENTS))
        others = [
            SessionEvent(OWN, seq, at, kind, subject, read(body))
            for seq, at, kind, subject, body in rows
        ]
        wanted = DecisionQuery(session=name, own=True, most=MOST_MOMENTS)
        judged = [
            SessionEvent(OWN, 0, one.at, "decision", one.name, {}, one)
            for one in self.decisions(wanted)[::-1]
        ]
        return sorted([*judged, *others], key=lambda one: one.at)

    def decision(self, name: str) -> DecisionDetail | None:
        """Return a decision in full."""
        sql = f"""SELECT ifnull(e.seq, 0), ifnull(e.hash, ''),
            {", ".join(f"r.{column}" for column in ROW)}
            FROM guardrail_audit_log r LEFT JOIN audit_event e
            ON e.kind = 'decision' AND e.key = r.decision_id WHERE r.decision_id = ?"""  # noqa: S608 - our own words
        found = self._store.query(sql, (name,))
        if not found:
            return None
        row = row_of(found[0][2:])
        return DecisionDetail(
            _row_to_seen([row[_COLUMNS[one]] for one in DecisionLine.fields[1:]]),
            row,
            *found[0][:2],
        )

    def find_arrived(self, after: int) -> tuple[int, list[DecisionLine]]:
        """Return the last event's number, and what came or ended since an earlier one."""
        last = int(self._store.query("SELECT ifnull(max(seq), 0) FROM audit_event")[0][0])
        if last == after:
            return last, []
        columns = ", ".join([f"r.{_COLUMNS[name]}" for name in DecisionLine.fields[1:]])
        sql = f"""SELECT DISTINCT {columns} FROM audit_event e JOIN guardrail_audit_log r
            ON r.decision_id = e.subject WHERE e.seq > ? AND e.kind IN ('decision', 'outcome')
            ORDER BY r.id DESC LIMIT 100"""  # noqa: S608 - our own words
        return last, [_row_to_seen(row) for row in self._store.query(sql, (after,))]

    def minutes(self, since: str) -> list[MinuteCounts]:
        """Return the counts of each minute from a time on, in which there was any."""
        sql = """SELECT substr(timestamp, 1, 16), count(*), sum(verdict = 'ask'),
            sum(verdict = 'deny') FROM guardrail_audit_log
            WHERE timestamp >= ? AND session_id != 'interlock-doctor' GROUP BY 1"""
        return [MinuteCounts(*row) for row in self._store.query(sql, (since,))]

    def sessions(self, since: str, most: int) -> list[SessionLine]:
        """Return the sessions since a time, the newest first."""
        sql = """SELECT session_id, max(agent), max(cwd), min(timestamp), max(timestamp), count(*),
            sum(verdict = 'ask'), sum(verdict = 'deny') FROM guardrail_audit_log
            WHERE timestamp >= ? AND session_id NOT IN ('', 'interlock-doctor')
            GROUP BY 1 ORDER BY 5 DESC LIMIT ?"""
        return [SessionLine(OWN, *row) for row in self._store.query(sql, (since, most))]

    def count_asked(self, since: str) -> list[AskedCount]:
        """Return how often each rule asked from a time on, and how often the call ran then."""
        sql = f"""SELECT ifnull(rule_id, ''), count(*), sum(ifnull(status, '') = 'ran')
            FROM guardrail_audit_log WHERE {_ASKED} GROUP BY 1"""  # noqa: S608 - our own words
        return [AskedCount(OWN, *row) for row in self._store.query(sql, (since,))]

    def asked_most(self, since: str, most: int) -> list[RepeatedQuestion]:
        """Return the calls that were asked about most often from a time on."""
        sql = f"""SELECT ifnull(rule_id, ''), action, parameters, count(*),
            sum(ifnull(status, '') = 'ran') FROM guardrail_audit_log WHERE {_ASKED}
            GROUP BY 1, 2, 3 HAVING count(*) > 1 ORDER BY 4 DESC, 1, 3 LIMIT ?"""  # noqa: S608 - our own words
        found = [RepeatedQuestion(*row) for row in self._store.query(sql, (since, most))]
        return [one.replace(text=briefly(one.text, MOST_TEXT)) for one in found]

    def proven(self, since: str) -> str:
        """Return when this guard last refused its own trial, from a time on."""
        sql = """SELECT ifnull(max(timestamp), '') FROM guardrail_audit_log WHERE verdict = 'deny'
            AND session_id = 'interlock-doctor' AND timestamp >= ?"""
        return str(self._store.query(sql, (since,))[0][0])

    def count(self) -> tuple[int, str]:
        """Return the number of the last event, and when it was written."""
        found = self._store.query("SELECT seq, at FROM audit_event ORDER BY seq DESC LIMIT 1")
        return (int(found[0][0]), str(found[0][1])) if found else (0, "")


def _row_to_seen(row: tuple[Value, ...] | list[Value]) -> DecisionLine:
    said = dict(zip(DecisionLine.fields[1:], row, strict=True))
    said["text"] = briefly(str(said["text"] or ""), MOST_TEXT)
    texts = {name: str(value or "") for name, value in said.items() if name != "ms"}
    return DecisionLine(OWN, **texts, ms=int(said["ms"] or 0))
