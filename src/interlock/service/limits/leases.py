"""Leases, within one transaction of the database: whoever asks for the same again gets the same
again, and what ended has ended once.
"""

from __future__ import annotations

from interlock.model.leases import LeaseAnswer, LeaseReturn, LeaseWish, SharedLimit
from interlock.service.limits.shared_use import (
    SECOND,
    begin_use,
    bring_forward,
    count_room,
    find_over,
    find_share,
    find_wait,
    is_over,
    lend,
    new_lease,
    prolong,
    take_back,
)
from interlock.service.store.leases_protocol import LeaseWriter
from interlock.service.store.rows import OUT, LeaseRow, Machine, SharedUseRow

MOST_LIMITS = 1000
"""Shared limits that are counted: machines name them, and might name any number."""
KEPT_SECONDS = 86400
"""How long the end of a lease is remembered: nothing that is sent twice comes so late."""


class TooManyLimitsError(Exception):
    """More shared limits are named than are counted."""


def scope_of(limit: SharedLimit, machine: Machine) -> str:
    """Return who shares a limit: a machine says what it is in by being enrolled so."""
    return f"team:{machine.team}" if limit.scope == "team" else f"{limit.scope}:"


def give(keeping: LeaseWriter, machine: Machine, wish: LeaseWish) -> LeaseAnswer:
    """Give a machine a lease; raises ``TooManyLimitsError``."""
    now = keeping.clock()
    use, out = _current(keeping, machine, wish.limit, now)
    known = keeping.lease(machine.id, wish.id)
    if known is not None:
        keeping.put_shared_use(use)
        if known.used != OUT:
            return _answer(wish, use, out, (0, now), now)
        # who asks again heard no answer, and used nothing of it
        known = prolong(known, now)
        keeping.put_lease(known)
        return _answer(wish, use, out, (known.amount, known.until), now)
    room = count_room(use, wish.limit, out, now)
    amount = find_share(wish.limit, room, wish.amount, out, machine.id)
    lease = new_lease(use, wish.limit, (machine.id, wish.id), amount, now)
    if amount:
        keeping.put_lease(lease)
        use, out = lend(use, amount), [*out, lease]
    keeping.put_shared_use(use)
    return _answer(wish, use, out, (amount, lease.until), now)


def renew(keeping: LeaseWriter, machine: Machine, name: str) -> int:
    """Have a lease hold longer; return for how many seconds, 0 where it is over."""
    now, known = keeping.clock(), keeping.lease(machine.id, name)
    if known is None or known.used != OUT or is_over(known, now):
        return 0
    longer = prolong(known, now)
    keeping.put_lease(longer)
    return (longer.until - now) // SECOND


def end(keeping: LeaseWriter, machine: Machine, told: LeaseReturn) -> None:
    """Take a lease back; raises ``TooManyLimitsError``. Of one that is not known any more, or never
    was, it counts what was used beyond it.
    """
    now = keeping.clock()
    use, _ = _current(keeping, machine, told.limit, now)
    known = keeping.lease(machine.id, told.id)
    if known is None:
        known = new_lease(use, told.limit, (machine.id, told.id), told.amount, now)
        use = take_back(use, told.amount, max(told.amount, told.used))
    elif known.used == OUT and (known.scope, known.what) == (use.scope, use.what):
        use = take_back(use, known.amount, told.used)
    else:
        keeping.put_shared_use(use)
        return
    keeping.put_lease(known.replace(used=told.used))
    keeping.put_shared_use(use)
    keeping.forget_leases(now - KEPT_SECONDS * SECOND)


def _current(
    keeping: LeaseWriter, machine: Machine, limit: SharedLimit, now: int
) -> tuple[SharedUseRow, list[LeaseRow]]:
    """Return a count as it stands, which is to be kept, and the leases that are out."""
    scope = scope_of(limit, machine)
    use = keeping.shared_use(scope, limit.what)
    if use is None:
        if len(keeping.shared_uses()) >= MOST_LIMITS:
            raise TooManyLimitsError
        use = begin_use(limit, scope, now)
    out = keeping.leases(scope, limit.what)
    use = bring_forward(use.replace(most=limit.most), out, now)
    over = find_over(use, out, now)
    for one in over:
        keeping.put_lease(one.replace(used=one.amount))
    return use, [one for one in out if one not in over]


def _answer(
    wish: LeaseWish,
    use: SharedUseRow,
    out: list[LeaseRow],
    given: tuple[int, int],
    now: int,
) -> LeaseAnswer:
    amount, until = given
    left = count_room(use, wish.limit, out, now)
    seconds = (until - now) // SECOND if amount else 0
    wait = 0 if left else find_wait(use, now)
    return LeaseAnswer(wish.id, amount, seconds, left, wait)
