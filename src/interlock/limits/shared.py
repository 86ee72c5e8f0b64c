"""Limits that machines share, as one call meets them: it spends what this machine was lent, or it
waits; and where nobody lends anything, somebody is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.limits import gcra
from interlock.limits.counts import THROTTLED, LimitHold, count_held, of_class
from interlock.limits.leases import (
    LeaseTimes,
    MetLimit,
    holds,
    leases_of,
    note_lack,
    note_met,
)
from interlock.limits.scopes import concerns, describe_scope
from interlock.model.action import ASK, THROTTLE
from interlock.model.call import TASK, ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Reading
from interlock.model.leases import PLACES, RATE, SharedLimit
from interlock.model.limits import ALL, SHARED, Concurrency, Limits, Rate, parse_rate
from interlock.model.record import Record
from interlock.store.elsewhere import load_enrolment
from interlock.store.place import StoreError
from interlock.store.protocol import Connection

PATIENT_SECONDS = 5.0
"""How long a call is told to come again while nobody says whether there is more."""


class SharedCharge(Record):
    """What shared limits say of a call, and what it would take: names of leases, and holds."""

    findings: tuple[Finding, ...] = ()
    leases: tuple[str, ...] = ()
    holds: tuple[LimitHold, ...] = ()


NOTHING = SharedCharge()


def shared_limits(limits: Limits, call: ToolCall, reading: Reading) -> list[SharedLimit]:
    """Return the shared limits that a call meets: rates, and calls at once."""
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
    connection: Connection, folder: str, limits: Iterable[SharedLimit], now: LeaseTimes
) -> SharedCharge:
    """Return what shared limits say of a call more, and what it takes if it may. ``folder``: the
    store's.
    """
    parts = [_charge_one(connection, folder, one, now) for one in limits]
    return SharedCharge(
        tuple([finding for part in parts for finding in part.findings]),
        tuple([name for part in parts for name in part.leases]),
        tuple([hold for part in parts for hold in part.holds]),
    )


def _charge_one(
    connection: Connection, folder: str, limit: SharedLimit, now: LeaseTimes
) -> SharedCharge:
    met = note_met(connection, limit, now.wall)
    open_now = [one for one in leases_of(connection, limit) if holds(one, now)]
    if limit.kind == PLACES:
        if count_held(connection, limit.scope, limit.what, now.wall)[0] < len(open_now):
            return SharedCharge(holds=(LimitHold(limit.scope, limit.what, 1),))
    else:
        for one in open_now:
            if one.rest:
                return SharedCharge(leases=(one.id,))
    return SharedCharge((_find_lack(connection, folder, met, describe_scope(f"{limit.scope}:")),))


def _find_lack(connection: Connection, folder: str, met: MetLimit, whose: str) -> Finding:
    """Return why a call has nothing to spend: nothing is left, or nobody says so."""
    seconds = max(1, int(met.again - met.wanted) + 1)
    if met.again > met.wanted:
        return _throttle(met.limit, f"{_used_up(met.limit, whose)}", seconds)
    enrolled, why = _find_service(folder)
    if not enrolled:
        return _not_counted(f"it is shared by {whose}, and {why}")
    waits = note_lack(connection, met)
    if waits < PATIENT_SECONDS:
        said = f"What this machine may use of what {whose} shares is being asked for"
        return _throttle(met.limit, said, 1)
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


def _used_up(limit: SharedLimit, whose: str) -> str:
    kind = of_class(limit.tools)
    if limit.kind == PLACES:
        return f"All {limit.most} places for calls at once ({kind}) of {whose} are taken"
    return f"What {whose} may do in a time ({kind}) is used up"


def _throttle(limit: SharedLimit, said: str, seconds: int) -> Finding:
    rule = "limits.concurrent" if limit.kind == PLACES else "limits.rate"
    message = f"{said}; try again in {seconds} {'second' if seconds == 1 else 'seconds'}."
    return Finding(rule, THROTTLE, "limits", message, retry_after=seconds, tags=THROTTLED)


def _not_counted(why: str) -> Finding:
    return Finding(
        "limits.not-counted", ASK, "limits", f"A limit of the policy cannot be counted: {why}."
    )
