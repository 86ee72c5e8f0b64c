"""What a session is remembered by: its workspace, the person's last words (as a hash), and marks on what earlier calls touched."""

from __future__ import annotations

import time

from interlock.model.effect import PROJECT_SECRET, SECRET, Reads, Writes
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.call import ToolCall
    from interlock.model.effect import Effect, Reading
    from interlock.store.database import Store
    from interlock.store.schema import Write

SECRET_READ, DOWNLOADED = "secret-read", "downloaded"
MOST_LABELS = 2000
"""Marks of one session that are read; the newest."""
MOST_NEW = 50


class Remembered(Record):
    """A session as it was before this call. ``known``: it was seen before, so its roots are fixed."""

    known: bool = False
    roots: tuple[str, ...] = ()
    prompt_hash: str = ""
    intent: str = ""
    labels: Mapping[str, frozenset[str]] | None = None

    def marked(self, subject: str) -> frozenset[str]:
        """Return the marks on a path, or on the session itself (``""``)."""
        return (self.labels or {}).get(subject, frozenset())


class Prompt(Record):
    """What a person asked for, as far as it is kept: a keyed hash, and the words (free of secrets) only where the policy says so."""

    digest: str
    intent: str = ""
    scope: str = ""
    words: str = ""


class Ledger:
    """The ledger of one store; reads at once, writes together with the audit."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def session(self, session: str) -> Remembered:
        """Return what is remembered of a session; raises ``StoreError``."""
        if not session:
            return Remembered()
        rows = self.store.query("SELECT roots, prompt_hash, intent FROM session WHERE id = ?", (session,))
        if not rows:
            return Remembered()
        labels: dict[str, set[str]] = {}
        marks = self.store.query("SELECT subject, label FROM label WHERE session_id = ? ORDER BY since DESC LIMIT ?", (session, MOST_LABELS))
        for subject, label in marks:
            labels.setdefault(subject, set()).add(label)
        roots, digest, intent = rows[0]
        return Remembered(True, tuple(loads(roots)), digest, intent, {subject: frozenset(found) for subject, found in labels.items()})

    def seen(self, call: ToolCall, reading: Reading, *, runs: bool) -> list[Write]:
        """Return the writes that remember a call: its session, and, where it may run, what it marks."""
        if not call.session:
            return []
        when = _now()
        writes: list[Write] = [("session", (call.session, when, dumps(list(call.roots))))]
        marks = sorted({mark for effect in reading.effects for mark in _marks(effect)})[:MOST_NEW] if runs else []
        return writes + [("label", (call.session, subject, label, when)) for subject, label in marks]

    def asked(self, session: str, roots: tuple[str, ...], prompt: Prompt) -> list[Write]:
        """Return the writes that remember what a person asked for."""
        if not session:
            return []
        return [("prompt", (session, _now(), dumps(list(roots)), prompt.digest, prompt.intent, prompt.scope, prompt.words))]


def _marks(effect: Effect) -> list[tuple[str, str]]:
    """Return ``(subject, label)`` of what an effect leaves behind. A possible effect marks too: over-marking only tightens."""
    if effect.kind == Reads and effect.place is not None and not effect.place.natures.isdisjoint((SECRET, PROJECT_SECRET)):
        return [("", SECRET_READ), (effect.target, SECRET_READ)]
    if effect.kind == Writes and DOWNLOADED in effect.traits and effect.target:
        return [(effect.target, DOWNLOADED)]
    return []


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
