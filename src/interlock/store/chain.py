"""The chain: every event of the audit, each holding the hash of the one before it, written in the
transaction of what it tells of.

An event is ``(seq, key, at, kind, session, subject, body, hash)``. ``hash`` is taken over the hash
before it and all its other fields, so a change, a removal, an insertion or another order shows from
there on. A judgement's row and what became of its call stay in ``guardrail_audit_log``; their
events hold the digest of what that row held. ``key`` names an event for ever, so a write done twice
(a spool taken in after a crash) is one event.

The hashes are not keyed: who may read an export may check it without a secret, and a key that lies
beside the file would keep nobody out who can change the file. What proves more is a head that was
anchored outside (``interlock audit anchor``).

Bodies are kept as they are given: what may hold a secret goes through the audit's redactor first
(``Audit.event``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import gmtime, strftime, time_ns

from interlock.model.blake import blake2b
from interlock.model.jsontext import dumps
from interlock.store.protocol import Connection
from interlock.store.schema import AUDIT_COLUMNS, SETTLED_COLUMNS, Value, Write

if sys.platform == "win32":
    from nt import urandom
else:
    from posix import urandom


GENESIS = "0" * 64
"""What stands for the hash before the first event."""
FIELDS = ("seq", "key", "at", "kind", "session", "subject", "body", "hash")

_HEAD = "SELECT seq, hash FROM audit_event ORDER BY seq DESC LIMIT 1"
_NOTED = "SELECT seq FROM sqlite_sequence WHERE name = 'audit_event'"
_EVENT = (
    "INSERT INTO audit_event (seq, key, at, kind, session, subject, body, hash) VALUES (?, ?, ?, ?,"
    " ?, ?, ?, ?)"
)
_DONE = "SELECT 1 FROM audit_event WHERE key = ? AND kind != 'decision'"
_DECISION = f"""INSERT INTO guardrail_audit_log (created_at, {", ".join(AUDIT_COLUMNS)}) VALUES (?,
    {", ".join("?" * len(AUDIT_COLUMNS))})
    ON CONFLICT (decision_id) DO NOTHING"""  # noqa: S608 - our own words
_JUDGED = "SELECT id, decision_id, timestamp FROM guardrail_audit_log WHERE session_id = ? AND "
_BY_ID, _ALIKE = "call_id = ?", "call_id = '' AND action = ? AND parameters = ?"
_OPEN, _DENIED = (
    " AND status IS NULL ORDER BY id LIMIT 1",
    " AND status = 'refused' ORDER BY id DESC LIMIT 1",
)
_OUTCOME = "UPDATE guardrail_audit_log SET status = ?, result = ?, duration_ms = ? WHERE id = ?"
_BETWEEN = "SELECT max(0, CAST(round((julianday(?) - julianday(?)) * 86400000) AS INTEGER))"
_AT = {
    name: AUDIT_COLUMNS.index(name) for name in ("timestamp", "session_id", "decision_id", "status")
}
_KEPT = tuple([at for at, name in enumerate(AUDIT_COLUMNS) if name not in SETTLED_COLUMNS])


def now() -> str:
    """Return the time in UTC, to the millisecond, as it sorts: ``2026-01-31T23:59:59.123Z``."""
    nanoseconds = time_ns()
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(nanoseconds // 10**9))}.{nanoseconds // 10**6 % 1000:03d}Z"


def event(kind: str, subject: str, body: Mapping[str, object], session: str = "") -> Write:
    """Return the write that records an event; ``body`` is plain data, free of secrets."""
    return "event", (
        f"e-{urandom(8).hex()}",
        now(),
        kind,
        session,
        subject,
        dumps(dict(body), sort_keys=True),
    )


def extend(
    connection: Connection, kind: str, subject: str, body: Mapping[str, object], session: str = ""
) -> None:
    """Record an event within a step that ``Store.transact`` does; as ``event``."""
    _append(connection, event(kind, subject, body, session)[1])


def digest(values: Iterable[object]) -> str:
    """Return the hash of a row of values: 256 bits in hex."""
    return blake2b(canonical(values), digest_size=32).hexdigest()


def canonical(values: Iterable[object]) -> bytes:
    """Return what is hashed or signed: each value's text with its length before it, so that no two
    rows read the same.
    """
    return "".join(
        ["-" if value is None else f"{len(text := str(value))}:{text}" for value in values]
    ).encode("utf-8", "surrogatepass")


def link(previous: str, fields: Iterable[Value]) -> str:
    """Return the hash of an event: ``previous`` is that of the event before it, ``fields`` are its
    own, from ``seq`` to ``body``.
    """
    return digest((previous, *fields))


def of_row(number: Value, created_at: Value, values: Sequence[Value]) -> str:
    """Return the digest of a judgement's row: its number, its time and all ``AUDIT_COLUMNS`` but
    those that its outcome fills.

    Nulls at the end do not count, so that a column that is added later changes no digest.
    """
    return of_kept((number, created_at, *[values[at] for at in _KEPT]))


def of_kept(row: Sequence[Value]) -> str:
    """Return the digest of a judgement's row without what its outcome fills; as ``of_row``."""
    end = len(row)
    while end > 2 and row[end - 1] is None:
        end -= 1
    return digest(row[:end])


