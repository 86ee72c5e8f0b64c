"""What a policy wants done with a call besides, and what it wants said in every answer."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.decision import Finding, Obligation
from interlock.model.policy import Policy
from interlock.model.rule import Rule

UNMET = "policy.not-carried-out"
"""The rule that asks whether a call may run without its obligation, which its tags name."""
FIRST = {
    "checkpoint": (
        "needs a checkpoint before it runs, and none could be taken",
        "Commit or copy what it changes first, then ask the user.",
    ),
    "sandbox": (
        "may only run in a sandbox, and here it would run without one",
        "Run it with `interlock run`, or ask the user.",
    ),
    "redact": (
        (
            "may only run where secrets in what it prints are hidden from the model, and here they"
            " are not"
        ),
        "Ask the user.",
    ),
}
"""What has to be seen to before a call runs: what is said where nobody did, and a safer way. Any
other obligation is carried out afterwards.
"""


NOT_LOADED = "policy.not-loaded"


def due(policy: Policy, spoke: tuple[Rule, ...]) -> tuple[Obligation, ...]:
    """Return the obligations of the rules that spoke, each once."""
    names = [
        name
        for duty in policy.duties
        for name in duty.names
        if any(rule.id in duty.rules or not duty.tags.isdisjoint(rule.tags) for rule in spoke)
    ]
    return tuple([Obligation(name) for name in dict.fromkeys(names)])


def duty_findings(policy: Policy, duties: tuple[Obligation, ...]) -> tuple[Finding, ...]:
    """Return a question for each obligation that comes before the call (``guard.obligations``
    settles it), and what is wrong with the policy itself.
    """
    unmet = [
        Finding(
            UNMET,
            ASK,
            message=FIRST[duty.name][0],
            instead=FIRST[duty.name][1],
            tags=frozenset({"obligation", duty.name}),
        )
        for duty in duties
        if duty.name in FIRST
    ]
    told = [Finding(NOT_LOADED, WARN, message=notice) for notice in policy.notices]
    return (
        *unmet,
        *told,
        *[
            Finding(NOT_LOADED, ASK, message=why, instead="Ask the user to mend that file.")
            for why in policy.broken
        ],
    )
