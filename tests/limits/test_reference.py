"""Whatever is played on a meter, it answers as twenty lines of plain arithmetic do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.model.effect import Reading
from interlock.model.limits import Concurrency, Limits, Rate, TokenBudget
from interlock.model.usage import Usage
from tests.limits.counting import World

if TYPE_CHECKING:
    import pytest

    from interlock.model.call import ToolCall

LEASE = 50


class Plain:
    """The reference: lists of what passed and what runs, looked through each time."""

    def __init__(self, count: int, most: int, budget: int, reserve: int) -> None:
        self.count, self.most, self.budget, self.reserve = count, most, budget, reserve
        self.passed: list[float] = []
        self.running: dict[str, float] = {}
        self.used = 0

    def charge(self, name: str, now: float) -> bool:
        """Tell whether a call passes; if it does it runs."""
        level = 0.0
        for number, at in enumerate(self.passed):
            level = (
                max(
                    level - (at - self.passed[number - 1] if number else 0.0) * self.count / 60, 0.0
                )
                + 1
            )
        if self.passed:
            level = max(level - (now - self.passed[-1]) * self.count / 60, 0.0)
        alive = [one for one, ends in self.running.items() if ends > now]
        if (
            level > self.count - 1 + 1e-4
            or len(alive) >= self.most
            or self.used + (len(alive) + 1) * self.reserve >= self.budget * 0.95
        ):
            return False
        self.passed.append(now)
        self.running[name] = now + LEASE
        return True

    def settle(self, name: str, tokens: int) -> None:
        """End a call, once."""
        if self.running.pop(name, None) is not None:
            self.used += tokens


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), st.integers(0, 0)),
        st.tuples(st.just("wait"), st.integers(1, 40)),
        st.tuples(st.just("settle"), st.integers(0, 9)),
        st.tuples(st.just("refuse"), st.integers(0, 0)),
    ),
    max_size=40,
)


@settings(max_examples=60)
@given(steps=STEPS, count=st.integers(1, 6), most=st.integers(1, 4), reserve=st.integers(0, 60))
def test_as_plain_arithmetic(
    steps: list[tuple[str, int]],
    count: int,
    most: int,
    reserve: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Calls, waits, outcomes told once or twice, and calls that a person refuses: the same pass,
    and the same is counted.
    """
    limits = Limits(
        rates=(Rate(f"{count}/minute"),),
        concurrent=(Concurrency(most),),
        tokens=(TokenBudget(400, reserve=reserve),),
        lease=LEASE,
    )
    world = World(tmp_path_factory.mktemp("w"), limits)
    world.meter.spent(world.call(), Usage(), world.policy)
    plain = Plain(count, most, 400, reserve)
    ran: list[ToolCall] = []
    for what, number in steps:
        if what == "wait":
            world.now += number
        elif what == "settle" and ran:
            call = ran[number % len(ran)]
            world.ran(call, usage=Usage("claude-opus-5", 30))
            plain.settle(call.call_id, 30)
        elif what in ("call", "refuse"):
            call = world.call()
            charge = world.meter.charge(
                call, Reading(()), world.policy.replace(observe=True), f"d-{call.call_id}"
            )
            passes = not any(
                str(finding.action) in ("throttle", "deny") for finding in charge.findings
            )
            expected = plain.charge(call.call_id, world.now)
            assert passes is expected, (what, charge.findings)
            if passes and what == "refuse":
                world.meter.release(charge)
                plain.passed.pop()
                del plain.running[call.call_id]
            elif passes:
                ran.append(call)
    [(used,)] = world.store.query("SELECT input FROM spending WHERE scope = 'session:s'")
    assert used == plain.used
