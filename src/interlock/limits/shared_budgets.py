"""Budgets of tokens and of money that machines share: in numbers, and what is used counted."""

from __future__ import annotations

from interlock.limits.leases import spend
from interlock.limits.prices import DOLLAR, cost
from interlock.model.leases import COST, TOKENS, SharedLimit
from interlock.model.limits import ALL, SHARED, Limits
from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.store.protocol import Connection

FRESH = "fresh"
"""What is counted of tokens where a provider's cache does not count."""


class SharedTerm(Record):
    """A shared limit as a policy has it. ``warning``: the part of it from which on there is one;
    ``approver``: the role that approves what is over it.
    """

    limit: SharedLimit
    warning: float = 1.0
    approver: str = ""


def shared_budgets(limits: Limits) -> list[SharedTerm]:
    """Return the shared limits of tokens and of money."""
    tokens = [
        SharedTerm(
            SharedLimit(
                one.per,
                TOKENS,
                ALL if one.cached else FRESH,
                one.limit,
                every=one.every,
                reserve=one.reserve,
            ),
            one.warning,
        )
        for one in limits.tokens
        if one.per in SHARED
    ]
    money = [
        SharedTerm(
            SharedLimit(
                one.per,
                COST,
                ALL,
                int(one.threshold * DOLLAR),
                every=one.every,
                reserve=int(one.reserve * DOLLAR),
            ),
            approver=one.approver,
        )
        for one in limits.costs
        if one.per in SHARED
    ]
    return [*tokens, *money]


def spend_shared(connection: Connection, limits: Limits, usage: Usage) -> None:
    """Count usage for the budgets that machines share, once each."""
    fresh = usage.input + usage.output + usage.written
    counted = {TOKENS + ALL: fresh + usage.cached, TOKENS + FRESH: fresh}
    counted[COST + ALL] = cost(usage, limits.prices) or 0
    for limit in dict.fromkeys(term.limit for term in shared_budgets(limits)):
        spend(connection, limit, counted[limit.kind + limit.tools])
