"""Which sessions belong to a scope, whose processes they are, where they work: from the store."""

from __future__ import annotations

import json

from interlock.facts import processes
from interlock.model.record import Record
from interlock.stop.flags import ALL
from interlock.store.protocol import Storage

RECENT = 500
"""Sessions that are looked at, the last ones."""


class AgentSession(Record):
    """One session: its workspace, the agents of it that run here (number and ticks), and other
    sessions that these serve, too.
    """

    id: str
    roots: tuple[str, ...] = ()
    agents: tuple[tuple[int, int], ...] = ()
    beside: tuple[str, ...] = ()


def sessions_of(store: Storage, scope: str) -> list[AgentSession]:
    """Return the sessions of a scope that are known; raises ``StoreError``. A sub-agent has no
    processes that could be told from its session's.
    """
    kind, _, name = scope.partition(":")
    rows = store.query("SELECT id, roots FROM session ORDER BY started DESC LIMIT ?", (RECENT,))
    known = {session: tuple(json.loads(roots)) for session, roots in rows}
    recorded = store.query(
        "SELECT pid, ticks, boot, session_id FROM agent_process ORDER BY since DESC LIMIT ?",
        (RECENT,),
    )
    for *_, session in recorded:
        known.setdefault(session, ())
    if kind == "session":
        known = {session: roots for session, roots in known.items() if session == name}
    elif kind == "project":
        known = {
            session: roots
            for session, roots in known.items()
            if any(root == name or root.startswith(name.rstrip("/") + "/") for root in roots)
        }
    elif scope != ALL:
        known = {
            session: roots
            for session, roots in known.items()
            if session in _find_sessions(store, kind, name)
        }
    return [_session(recorded, session, roots) for session, roots in known.items()]


def call_of(store: Storage, decision: str) -> tuple[str, str]:
    """Return the session of a decision and the client's id of its call; ``""`` for what is not
    known. Raises ``StoreError``.
    """
    rows = store.query(
        "SELECT session_id, call_id FROM guardrail_audit_log WHERE decision_id = ?", (decision,)
    )
    return (str(rows[0][0]), str(rows[0][1])) if rows else ("", "")


def _find_sessions(store: Storage, kind: str, name: str) -> set[str]:
    """Return the sessions whose calls named this client, tenant or user."""
    asked = (
        "agent = ?"
        if kind == "agent"
        else (
            f"json_extract(call, '$.{kind}') = ?" if kind in ("tenant", "user") else "0 AND ? != ''"
        )
    )
    return {
        row[0]
        for row in store.query(
            f"SELECT DISTINCT session_id FROM guardrail_audit_log WHERE {asked}",  # noqa: S608 - our own words
            (name,),
        )
    }


def _session(
    recorded: list[tuple[int, int, str, str]], session: str, roots: tuple[str, ...]
) -> AgentSession:
    here = processes.boot()
    found = [(pid, ticks) for pid, ticks, boot, of in recorded if of == session and boot == here]
    alive = tuple(
        [
            (pid, ticks)
            for pid, ticks in found
            if (process := processes.running(pid)) is not None and process.ticks == ticks
        ]
    )
    beside = {
        of: None
        for pid, ticks, boot, of in recorded
        if boot == here and (pid, ticks) in alive and of != session
    }
    return AgentSession(session, roots, alive, tuple(beside))
