"""Questions to the audit: the last decisions, by session, verdict, rule and time."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.store.schema import AUDIT_COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.store.database import Store
    from interlock.store.schema import Value

COLUMNS = ("id", "created_at", *AUDIT_COLUMNS)


class Filter(Record):
    """Which decisions. ``rule``: any finding's rule, not the deciding one alone. ``since``: the start of an ISO time in UTC (``2026-01-31``)."""

    session: str = ""
    verdict: str = ""
    rule: str = ""
    since: str = ""
    limit: int = 20


def last(store: Store, wanted: Filter = Filter()) -> list[dict[str, Value]]:  # noqa: B008 - a filter is immutable
    """Return the newest decisions first, as rows by column name; raises ``StoreError``."""
    conditions: list[str] = []
    values: list[Value] = []
    for condition, value in (
        ("session_id = ?", wanted.session),
        ("verdict = ?", wanted.verdict),
        ("timestamp >= ?", wanted.since),
        ("instr(findings, ?)", f'{{"rule":"{wanted.rule}"' if wanted.rule else ""),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    sql = f"SELECT {', '.join(COLUMNS)} FROM guardrail_audit_log {where} ORDER BY id DESC LIMIT ?"  # noqa: S608 - our own words; values are bound
    return [dict(zip(COLUMNS, row, strict=True)) for row in store.query(sql, (*values, wanted.limit))]
