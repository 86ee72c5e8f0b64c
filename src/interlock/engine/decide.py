"""Effects and a policy to a decision: each rule that matches is a finding, the strictest counts."""

from __future__ import annotations

from interlock.engine.candidates import index
from interlock.engine.combine import lower_action
from interlock.model.action import WARN
from interlock.model.call import ToolCall
from interlock.model.decision import TAMPER, Decision, Finding, Obligation
from interlock.model.effect import ALLOWED_HOST, HERE, UNKNOWN_HOST, Effect, Reading
from interlock.model.policy import Policy, Rules
from interlock.model.rule import Rule


def decide(call: ToolCall, reading: Reading, policy: Policy, decision_id: str) -> Decision:
    """Return the decision of the policy stage. Pure: the same input gives the same decision."""
    findings: dict[tuple[str, str, str], Finding] = {}
    held = policy.by_kind if policy.by_kind is not None else index(policy.rules)
    rules: Rules = held.rules
    if policy.bound:
        from interlock.engine.workspace_bound import (
            BoundRules,  # the built-in policy speaks of no paths by name
        )

        rules = bound = BoundRules(held, call)
        policy = policy.replace(places=bound.places(policy.places))
        findings = {(finding.rule, finding.message, ""): finding for finding in bound.closed()}
    spoke: dict[str, Rule] = {}
    for effect in reading.effects:
        places = held.among(effect, call.roots)
        seen = resolve_effect(effect, policy) if places else effect
        for place in places:
            rule = rules[place]
            if rule.match(seen) and not (rule.excepts and is_excepted(rule, seen)):
                finding = _finding(rule, seen)
                findings.setdefault((rule.id, effect.target, str(finding.action)), finding)
                spoke[rule.id] = rule
    worded = held.spoken(reading)
    if worded:
        from interlock.engine.text_rules import match_words  # few policies look at words

        for rule, said in match_words(tuple([rules[place] for place in worded]), call, reading):
            findings[rule.id, "", ""] = said
            spoke[rule.id] = rule
    return _conclude(policy, reading, tuple(findings.values()), tuple(spoke.values()), decision_id)


def _conclude(
    policy: Policy,
    reading: Reading,
    findings: tuple[Finding, ...],
    spoke: tuple[Rule, ...],
    decision_id: str,
) -> Decision:
    """Return the decision of these findings: whose approval it takes, what else has to happen, what
    every answer has to say.
    """
    asked = (
        {finding.rule for finding in findings if finding.action > WARN}
        if policy.roles
        else frozenset()
    )
    roles = {
        rule.approver
        for rule in spoke
        if rule.id in asked and policy.roles and rule.approver in policy.roles
    }
    obligations = tuple([Obligation("approver", role) for role in sorted(roles)])
    if policy.duties or policy.notices or policy.broken:
        from interlock.engine.obligations import due, duty_findings

        duties = due(policy, spoke)
        findings += duty_findings(policy, duties)
        obligations += duties
    observed = policy.observe and not any(TAMPER in finding.tags for finding in findings)
    return Decision(decision_id, findings, obligations, reading.coverage, observed=observed)


def is_excepted(rule: Rule, effect: Effect) -> bool:
    """Tell whether the policy allows an effect that the rule speaks of. What is not sure, or has no
    target, no exception speaks of.
    """
    from interlock.engine.exceptions import aspects  # the built-in rules have no exceptions

    seen = aspects(effect)
    return bool(seen) and any(
        effect.kind in match.kinds and all(match(one) for one in seen) for match in rule.excepts
    )


def resolve_effect(effect: Effect, policy: Policy) -> Effect:
    """Return the effect as the policy knows it: a host of its own, a place of its own."""
    if policy.places and effect.place is not None and effect.place.where == HERE:
        from interlock.engine.policy_places import add_natures

        effect = add_natures(effect, policy.places)
    return _resolve_host(effect, policy.hosts)


def _resolve_host(effect: Effect, hosts: frozenset[str]) -> Effect:
    """Return the effect with its host as the policy has it: named, or below a ``.domain``."""
    if effect.host != UNKNOWN_HOST or not hosts:
        return effect
    name = effect.target
    while name:
        if name in hosts:
            return effect.replace(host=ALLOWED_HOST)
        name = name.partition(".")[2]
    return effect


def _finding(rule: Rule, effect: Effect) -> Finding:
    certain = effect.certain and (
        not (rule.match.ref or rule.match.holding) or _is_sure(rule, effect)
    )
    action = rule.action if certain else lower_action(rule)
    return Finding(rule.id, action, rule.stage, rule.title, rule.instead, effect, tags=rule.tags)


def _is_sure(rule: Rule, effect: Effect) -> bool:
    """Tell whether what a rule names is what the effect is on, and not only may be."""
    from interlock.model.glob import sure  # no built-in rule names anything

    return sure(rule.match, effect)
