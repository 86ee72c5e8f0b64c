"""Old records go, from the beginning of the chain only, and the chain stays one: the last record
that went is its signed base from then on.
"""

from __future__ import annotations

from interlock.audit.anchor import sign
from interlock.audit.source import StoreChain, body
from interlock.store.chain import extend, head
from interlock.store.protocol import Connection, Storage
from interlock.store.secret import AUDIT, key

AT_ONCE = 2000
"""Records that go in one transaction, so that no hook waits long."""
_FIRST_KEPT = "SELECT min(seq) FROM audit_event WHERE at >= ? AND seq <= ?"
_LAST_TO_GO = (
    "SELECT seq, hash FROM audit_event WHERE seq < ? AND seq <= (SELECT min(seq) FROM audit_event)"
    " + ? ORDER BY seq DESC LIMIT 1"
)
_ROWS = (
    "SELECT ifnull(max(r.id), 0) FROM audit_event e JOIN guardrail_audit_log r ON r.decision_id ="
    " e.subject WHERE e.kind = 'decision' AND e.seq <= ?"
)
_BEGUN = "SELECT body FROM audit_event WHERE seq = 1"


def prune(store: Storage, before: str, through: int | None = None) -> tuple[int, int]:
    """Take away the records from before a time (``2026-01-31T23:59:59.123Z``), and none past the
    event ``through``, where one is named; return how many events and how many judgements went.

    Records go as long as each is older, so one that came late out of the spool keeps those behind
    it. What is written meanwhile stays, whatever the time: each step records that it was done, and
    would otherwise be the next one's to take away. Raises ``StoreError``.
    """
    signing = key(store.folder, AUDIT)
    last = store.view(head)[0]
    last = last if through is None else min(last, through)
    events = rows = 0
    while True:
        went = store.transact(lambda connection: _prune(connection, before, last, signing))
        if went is None:
            return events, rows
        events, rows = events + went[0], rows + went[1]


def _prune(
    connection: Connection, before: str, last: int, signing: bytes
) -> tuple[int, int] | None:
    (kept,) = connection.execute(_FIRST_KEPT, (before, last)).fetchone()
    found = connection.execute(
        _LAST_TO_GO, (last + 1 if kept is None else kept, AT_ONCE)
    ).fetchone()
    if found is None:
        return None
    through, hashed = found
    row = max(connection.execute(_ROWS, (through,)).fetchone()[0], _find_last_gone(connection))
    said = {"before": before, "hash": hashed, "row": row, "through": through}
    # first: it follows from the last
    extend(
        connection,
        "retention",
        "",
        {**said, "signature": sign(signing, "retention", through, hashed, row)},
    )
    rows = connection.execute("DELETE FROM guardrail_audit_log WHERE id <= ?", (row,)).rowcount
    events = connection.execute("DELETE FROM audit_event WHERE seq <= ?", (through,)).rowcount
    return events, rows


def _find_last_gone(connection: Connection) -> int:
    """Return the last row that went before, or is older than the chain whose first event goes."""
    first = connection.execute(_BEGUN).fetchone()
    said = body(first[0]) if first else StoreChain(connection).retention() or {}
    found = said.get("through" if first else "row", 0)
    return found if isinstance(found, int) else 0
