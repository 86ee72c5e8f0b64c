"""What a validator may settle: the review that it was asked for, down to its rule's floor, and only
where nothing is deleted, sent or secret.
"""

from __future__ import annotations

from interlock.guard.failures import Failure, attempt
from interlock.guard.services import Validator
from interlock.model.action import ALLOW, ASK, REVIEW, WARN, Action
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding, Settled
from interlock.model.effect import (
    ALLOWED_HOST,
    GENERATED,
    LOCAL,
    PROJECT_SECRET,
    SECRET,
    SENSITIVE_NAME,
    Deletes,
    Effect,
    Installs,
    Reading,
)
from interlock.model.kinds import meaning
from interlock.model.policy import Policy

STAGE = "validator"
_LOSES = meaning("loses")
_REACHES = meaning("reaches")
_SECRETS = frozenset({SECRET, PROJECT_SECRET, SENSITIVE_NAME})


def run_review(
    validator: Validator, call: ToolCall, reading: Reading, decision: Decision, policy: Policy
) -> Decision:
    """Return the decision on a call, whose strictest action is REVIEW, after the validator looked
    at it. Total; it never removes a finding.
    """
    said = attempt(STAGE, lambda: validator(call, reading, decision), (Finding, type(None)))
    if isinstance(said, Failure):
        return decision.with_findings(
            Finding("validator.failed", ASK, STAGE, f"The validator failed: {said.why}")
        )
    if said is None:
        return decision
    if said.action > WARN:
        return decision.with_findings(said.replace(stage=STAGE, settled=None))
    beyond = next((effect for effect in reading.effects if _beyond(effect)), None)
    if beyond is not None:
        message = (
            "The validator sees nothing wrong with it, but what deletes, reaches the network or"
            " touches secrets is for a person to allow."
        )
        return decision.with_findings(
            Finding("validator.not-its-own", ASK, STAGE, message, effect=beyond)
        )
    floors = {rule.id: rule.floor for rule in policy.rules}
    by = said.rule.partition(".")[0] or STAGE
    found = [
        _settle_review(finding, max(said.action, floors.get(finding.rule, ALLOW)), by)
        for finding in decision.findings
    ]
    return decision.replace(findings=tuple(found))


def _settle_review(finding: Finding, action: Action, by: str) -> Finding:
    return finding.replace(settled=Settled(action, by)) if finding.action == REVIEW else finding


def _beyond(effect: Effect) -> bool:
    """Whether an effect, certain or possible, is none that a model may let pass."""
    natures = effect.place.natures if effect.place is not None else frozenset()
    if effect.kind == Deletes:
        return GENERATED not in natures
    if effect.kind in _REACHES:
        return effect.host not in (LOCAL, ALLOWED_HOST)
    if (
        effect.kind == Installs
    ):  # it comes from the network and runs; what a manifest names was there before
        return "manifest" not in effect.traits
    return effect.kind in _LOSES or "emptied" in effect.traits or not _SECRETS.isdisjoint(natures)
