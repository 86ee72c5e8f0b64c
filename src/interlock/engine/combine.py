"""How a possible effect lowers an action: by one name, unless the row says otherwise."""

from __future__ import annotations

from interlock.model.action import ALLOW, ASK, DENY, REVIEW, THROTTLE, WARN, Action
from interlock.model.rule import Rule

ONE_LOWER = {DENY: ASK, THROTTLE: THROTTLE, ASK: WARN, REVIEW: WARN, WARN: ALLOW, ALLOW: ALLOW}
"""Each action, and the one below it: what counts where something is only possible."""


def lower_action(rule: Rule) -> Action:
    """Return the action of a rule whose effect is only possible: DENY to ASK, ASK to WARN, or what
    ``possible`` says.

    It is never stricter than the rule itself.
    """
    if rule.possible is not None:
        return min(rule.possible, rule.action)
    return ONE_LOWER[rule.action]
