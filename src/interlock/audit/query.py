"""Questions to the audit: the last decisions, by session, verdict, rule and time; one decision by
its name; what came since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.audit.source import ROW, ChainEvent, StoreChain, body
from interlock.model.call import PROVING
from interlock.model.record import Record
from interlock.store.chain import FIELDS, of_row
from interlock.store.protocol import Storage
from interlock.store.schema import Value

STOPS = ("stop", "resume", "limit-pause", "limit-resume")
"""Events by which somebody, or a limit, had calls run no more, or run again."""
WARNED = "warn"
"""Allowed with a warning, where verdicts are asked for."""
_SELECT = f"SELECT {', '.join(ROW)} FROM guardrail_audit_log"  # noqa: S608 - our own words


class Filter(Record):
    """Which decisions. ``rule``: any finding's rule, not the deciding one alone. ``since``: the
    start of an ISO time in UTC (``2026-01-31``). ``trials``: the doctor's own too, which are left
    out unless their session is named.
    """

    session: str = ""
    verdict: str = ""
    rule: str = ""
    since: str = ""
    limit: int = 20
    trials: bool = False

    @property
    def apart(self) -> str:
        """Return the session that is left out, or ``""``."""
        return "" if self.trials or self.session else PROVING


class Counts(Record):
    """How many calls were judged, how many of the agent's own questions were answered, how many
    calls were asked about, and how many refused.
    """

    calls: int = 0
    answered: int = 0
    asked: int = 0
    refused: int = 0


def last(store: Storage, wanted: Filter = Filter()) -> list[dict[str, Value]]:  # noqa: B008 - a filter is immutable
    """Return the newest decisions first, as rows by column name; raises ``StoreError``."""
    conditions: list[str] = []
    values: list[Value] = []
    for condition, value in (
        ("session_id = ?", wanted.session),
        ("verdict = ?", "allow" if wanted.verdict == WARNED else wanted.verdict),
        ("strictest = ?", WARNED if wanted.verdict == WARNED else ""),
        ("timestamp >= ?", wanted.since),
        ("session_id != ?", wanted.apart),
        ("instr(findings, ?)", f'{{"rule":"{wanted.rule}"' if wanted.rule else ""),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return [
        row_of(row)
        for row in store.query(
            f"{_SELECT} {where} ORDER BY id DESC LIMIT ?", (*values, wanted.limit)
        )
    ]


def count_calls(store: Storage, session: str = "", since: str = "") -> Counts:
    """Return how many calls there were, of a session or of all, from a time on; raises
    ``StoreError``.
    """
    sql = """SELECT count(*), coalesce(sum(proof = 'approved'), 0), coalesce(sum(verdict = 'ask'),
        0), coalesce(sum(verdict = 'deny'), 0)
        FROM guardrail_audit_log WHERE (session_id = ?1 OR ?1 = '' AND session_id != ?3)
        AND timestamp >= ?2"""
    [row] = store.query(sql, (session, since, PROVING))
    return Counts(*[int(number) for number in row])


def count_proven(store: Storage, since: str) -> int:
    """Return how many calls from a time on were proven harmless; raises ``StoreError``."""
    return int(
        store.query(
            "SELECT count(*) FROM guardrail_audit_log WHERE proof IN ('proven', 'approved') AND"
            " timestamp >= ? AND session_id != ?",
            (since, PROVING),
        )[0][0]
    )


def stops(
    store: Storage, wanted: Filter, oldest: Mapping[str, Value] | None = None
) -> list[ChainEvent]:
    """Return the newest stops and what lifted them, the newest first; raises ``StoreError``.
    ``oldest``: a decision before which none is wanted.
    """
    if wanted.verdict or wanted.rule:
        return []
    found = verify_row(store, oldest) if oldest is not None else None
    sql = f"""SELECT {", ".join(FIELDS)} FROM audit_event WHERE kind IN
        ({", ".join("?" * len(STOPS))}) AND seq > ? AND at >= ?
        AND (kind != 'limit-resume' OR json_extract(body, '$.freed') > 0)
        AND (? IN ('', session) OR EXISTS (SELECT 1 FROM json_each(body, '$.sessions') WHERE value
        = ?))
        ORDER BY seq DESC LIMIT ?"""  # noqa: S608 - our own words
    values = (
        *STOPS,
        found[0] if found is not None else -1,
        wanted.since,
        wanted.session,
        wanted.session,
        wanted.limit,
    )
    return [ChainEvent(tuple(row[:-1]), row[-1]) for row in store.query(sql, values)]


def concerns(event: ChainEvent, session: str) -> bool:
    """Tell whether an event is about a session, perhaps among others; any is if none is named."""
    return session in ("", event.values[4]) or session in event.body.get("sessions", ())


def row_of(values: Sequence[Value]) -> dict[str, Value]:
    """Return a row's values by the names of its columns."""
    return dict(zip(ROW, values, strict=True))


def fits(row: Mapping[str, Value], wanted: Filter) -> bool:
    """Tell whether a decision is one of those wanted, number apart."""
    rule = f'{{"rule":"{wanted.rule}"' if wanted.rule else ""
    return (
        wanted.session in ("", row["session_id"])
        and row["session_id"] != (wanted.apart or None)
        and wanted.verdict in ("", row["verdict"], WARNED if _is_warning(row) else "")
        and str(row["timestamp"]) >= wanted.since
        and rule in str(row["findings"])
    )


def _is_warning(row: Mapping[str, Value]) -> bool:
    return row["verdict"] == "allow" and row["strictest"] == WARNED


def find_decisions(store: Storage, start: str) -> list[dict[str, Value]]:
    """Return the decisions, two at most, whose name begins so; raises ``StoreError``."""
    end = start[:-1] + chr(ord(start[-1]) + 1)
    return [
        row_of(row)
        for row in store.query(
            f"{_SELECT} WHERE decision_id >= ? AND decision_id < ? ORDER BY id LIMIT 2",
            (start, end),
        )
    ]


def since(store: Storage, seq: int) -> list[ChainEvent]:
    """Return the events past a number, oldest first; raises ``StoreError``."""
    return store.view(lambda connection: list(StoreChain(connection).events(seq)))


def newest(store: Storage) -> int:
    """Return the number of the last event; raises ``StoreError``."""
    return int(store.query("SELECT ifnull(max(seq), 0) FROM audit_event")[0][0])


def verify_row(store: Storage, row: Mapping[str, Value]) -> tuple[int, bool] | None:
    """Return the number of the event that tells of a decision, and whether the row is as it was
    then; None where no event tells of it.
    """
    found = store.query(
        "SELECT seq, body FROM audit_event WHERE key = ? AND kind = 'decision'",
        (row["decision_id"],),
    )
    if not found:
        return None
    values = [row[name] for name in ROW]
    return found[0][0], body(found[0][1]).get("digest") == of_row(values[0], values[1], values[2:])
