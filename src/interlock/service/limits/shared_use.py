"""The arithmetic of a shared limit: what of it may be lent, what a lease costs it, and what comes
back. Pure; times are whole microseconds by the database's clock.

The law: what is out on leases and what was used are never more than the limit.

========  ========================================================================================
rate      calls on leases are part of the burst: nothing is paid off while a burst is owed or out
places    a place is taken until it is given back, or no call that began in it can count any more
budgets   a lease is used up when it is given; what is left of it comes back with its end, and one
          that never ends stays used up
========  ========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.model.leases import MOST_WAIT, PLACES, RATE, SharedLimit
from interlock.service.store.rows import OUT, LeaseRow, SharedUseRow

SECOND = 1_000_000
LEASE_SECONDS = 60
GRACE_SECONDS = 5
"""How much longer a lease counts here than where it is used: a call may be under way."""
PART = 4
"""A lease is at most this part of what is left, shared by the machines that have some."""
LEAST_PART = 1000
"""Of a budget nothing smaller than this part, or than a call's reserve, is lent, unless less is
left.
"""
MOST_USED = 2**60
"""Where a count ends: a machine may say anything."""


def begin_use(limit: SharedLimit, scope: str, now: int) -> SharedUseRow:
    """Return the count of a limit of which nothing was used."""
    return SharedUseRow(
        scope, limit.what, limit.kind, limit.most, limit.each, limit.every, now, 0, 0, now
    )


def bring_forward(use: SharedUseRow, out: Sequence[LeaseRow], now: int) -> SharedUseRow:
    """Return how a count stands by now. ``out``: the leases of which nothing came back, those that
    are over since the last time among them.

    Where the clock went back nothing loosens: a period is moved with it, a burst is used up.
    """
    since = use.since - max(0, use.seen - now)
    if use.kind == RATE:
        hands = sum(one.amount for one in out)
        paid = min(max(use.paid, now + hands * use.each), now + use.most * use.each)
        return use.replace(since=since, paid=paid, seen=now)
    if use.every and now >= since + use.every * SECOND:
        # what may still be used counts in the new period, all of it
        carried = sum(one.amount for one in out if not is_over(one, now))
        return use.replace(since=now, used=carried, seen=now)
    return use.replace(since=since, seen=now)


def find_over(use: SharedUseRow, out: Sequence[LeaseRow], now: int) -> list[LeaseRow]:
    """Return the leases that count no more by themselves: those of a budget once its next period
    has begun, which was just now.
    """
    over = [one for one in out if is_over(one, now)]
    return over if use.kind in (RATE, PLACES) or use.since == now else []


def is_over(lease: LeaseRow, now: int) -> bool:
    """Tell whether nobody can use a lease any more."""
    return lease.gone <= now


def count_room(use: SharedUseRow, limit: SharedLimit, out: Sequence[LeaseRow], now: int) -> int:
    """Return what may be lent at most: of what is left under the limit of whoever asks."""
    if use.kind == RATE:
        return max(0, (now + use.most * use.each - use.paid) // use.each)
    if use.kind == PLACES:
        return max(0, limit.most - len(out))
    return max(0, limit.most - use.used)


def find_share(
    limit: SharedLimit, room: int, wanted: int, out: Sequence[LeaseRow], machine: str
) -> int:
    """Return how much of it one machine gets: all can be had in the end, and nobody has it all."""
    if limit.kind == PLACES:
        return min(room, 1)
    machines = len({one.machine for one in out} | {machine})
    least = 1 if limit.kind == RATE else max(1, limit.reserve, limit.most // LEAST_PART)
    return min(wanted, room, max(least, room // (PART * machines)))


def lend(use: SharedUseRow, amount: int) -> SharedUseRow:
    """Return the count after a lease was given."""
    if use.kind == RATE:
        return use.replace(paid=use.paid + amount * use.each)
    return use if use.kind == PLACES else use.replace(used=use.used + amount)


def take_back(use: SharedUseRow, amount: int, used: int) -> SharedUseRow:
    """Return the count after a lease ended of which so much was used."""
    if use.kind == RATE:
        return use.replace(paid=use.paid - max(0, amount - used) * use.each)
    if use.kind == PLACES:
        return use
    return use.replace(used=min(max(0, use.used + used - amount), MOST_USED))


def new_lease(
    use: SharedUseRow, limit: SharedLimit, named_as: tuple[str, str], amount: int, now: int
) -> LeaseRow:
    """Return a lease; ``named_as``: machine and name."""
    found = LeaseRow(*named_as, use.scope, use.what, amount, OUT, 0, 0, limit.hold)
    return prolong(found, now)


def prolong(lease: LeaseRow, now: int) -> LeaseRow:
    """Return a lease that holds anew from now on."""
    until = now + LEASE_SECONDS * SECOND
    return lease.replace(until=until, gone=until + (lease.hold + GRACE_SECONDS) * SECOND)


def find_wait(use: SharedUseRow, now: int) -> int:
    """Return the seconds after which there may be something again where nothing is left."""
    if use.kind == RATE:
        owed = use.paid + use.each - now - use.most * use.each
        return min(max(1, -(-owed // SECOND)), MOST_WAIT)
    if use.kind == PLACES or not use.every:
        return 2
    return min(max(1, -(-(use.since + use.every * SECOND - now) // SECOND)), MOST_WAIT)
