"""What it means that a call is proven harmless, or is not: two keys of the policy."""

from __future__ import annotations

from interlock.engine.decide import resolve_effect
from interlock.engine.proof import Doubt, unproven
from interlock.model.action import ALLOW
from interlock.model.call import EDIT, FETCH, GLOB, GREP, PYTHON, READ, SHELL, WRITE, ToolCall
from interlock.model.decision import APPROVED, PROVEN, Decision, Finding
from interlock.model.effect import Reading
from interlock.model.policy import APPROVE, Policy

READ_TOOLS = frozenset({SHELL, PYTHON, READ, WRITE, EDIT, GLOB, GREP, FETCH})
"""Tools whose calls are read into effects. Others ask a person, or start what is judged alone."""
MOST = 3
"""Doubts that are told at most."""
_UNHELD = ("dangerouslyDisableSandbox", "with_escalated_permissions", "sandbox_permissions")
"""What an agent asks of its client that lifts the client's own walls: that is for a person to
grant, whatever the command is.
"""


def add_doubts(call: ToolCall, reading: Reading, decision: Decision, policy: Policy) -> Decision:
    """Return the decision with what the policy says of calls that are not proven harmless."""
    action = policy.unproven
    if action == ALLOW or decision.action >= action or call.tool not in READ_TOOLS:
        return decision
    found = _against(reading, policy)
    return decision.with_findings(
        *[
            Finding(
                "proof.unproven",
                action,
                "proof",
                f"Not proven harmless: {one.why}.",
                effect=one.effect,
            )
            for one in found[:MOST]
        ]
    )


def add_proof(call: ToolCall, reading: Reading, decision: Decision, policy: Policy) -> Decision:
    """Return the decision with the word of a call that is proven harmless: the policy may have the
    client's own question answered.
    """
    if (
        call.tool not in READ_TOOLS
        or any(finding.action > ALLOW for finding in decision.findings)
        or _against(reading, policy)
    ):
        return decision
    lifts = any(call.input.get(key) for key in _UNHELD)
    return decision.replace(proof=APPROVED if policy.proven == APPROVE and not lifts else PROVEN)


def _against(reading: Reading, policy: Policy) -> tuple[Doubt, ...]:
    return unproven(
        reading, [resolve_effect(effect, policy) for effect in reading.effects], policy.proven_scope
    )
