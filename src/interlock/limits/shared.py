"""Limits that machines share, as one call meets them: it spends what this machine was lent, or it
waits; and where nobody lends anything, somebody is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.limits import gcra
from interlock.limits.counts import THROTTLED, LimitHold, count_held, of_class
from interlock.limits.leases import (
    Lease,
    LeaseTimes,
    MetLimit,
    count_free,
    holds,
    leases_of,
    note_lack,
    note_met,
)
from interlock.limits.prices import DOLLAR
from interlock.limits.scopes import concerns, describe_scope
from interlock.limits.shared_budgets import SharedTerm, shared_budgets
from interlock.limits.spending import COSTLY, PAUSED
from interlock.model.action import ASK, DENY, THROTTLE, WARN
from interlock.model.call import TASK, ToolCall
from interlock.model.decision import Finding, Obligation
from interlock.model.effect import Reading
from interlock.model.leases import COST, PLACES, RATE, TOKENS, SharedLimit
from interlock.model.limits import ALL, SHARED, Concurrency, Limits, Rate, parse_rate
from interlock.model.record import Record
from interlock.store.elsewhere import load_enrolment
from interlock.store.place import StoreError
from interlock.store.protocol import Connection

_RULES = {
    RATE: "limits.rate", PLACES: "limits.concurrent", TOKENS: "limits.tokens", COST: "limits.cost",
}  # fmt: skip
PATIENT_SECONDS = 5.0
"""How long a call is told to come again while nobody says whether there is more."""


class SharedCharge(Record):
    """What shared limits say of a call, and what it would take: names of leases, and holds."""

    findings: tuple[Finding, ...] = ()
    leases: tuple[str, ...] = ()
    holds: tuple[LimitHold, ...] = ()
    obligations: tuple[Obligation, ...] = ()


def shared_terms(limits: Limits, call: ToolCall, reading: Reading) -> list[SharedTerm]:
    """Return the shared limits that a call meets."""
    found = [SharedTerm(one) for one in _counted_calls(limits, call, reading)]
    return [*found, *shared_budgets(limits)]


def _counted_calls(limits: Limits, call: ToolCall, reading: Reading) -> list[SharedLimit]:
    rates = [limit for limit in limits.rates if limit.per in SHARED]
    places = [
        limit
        for limit in limits.concurrent
        # as with those of one machine: who starts a sub-agent takes no place among all
        if limit.per in SHARED and not (limit.tools == ALL and call.tool == TASK)
    ]
    found = [as_rate(one) for one in rates if concerns(one.tools, call, reading)]
    found += [as_places(one, limits) for one in places if concerns(one.tools, call, reading)]
    return list(dict.fromkeys(found))


def as_rate(rate: Rate) -> SharedLimit:
    """Return a rate in numbers."""
    count, seconds = parse_rate(rate.rate)
    each = gcra.interval(count, seconds)
    return SharedLimit(rate.per, RATE, rate.tools, rate.burst or count, each)


def as_places(limit: Concurrency, limits: Limits) -> SharedLimit:
    """Return a limit of calls at once in numbers."""
    return SharedLimit(limit.per, PLACES, limit.tools, limit.most, hold=limits.lease)


def charge_shared(
    connection: Connection, folder: str, terms: Iterable[SharedTerm], now: LeaseTimes
) -> SharedCharge:
    """Return what shared limits say of a call more, and what it takes if it may. ``folder``: the
    store's.
    """
    parts = [_charge_one(connection, folder, one, now) for one in terms]
    return SharedCharge(
        tuple([finding for part in parts for finding in part.findings]),
        tuple([name for part in parts for name in part.leases]),
        tuple([hold for part in parts for hold in part.holds]),
        tuple([duty for part in parts for duty in part.obligations]),
    )


def _charge_one(
    connection: Connection, folder: str, term: SharedTerm, now: LeaseTimes
) -> SharedCharge:
    limit = term.limit
    met = note_met(connection, limit, now.wall)
    found = leases_of(connection, limit)
    taken = _take_part(connection, term, found, now)
    if taken is None:
        return _find_lack(connection, folder, met, term)
    near = limit.kind == TOKENS and 0 <= met.left <= limit.most * (1 - term.warning)
    return taken.replace(findings=(_warn(met),)) if near else taken


def _take_part(
    connection: Connection, term: SharedTerm, found: list[Lease], now: LeaseTimes
) -> SharedCharge | None:
    """Return what a call takes of the leases of a limit, None where they have too little."""
    limit = term.limit
    held = count_held(connection, limit.scope, limit.what, now.wall)[0]
    if count_free(found, held, now) < max(1, limit.reserve):
        return None
    if limit.kind == RATE:
        return SharedCharge(leases=(next(one.id for one in found if one.rest and holds(one, now)),))
    amount = 1 if limit.kind == PLACES else limit.reserve
    return SharedCharge(holds=(LimitHold(limit.scope, limit.what, amount),) if amount else ())


def _find_lack(
    connection: Connection, folder: str, met: MetLimit, term: SharedTerm
) -> SharedCharge:
    """Return why a call has nothing to spend: nothing is left, or nobody says so."""
    limit, whose = met.limit, describe_scope(f"{met.limit.scope}:")
    if met.again > met.wanted:
        return _used_up(term, whose, max(1, int(met.again - met.wanted) + 1))
    enrolled, why = _find_service(folder)
    if not enrolled:
        return _not_counted(f"it is shared by {whose}, and {why}")
    waits = note_lack(connection, met)
    if waits < PATIENT_SECONDS:
        said = f"What this machine may use of what {whose} shares is being asked for"
        return SharedCharge((_throttle(limit, said, 1),))
    return _not_counted(
        f"it is shared by {whose}, what this machine had of it is used up or over, and the team's"
        f" service has not answered for {int(waits)} seconds"
    )


def _find_service(folder: str) -> tuple[bool, str]:
    try:
        found = load_enrolment(folder) is not None
    except StoreError as error:
        return False, str(error)
    return found, "" if found else "this machine is enrolled with no service that counts it"


def _used_up(term: SharedTerm, whose: str, seconds: int) -> SharedCharge:
    """Return what is said where nothing is left, or all is lent to other machines."""
    limit, kind = term.limit, of_class(term.limit.tools)
    if limit.kind == PLACES:
        said = f"All {limit.most} places for calls at once ({kind}) of {whose} are taken"
        return SharedCharge((_throttle(limit, said, seconds),))
    if limit.kind == RATE:
        said = f"What {whose} may do in a time ({kind}) is used up"
        return SharedCharge((_throttle(limit, said, seconds),))
    if limit.kind == TOKENS:
        said = f"The {limit.most} tokens that {whose} shares{_every(limit)} are used up."
        helps = "Stop here and tell the user; nothing you do gets more."
        found = Finding("limits.tokens", DENY, "limits", said, helps, tags=PAUSED)
        return SharedCharge((found,))
    said = (
        f"The ${limit.most / DOLLAR:.2f} that {whose} shares{_every(limit)} are used up, and a"
        " person has to approve what is over that."
    )
    duty = (Obligation("approver", term.approver),)
    found = Finding("limits.cost", ASK, "limits", said, tags=COSTLY)
    return SharedCharge((found,), obligations=duty)


def _every(limit: SharedLimit) -> str:
    return f" in {limit.every} seconds" if limit.every else ""


def _warn(met: MetLimit) -> Finding:
    whose = describe_scope(f"{met.limit.scope}:")
    said = f"Of the {met.limit.most} tokens that {whose} shares, {met.left} are left for all."
    return Finding("limits.tokens", WARN, "limits", said, tags=PAUSED)


def _throttle(limit: SharedLimit, said: str, seconds: int) -> Finding:
    rule = _RULES[limit.kind]
    message = f"{said}; try again in {seconds} {'second' if seconds == 1 else 'seconds'}."
    return Finding(rule, THROTTLE, "limits", message, retry_after=seconds, tags=THROTTLED)


def _not_counted(why: str) -> SharedCharge:
    said = f"A limit of the policy cannot be counted: {why}."
    return SharedCharge((Finding("limits.not-counted", ASK, "limits", said),))
