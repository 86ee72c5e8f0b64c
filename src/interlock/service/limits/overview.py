"""How shared limits stand: what was used, what is lent, what nobody has."""

from __future__ import annotations

from interlock.limits.prices import DOLLAR
from interlock.model.leases import COST, PLACES, RATE, SharedLimit
from interlock.model.record import Record
from interlock.service.limits.shared_use import SECOND, bring_forward, count_room, is_over
from interlock.service.store.leases_protocol import LeaseReader
from interlock.service.store.rows import SharedUseRow

NEAR = 0.1
"""A limit is near its end where no more than this part of it is left."""


class SharedView(Record):
    """A shared limit as it stands. ``said``: what is limited, in words; ``used``, ``lent`` and
    ``left`` of ``most``, in calls, places, tokens or dollars.
    """

    scope: str
    said: str
    most: float
    used: float
    lent: float
    left: float
    leases: int

    @property
    def near(self) -> bool:
        """Whether little of it is left."""
        return self.left <= self.most * NEAR


def list_shared(known: LeaseReader) -> list[SharedView]:
    """Return all shared limits, those with the least left first."""
    now = known.clock()
    found = [_view(known, use, now) for use in known.shared_uses()]
    return sorted(found, key=lambda one: (one.left / one.most, one.scope, one.said))


def _view(known: LeaseReader, use: SharedUseRow, now: int) -> SharedView:
    out = known.leases(use.scope, use.what)
    there = [one for one in out if not is_over(one, now)]
    use = bring_forward(use, out, now)
    limit = SharedLimit(use.scope, use.kind, "", use.most, use.each, use.every)
    lent = sum(one.amount for one in there)
    left = count_room(use, limit, there, now)
    # more than all may be used of a budget: then nothing is left
    used = use.used - lent if use.kind not in (RATE, PLACES) else use.most - left - lent
    unit = DOLLAR if use.kind == COST else 1
    scope = use.scope.removesuffix(":")
    return SharedView(
        scope, _describe(use), use.most / unit, max(0, used) / unit, lent / unit, left / unit,
        len(there),
    )  # fmt: skip


def _describe(use: SharedUseRow) -> str:
    """Return what is limited, in words."""
    tools = use.what.split(" ")[1]
    calls = "calls" if tools in ("*", "") else f"calls ({tools})"
    if use.kind == RATE:
        return f"{calls}, one more every {use.each / SECOND:g} s"
    if use.kind == PLACES:
        return f"{calls} at once"
    what = "dollars" if use.kind == COST else "tokens" if tools == "*" else f"tokens ({tools})"
    return f"{what} in {use.every:,} s" if use.every else what
