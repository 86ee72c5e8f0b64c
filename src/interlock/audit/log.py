"""``Audit``: the writes that record judgements and outcomes, and the store they go to."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.audit.entry import Judgement, decision_row, event_row, outcome_row
from interlock.audit.redact import Redactor
from interlock.model.call import Outcome
from interlock.store.protocol import Storage
from interlock.store.schema import Write


class Audit:
    """The audit of one store. ``names``: of what else holds secrets (``Policy.redacted``).

    It makes rows; ``store.commit`` writes them together with other services' rows, in one
    transaction.
    """

    def __init__(self, store: Storage, names: tuple[str, ...] = ()) -> None:
        self.store = store
        self.redactor = Redactor(self._key, names)

    def _key(self) -> bytes:
        from interlock.store.secret import key  # only a secret asks for it

        return key(self.store.folder)

    def judged(self, judged: Judgement) -> Write:
        """Return the write that records a judgement."""
        return decision_row(judged, self.redactor)

    def outcome(self, outcome: Outcome) -> Write:
        """Return the write that records an outcome."""
        return outcome_row(outcome, self.redactor)

    def event(
        self, kind: str, subject: str, body: Mapping[str, object], session: str = ""
    ) -> Write:
        """Return the write that records any other event (a prompt, an approval, a changed limit),
        free of secrets.

        A step of ``Store.transact`` adds its event by ``store.chain.extend`` instead, whose body
        must hold no secret.
        """
        return event_row(kind, subject, body, session, self.redactor)
