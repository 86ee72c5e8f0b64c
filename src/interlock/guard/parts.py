"""What a guard is made of: what its stages share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Unpack

from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.engine.candidates import with_rules
from interlock.guard.services import (
    SERVICES,
    Ask,
    Classifier,
    EmbedderRule,
    Flags,
    Presence,
    Sentinel,
    Services,
    SessionAlarm,
    Validator,
)
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.model.facts import Facts
from interlock.model.policy import INTENT_LEVELS, Policy
from interlock.model.rule import Rule
from interlock.store.protocol import Storage


class GuardParts:
    """The parts of a guard (``Guard``), as its stages see them."""

    def __init__(
        self,
        policy: Policy,
        rules: Iterable[Rule | EmbedderRule] = (),
        ask: Ask | Sentinel | None = None,
        validator: Validator | None = None,
        **services: Unpack[Services],
    ) -> None:
        surplus = sorted(set(services) - set(SERVICES))
        if surplus or "facts" not in services:
            raise TypeError(
                f"a guard has no part {surplus[0]!r}; it has {', '.join(SERVICES)}"
                if surplus
                else "a guard needs facts"
            )
        rows = tuple([rule for rule in rules if isinstance(rule, Rule)])
        self.policy = with_rules(policy, rows) if rows else policy
        self.rules: tuple[EmbedderRule, ...] = tuple(
            [rule for rule in rules if not isinstance(rule, Rule)]
        )
        self.ask = ask
        self.validator = validator
        self.facts: Facts = services["facts"]
        self.audit: Audit | None = services.get("audit")
        self.ledger: Ledger | None = services.get("ledger")
        self.approvals: Callable[[], Approvals] | None = services.get("approvals")
        self.limits: Callable[[], Meter] | None = services.get("limits")
        self.classifier: Classifier | None = services.get("classifier")
        self.carries: frozenset[str] = services.get("carries", frozenset())
        self.checkpoints: Callable[[], Checkpoints] | None = services.get("checkpoints")
        self.flags: Flags | None = services.get("flags")
        self.alarm: Callable[[], SessionAlarm] | None = services.get("alarm")
        self.presence: Presence | None = services.get("presence")
        # a guard whose policy is nonsense is made, and denies every call
        limits = getattr(policy, "limits", None)
        self.limited = limits is not None
        if limits is not None:
            from interlock.model.limits import check_limits

            check_limits(limits)
        if getattr(policy, "intent", "on") not in INTENT_LEVELS:
            raise ValueError(
                f"a policy's intent is one of {', '.join(INTENT_LEVELS)}, not {policy.intent!r}"
            )

    @property
    def store(self) -> Storage | None:
        """The store that audit and ledger share, if there is one."""
        service = self.audit or self.ledger
        return service.store if service is not None else None
