"""The names that a shell can complete: rules, and what this machine's record holds just now."""

from __future__ import annotations

import os

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError
from interlock.audit.query import Filter, last
from interlock.checkpoint import CheckpointError
from interlock.cli import build
from interlock.rules.catalogue import RULES
from interlock.store.database import Store

RULE, REQUEST, GRANT, DECISION, SESSION, CHECKPOINT = (
    "rules",
    "requests",
    "grants",
    "decisions",
    "sessions",
    "checkpoints",
)
KINDS = (RULE, REQUEST, GRANT, DECISION, SESSION, CHECKPOINT)
MOST = 50


def names(kinds: list[str]) -> list[str]:
    """Return the names of these kinds, newest first; nothing where the record cannot be read or
    nothing was recorded yet.
    """
    found: list[str] = []
    store = None
    for kind in kinds:
        if kind == RULE:
            found += [rule.id for rule in RULES]
            continue
        try:
            if store is None and os.path.isdir(build.state_folder(os.environ)):
                store = build.store(os.environ)
            found += _read_names(kind, store) if store is not None else []
        except (AnswerError, CheckpointError, build.StoreError):
            continue
    return list(dict.fromkeys(filter(None, found)))


def _read_names(kind: str, store: Store) -> list[str]:
    if kind == REQUEST:
        return [request.id for request in answers.list_requests(store, every=False)]
    if kind == GRANT:
        return [grant.id for grant in answers.grants(store)]
    if kind == CHECKPOINT:
        policy = build.policy(os.environ, os.getcwd())
        heads = build.checkpoints(store, policy.checkpointing).vault.heads()
        return [head.decision or head.id for head in heads[:MOST]]
    rows = last(store, Filter(limit=MOST))
    return [str(row["decision_id" if kind == DECISION else "session_id"] or "") for row in rows]
