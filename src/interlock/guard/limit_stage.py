"""The stage of the limits: a call is charged before anybody is asked, and given back if not run."""

from __future__ import annotations

from collections.abc import Callable

from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.walk import CallWalk
from interlock.limits.meter import Charge, Meter
from interlock.model.action import ASK
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Finding
from interlock.model.usage import Usage


def charge_call(guard: GuardParts, walk: CallWalk) -> tuple[CallWalk, Charge | None]:
    """Return the walk with what the limits say, and what was taken. A limit that is configured and
    cannot be counted is a question.
    """
    meter, decision = guard.limits, walk.decision
    if meter is None:
        return (
            walk.after(
                "limits",
                decision.with_findings(_count_failure("this guard has nothing that counts it")),
            ),
            None,
        )
    charge = attempt(
        "limits", lambda: meter().charge(walk.call, walk.reading, guard.policy, decision.id), Charge
    )
    if isinstance(charge, Failure):
        return walk.after("limits", decision.with_findings(_count_failure(charge.why))), None
    duties = tuple([duty for duty in charge.obligations if duty not in decision.obligations])
    return (
        walk.after(
            "limits",
            decision.with_findings(*charge.findings).replace(
                obligations=decision.obligations + duties
            ),
        ),
        charge,
    )


def _count_failure(why: str) -> Finding:
    return Finding(
        "limits.not-counted", ASK, "limits", f"A limit of the policy cannot be counted: {why}."
    )


def refund_charge(guard: GuardParts, charge: Charge) -> tuple[str, ...]:
    """Give back what was taken for a call that does not run; returns what went wrong, which leaves
    the count too high and never too low.
    """
    return _use_meter(
        guard,
        lambda meter: meter.release(charge),
        "What this call had been charged could not be given back",
    )


def settle_outcome(guard: GuardParts, outcome: Outcome) -> tuple[str, ...]:
    """End what a call held; returns as ``Guard.outcome`` does."""
    return _use_meter(
        guard,
        lambda meter: meter.settle(outcome, guard.policy),
        "What this call held of the limits could not be settled",
    )


def count_usage(guard: GuardParts, call: ToolCall, usage: Usage) -> tuple[str, ...]:
    """Count what an agent used; returns as ``Guard.outcome`` does."""
    return _use_meter(
        guard,
        lambda meter: meter.spent(call, usage, guard.policy),
        "What this agent used could not be counted",
    )


def _use_meter(guard: GuardParts, work: Callable[[Meter], None], failing: str) -> tuple[str, ...]:
    make = guard.limits
    if make is None:
        return (f"{failing}: this guard has nothing that counts it",)
    failure = attempt("limits", lambda: work(make()), type(None))
    return (f"{failing}: {failure.why}",) if isinstance(failure, Failure) else ()
