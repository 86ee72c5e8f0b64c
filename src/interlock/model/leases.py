"""Limits that several machines share, in numbers, and leases: the parts of a limit that one machine
may use up by itself.

A lease has a name that the machine draws, so that asking twice is asking once. What is used of it
is told once it is over, and what is left is the service's again.
"""

from __future__ import annotations

from interlock.model.record import Record

RATE, PLACES, TOKENS, COST = "rate", "places", "tokens", "cost"
KINDS = (RATE, PLACES, TOKENS, COST)
MOST_WAIT = 30
"""Seconds after which whoever got nothing asks again, at most."""


class SharedLimit(Record):
    """A limit in numbers. ``scope``: who shares it; ``tools``: the calls that it counts, as the
    policy writes them, of budgets what they count; ``most``: calls of a burst, places, tokens or
    millionths of a dollar; ``each``: microseconds after which one call of a rate is paid off;
    ``every``: seconds of a budget's period, 0: it has none; ``hold``: seconds for which a call that
    does not end keeps its place; ``reserve``: what of a budget is set aside for each call.
    """

    scope: str
    kind: str
    tools: str
    most: int
    each: int = 0
    every: int = 0
    hold: int = 0
    reserve: int = 0

    @property
    def what(self) -> str:
        """What is counted: one count, whatever a policy allows of it; rates have one for each."""
        if self.kind == RATE:
            return f"{RATE} {self.tools} {self.most} {self.each}"
        return f"{self.kind} {self.tools} {self.every}"


class LeaseReturn(Record):
    """A lease that is over: of which limit, what of its amount was used; it may be more."""

    limit: SharedLimit
    id: str
    amount: int
    used: int


class LeaseWish(Record):
    """A lease that is asked for: of which limit, how much at most."""

    limit: SharedLimit
    id: str
    amount: int


class LeaseAnswer(Record):
    """What came of a wish. ``amount``: 0 where nothing is left; ``seconds``: how long it holds,
    from when it was asked for; ``left``: what nobody has yet; ``wait``: seconds after which asking
    again may bring something.
    """

    id: str
    amount: int
    seconds: int
    left: int
    wait: int
