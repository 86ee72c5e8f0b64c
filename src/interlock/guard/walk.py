"""``CallWalk``: what one call gathers on its way through the guard."""

from __future__ import annotations

import sys

from interlock.guard.factcache import FactCache
from interlock.guard.failures import Failure
from interlock.ledger.history import SessionMarks
from interlock.ledger.sessions import SessionState
from interlock.limits.meter import Charge
from interlock.model.action import WARN
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding, make_refusal
from interlock.model.effect import Reading
from interlock.model.record import Record

if sys.platform == "win32":
    from nt import urandom
else:
    from posix import urandom


class CallWalk(Record):
    """A call with what is known of it so far.

    ``checks``: the stages that spoke no word against it. ``remembered``, ``history``: what its
    session did before; ``charge``: what the limits took for it; ``began``: nanoseconds of the
    process's clock; ``is_stopped``: it belongs to something that is stopped, and nothing more is
    found out about it.
    """

    call: ToolCall
    facts: FactCache
    decision: Decision
    reading: Reading = Reading((), coverage="partial")
    checks: tuple[str, ...] = ()
    remembered: SessionState | Failure | None = None
    history: SessionMarks | None = None
    charge: Charge | None = None
    began: int = 0
    is_stopped: bool = False

    def after(self, stage: str, decision: Decision) -> CallWalk:
        """Return the walk after a stage; one that made nothing stricter counts as passed."""
        passed = decision.action <= self.decision.action and decision.action <= WARN
        return self.replace(
            decision=decision, checks=(*self.checks, stage) if passed else self.checks
        )

    def found(self, stage: str, *findings: Finding) -> CallWalk:
        """Return the walk after a stage that found this."""
        return self.after(stage, self.decision.with_findings(*findings))

    def warned(self, rule: str, *messages: str) -> CallWalk:
        """Return the walk with warnings; they never loosen and never stop a call."""
        stage = rule.partition(".")[0]
        return self.replace(
            decision=self.decision.with_findings(
                *[Finding(rule, WARN, stage, message) for message in messages]
            )
        )


def begin_walk(
    call: ToolCall, facts: FactCache, began: int, reading: Reading | None = None
) -> CallWalk:
    """Return the start of a walk: until somebody judges the call, it is refused."""
    unjudged = make_refusal(
        new_id(), "guard.failed", "Nothing judged this call, so it does not run."
    )
    return CallWalk(call, facts, unjudged, reading or Reading((), coverage="partial"), began=began)


def new_id() -> str:
    """Return a decision's name: 64 random bits."""
    return f"d-{urandom(8).hex()}"
