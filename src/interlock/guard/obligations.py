"""The stage of the obligations: what has to go with a call is carried out before it runs, or
somebody is asked whether it may run without.

An enforcement point that runs the call itself says which ones it carries out (``Guard.carries``);
the others are this table's. What nothing carries out leaves the question standing that
``interlock.engine.obligations`` asked.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.guard.parts import GuardParts
from interlock.guard.undo_stage import take_required
from interlock.guard.walk import CallWalk
from interlock.model.action import ALLOW
from interlock.model.decision import Decision, Finding, Settled

CARRIERS: dict[str, Callable[[GuardParts, CallWalk], str]] = {"checkpoint": take_required}
"""By the name of an obligation, what carries it out for any call: it returns in a few words what
was done, or ``""`` where it could not be.
"""
ENFORCER = "who runs the call"


def fulfil_duties(guard: GuardParts, walk: CallWalk) -> Decision:
    """Return the decision with what was carried out met, and the questions about it settled."""
    decision, met = walk.decision, {}
    for duty in decision.obligations:
        carrier = CARRIERS.get(duty.name)
        by = (
            ENFORCER
            if duty.name in guard.carries
            else carrier(guard, walk)
            if carrier is not None
            else ""
        )
        if by and not duty.met:
            met[duty.name] = by
    if not met:
        return decision
    duties = tuple(
        [
            duty.replace(met=met[duty.name]) if duty.name in met and not duty.met else duty
            for duty in decision.obligations
        ]
    )
    return decision.replace(
        obligations=duties,
        findings=tuple([_settle_unmet(finding, met) for finding in decision.findings]),
    )


def _settle_unmet(finding: Finding, met: dict[str, str]) -> Finding:
    from interlock.engine.obligations import UNMET

    name = next((name for name in met if name in finding.tags), "") if finding.rule == UNMET else ""
    return finding.replace(settled=Settled(ALLOW, met[name])) if name else finding