# -- the steps that writes are made of -------------------------------------------------------------


def head(connection: Connection) -> tuple[int, str]:
    """Return number and hash of the last event."""
    found: tuple[int, str] | None = connection.execute(_HEAD).fetchone()
    return found or (0, GENESIS)


def greatest_number(connection: Connection) -> int:
    """Return the greatest number that was ever given to an event, as the database notes it by
    itself (``AUTOINCREMENT``).
    """
    found = connection.execute(_NOTED).fetchone()
    return found[0] if found and isinstance(found[0], int) else 0


def _add(connection: Connection, values: Sequence[Value]) -> None:
    """Values: key, time, kind, session, subject, body."""
    if not connection.execute(_DONE, values[:1]).fetchone():
        _append(connection, values)


def _append(connection: Connection, values: Sequence[Value]) -> None:
    """Append an event known as new. A tail that was cut off stays a gap in the numbers."""
    last, previous = head(connection)
    fields = (max(last, greatest_number(connection)) + 1, *values)
    connection.execute(_EVENT, (*fields, link(previous, fields)))


def _insert_decision(connection: Connection, values: Sequence[Value]) -> None:
    """Values: ``AUDIT_COLUMNS``; a line of an older version's spool lacks the last ones."""
    values = (*values, *[None] * (len(AUDIT_COLUMNS) - len(values)))
    created = strftime("%Y-%m-%d %H:%M:%S", gmtime())
    done = connection.execute(_DECISION, (created, *values))
    if done.rowcount != 1:
        return
    body = dumps(
        {
            "digest": of_row(done.lastrowid, created, values),
            "row": done.lastrowid,
            "status": values[_AT["status"]],
        }
    )
    name = values[_AT["decision_id"]]
    _append(
        connection,
        (name, values[_AT["timestamp"]], "decision", values[_AT["session_id"]], name, body),
    )


def _outcome(connection: Connection, values: Sequence[Value]) -> None:
    """Values: status, result, duration, session, call's id, then the event's key and time."""
    _set_outcome(connection, values[:4], (_BY_ID, values[3:5]), values[5:])


def _outcome_of_like(connection: Connection, values: Sequence[Value]) -> None:
    """Values: status, result, duration, session, action, parameters, then the event's key and time;
    for clients that give a call no id.
    """
    _set_outcome(connection, values[:4], (_ALIKE, values[3:6]), values[6:])


def _set_outcome(
    connection: Connection,
    said: Sequence[Value],
    search: tuple[str, Sequence[Value]],
    named: Sequence[Value],
) -> None:
    """Set what became of a call on the row of its judgement. Of a call that was never judged the
    event alone tells, and in full.

    A call that ran although it was denied says so on that row: it is not for a record to say that
    what was denied did not happen.

    Where the client does not say how long it took, it is the time since the judgement, in which a
    person may have been asked. A line of version 2's spool has no ``named``: what it says is its
    name then.
    """
    status, result, duration, session = said
    clause, by = search
    key, at = named or (digest((*said, *by)), now())
    if connection.execute(_DONE, (key,)).fetchone():
        return
    found = connection.execute(_JUDGED + clause + _OPEN, by).fetchone()
    if found is None and status in ("ran", "refused"):
        found = connection.execute(_JUDGED + clause + _DENIED, by).fetchone()
    body: dict[str, object] = {"status": status, "duration_ms": duration}
    if found is None:
        _append(
            connection,
            (
                key,
                at,
                "outcome",
                session,
                "",
                dumps({**body, "call": list(by[1:]), "result": result}, sort_keys=True),
            ),
        )
        return
    row, name, judged = found
    if not duration:
        duration = connection.execute(_BETWEEN, (at, judged)).fetchone()[0] or 0
        body = {"status": status, "duration_ms": duration, "measured": True}
    connection.execute(_OUTCOME, (status, result, duration, row))
    body = {**body, "digest": digest((status, result, duration)), "row": row}
    _append(connection, (key, at, "outcome", session, name, dumps(body, sort_keys=True)))


STEPS: dict[str, Callable[[Connection, Sequence[Value]], None]] = {
    "decision": _insert_decision,
    "outcome": _outcome,
    "outcome-of-like": _outcome_of_like,
    "event": _add,
}
"""The writes that are more than one statement of ``schema.WRITES``, by name."""
