"""What a policy wants done with a call besides, and what it wants said in every answer."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.decision import Finding, Obligation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.policy import Policy
    from interlock.model.rule import Rule


def due(policy: Policy, spoke: tuple[Rule, ...]) -> tuple[Obligation, ...]:
    """Return the obligations of the rules that spoke, each once."""
    names = [
        name for duty in policy.duties for name in duty.names if any(rule.id in duty.rules or not duty.tags.isdisjoint(rule.tags) for rule in spoke)
    ]
    return tuple([Obligation(name) for name in dict.fromkeys(names)])


def noticed(policy: Policy, duties: tuple[Obligation, ...]) -> tuple[Finding, ...]:
    """Return findings for what cannot be carried out (it asks), and for what is wrong with the policy itself (it warns)."""
    unmet = [
        Finding("policy.not-carried-out", ASK, message=f"has to go with: {duty.name}, which nothing here can do", tags=frozenset({"obligation"}))
        for duty in duties
    ]
    return (*unmet, *[Finding("policy.not-loaded", WARN, message=notice) for notice in policy.notices])
