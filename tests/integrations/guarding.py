"""What tests of guarded functions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock import Guard, Session
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.guard.services import EmbedderRule
    from interlock.store.database import Store


def workspace(folder: Path) -> Path:
    """Make the folder that tools work in."""
    place = folder / "project"
    place.mkdir(exist_ok=True)
    return place


def judging(session: Session, *rules: EmbedderRule, **parts: Any) -> Session:
    """Return the session with a guard that has rules of its own."""
    guard = session.guard
    return session.replace(
        guard=Guard(
            builtin(),
            rules=rules,
            facts=guard.facts,
            audit=guard.audit,
            ledger=guard.ledger,
            **parts,
        )
    )


def outcomes(store: Store) -> list[tuple[str, str | None]]:
    """Return what became of the calls, as the audit holds it."""
    return [
        (row[0], row[1])
        for row in store.query(
            "SELECT status, result FROM guardrail_audit_log WHERE status IS NOT NULL ORDER BY id",
            (),
        )
    ]


BAD, GOOD = "rm -rf /", "echo hello"
