"""Effects and a policy to a decision: every rule that matches an effect is a finding, the strictest counts."""

from __future__ import annotations

from interlock.engine.combine import lowered
from interlock.model.decision import Decision, Finding, Obligation
from interlock.model.effect import ALLOWED_HOST, UNKNOWN_HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.call import ToolCall
    from interlock.model.effect import Effect, Reading
    from interlock.model.policy import Policy
    from interlock.model.rule import Rule


def index(rules: tuple[Rule, ...]) -> Mapping[str, tuple[Rule, ...]]:
    """Return the rules by kind of effect, in the order given."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        for kind in rule.match.kinds:
            found.setdefault(kind, []).append(rule)
    return {kind: tuple(some) for kind, some in found.items()}


def decide(call: ToolCall, reading: Reading, policy: Policy, decision_id: str) -> Decision:
    """Return the decision of the policy stage. Pure: the same call, reading and policy give the same decision."""
    del call
    by_kind = policy.by_kind if policy.by_kind is not None else index(policy.rules)
    findings: dict[tuple[str, str, str], Finding] = {}
    roles: set[str] = set()
    """Whose approval the matching rules demand ("block without approval")."""
    for effect in reading.effects:
        seen = _known(effect, policy.hosts)
        for rule in by_kind.get(effect.kind, ()):
            if rule.match(seen):
                finding = _finding(rule, seen)
                key = (rule.id, effect.target, str(finding.action))
                findings.setdefault(key, finding)
                if policy.roles and rule.approver in policy.roles:
                    roles.add(rule.approver)
    obligations = tuple([Obligation("approver", role) for role in sorted(roles)])
    return Decision(decision_id, tuple(findings.values()), obligations, reading.coverage, observed=policy.observe)


def _known(effect: Effect, hosts: frozenset[str]) -> Effect:
    """Return the effect with its host as the policy knows it: a named host, or one below a named ``.domain``."""
    if effect.host != UNKNOWN_HOST or not hosts:
        return effect
    name = effect.target
    while name:
        if name in hosts:
            return effect.replace(host=ALLOWED_HOST)
        name = name.partition(".")[2]
    return effect


def _finding(rule: Rule, effect: Effect) -> Finding:
    action = rule.action if effect.certain else lowered(rule)
    return Finding(rule.id, action, rule.stage, rule.title, rule.instead, effect, tags=rule.tags)
