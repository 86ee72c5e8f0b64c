"""Requests that wait for a person: rows of the store, each change of state done once, in one step
with its event in the audit.

``pending`` -> ``granted`` (people said yes), ``refused`` (one said no) or ``expired``; ``granted``
-> ``spent`` (the call ran by it) or ``expired``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.approvals.terms import ApprovalTerms, Vote
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.store.chain import extend
from interlock.store.protocol import Connection

PENDING, GRANTED, REFUSED, EXPIRED, SPENT = "pending", "granted", "refused", "expired", "spent"
STATES = (PENDING, GRANTED, REFUSED, EXPIRED, SPENT)
KEPT_SECONDS = 30 * 86400
"""How long a request that is done with is kept; the audit keeps its events."""
MOST_EXPIRED = 200
"""Requests of other sessions that one step lets expire; more wait for the next one."""


class ApprovalRequest(Record):
    """One request. ``shown``: an ``Asked`` as plain data. ``covers``: what a grant would cover, as
    plain data; ``no_grant``: why there can be none.

    ``fleet``: what the call is on every machine, empty where a yes counts on this one alone.
    ``by``: who settled it, and ``reason`` what they said. ``created``, ``expires`` (of the answer,
    then of the call that spends it): Unix seconds.
    """

    id: str
    digest: str
    state: str
    decision: str
    session: str
    project: str
    requester: str
    agent: str
    shown: Mapping[str, Any]
    terms: ApprovalTerms
    covers: Sequence[Mapping[str, Any]]
    no_grant: str
    created: float
    expires: float
    by: str = ""
    reason: str = ""
    votes: tuple[Vote, ...] = ()
    fleet: str = ""


_COLUMNS = (
    "id, digest, state, decision_id, session_id, project, requester, agent, shown, roles, quorum,"
    " second_person, seconds, covers, no_grant, created, expires, settled_by, reason,"
    " fleet"
)


def insert(connection: Connection, request: ApprovalRequest) -> None:
    """Add a request and its event."""
    needed = request.terms
    values = (
        request.id, request.digest, request.state, request.decision, request.session,
        request.project, request.requester, request.agent,
        dumps(dict(request.shown)), dumps(list(needed.roles)), needed.quorum,
        int(needed.second_person), needed.seconds,
        dumps([dict(cover) for cover in request.covers]), request.no_grant, request.created,
        request.expires, "", "", request.fleet,
    )  # fmt: skip
    connection.execute(
        f"INSERT INTO approval ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608 - our own words
        values,
    )
    body = {
        "decision": request.decision,
        "requester": request.requester,
        "roles": list(needed.roles),
        "quorum": needed.quorum,
    }
    extend(connection, "approval-requested", request.id, body, request.session)


def select(connection: Connection, where: str, values: Sequence[Any] = ()) -> list[ApprovalRequest]:
    """Return requests, the newest first, without their votes."""
    sql = f"SELECT {_COLUMNS} FROM approval WHERE {where} ORDER BY created DESC, rowid DESC"  # noqa: S608 - our own words
    return [_of_row(row) for row in connection.execute(sql, values).fetchall()]


def _of_row(row: Sequence[Any]) -> ApprovalRequest:
    kept = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return ApprovalRequest(
        kept["id"], kept["digest"], kept["state"], kept["decision_id"], kept["session_id"],
        kept["project"], kept["requester"], kept["agent"],
        loads(kept["shown"]), ApprovalTerms(tuple(loads(kept["roles"])), kept["quorum"], bool(kept["second_person"]), kept["seconds"]),
        tuple(loads(kept["covers"])), kept["no_grant"], kept["created"], kept["expires"],
        kept["settled_by"], kept["reason"], fleet=kept["fleet"],
    )  # fmt: skip


def votes_of(connection: Connection, request: str) -> tuple[Vote, ...]:
    """Return who said yes to a request so far, in order."""
    rows = connection.execute(
        "SELECT person, roles FROM approval_vote WHERE request = ? ORDER BY at, rowid", (request,)
    ).fetchall()
    return tuple([Vote(person, frozenset(loads(roles))) for person, roles in rows])


def move(
    connection: Connection,
    request: ApprovalRequest,
    to: str,
    when: float,
    body: Mapping[str, object],
    **columns: Any,
) -> bool:
    """Change a request's state, if still as read, and record that; tell whether it was."""
    names = "".join([f", {name} = ?" for name in columns])
    done = connection.execute(
        f"UPDATE approval SET state = ?, changed = ?{names} WHERE id = ? AND state = ?",  # noqa: S608 - our own words
        (to, when, *columns.values(), request.id, request.state),
    )
    if done.rowcount != 1:
        return False
    extend(
        connection,
        f"approval-{to}",
        request.id,
        {"decision": request.decision, **body},
        request.session,
    )
    return True


def expire(connection: Connection, now: float, session: str = "") -> bool:
    """Let what was not answered, or not spent, in time go: all of one session, and so many of
    others; tell whether there may be more.
    """
    late = "state IN ('pending', 'granted') AND expires <= ? AND session_id"
    others = select(connection, f"{late} != ?", (now, session))[:MOST_EXPIRED]
    for request in (*select(connection, f"{late} = ?", (now, session)), *others):
        move(connection, request, EXPIRED, now, {"was": request.state})
    return len(others) == MOST_EXPIRED


def forget(connection: Connection, now: float) -> None:
    """Remove what was done with long ago; the audit keeps its events."""
    old = "SELECT id FROM approval WHERE state NOT IN ('pending', 'granted') AND created < ?"
    connection.execute(f"DELETE FROM approval_vote WHERE request IN ({old})", (now - KEPT_SECONDS,))  # noqa: S608 - our own words
    connection.execute(
        "DELETE FROM approval WHERE state NOT IN ('pending', 'granted') AND created < ?",
        (now - KEPT_SECONDS,),
    )
    connection.execute("DELETE FROM approval_grant WHERE expires < ?", (now - KEPT_SECONDS,))
    connection.execute("DELETE FROM agent_process WHERE since < ?", (now - 12 * KEPT_SECONDS,))
