"""Laws of limits that machines share, over a simulated fleet: whatever is lost, doubled, killed or
set wrong, no more is used than the limit; and where nothing goes wrong, all of it can be used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.limits.leases import leases_of, spend
from interlock.model.leases import MOST_WAIT, TOKENS, LeaseReturn
from interlock.service.limits.leases import end
from tests.service.lease_fleet import BUDGET, PLACES_LIMIT, RATE_LIMIT, SimulatedFleet, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.limits.leases import LeaseTimes
    from interlock.model.leases import SharedLimit
    from interlock.sidecar.leases import LeasePlan
    from tests.service.lease_fleet import FleetMachine

MACHINES = 3
FAULTS = ("lost", "unheard", "twice")
FleetStep = tuple[str, int, int]
FleetResult = tuple[list["CallSpan"], int, int]
CallSpan = tuple[str, float, float]
"""A call that went on: its machine, when it began, until when it counts."""
WHO = st.integers(0, MACHINES - 1)


def step(*what: str, amounts: tuple[int, ...] = (1,)) -> st.SearchStrategy[FleetStep]:
    """Return steps of one machine, one of them each time."""
    return st.tuples(st.sampled_from(what), WHO, st.sampled_from(amounts))


STEPS = st.one_of(
    step("work", "stock", amounts=(1, 2, 4)),
    step("work", "stock", amounts=(1, 2, 4)),
    step("call", "begin", amounts=(1, 3, 8)),
    step("wait", amounts=(3, 10, 25, 40, 70)),
    step("wait", amounts=(3, 10, 25, 40, 70)),
    step(*FAULTS),
    step("late", "delivered", "restart", "finish"),
    step("skew", amounts=(-60, -20, -10, 0, 10, 60)),
)
"""``work``: talk and make calls, in turns; ``stock``: have something lent, and use nothing;
``begin``: make calls that run until they ``finish``.
"""


def find_over_rate(limit: SharedLimit, calls: list[float]) -> list[tuple[float, float]]:
    """Return the stretches of time in which more calls went on than burst and rate allow."""
    return [
        (first, last)
        for number, first in enumerate(calls)
        for more, last in enumerate(calls[number:])
        if more + 1 > limit.most + (last - first) * 1_000_000 / limit.each + 1e-6
    ]


def find_over_places(limit: SharedLimit, spans: list[CallSpan]) -> list[float]:
    """Return when more calls had places than there are."""
    return [
        begun
        for _, begun, _ in spans
        if sum(one <= begun < until for _, one, until in spans) > limit.most
    ]


def run_fleet(limit: SharedLimit, steps: list[FleetStep]) -> FleetResult:
    """Do the steps; return the calls that went on: whose, and from when to when they count; what
    they used of a budget, and how often its period began anew.
    """
    spans: list[CallSpan] = []
    since: set[int] = set()
    spent = 60 if limit.kind == TOKENS else 0
    with SimulatedFleet(MACHINES) as fleet:
        late: list[tuple[FleetMachine, LeasePlan, LeaseTimes]] = []
        for what, number, amount in steps:
            machine = fleet.machines[number]
            if what in ("call", "begin", "work", "stock", *FAULTS):
                made = 0
                for _ in range(amount):
                    if what in ("work", "stock"):
                        machine.note(limit)
                    if what not in ("call", "begin"):
                        fleet.talk(machine, what)
                    tries = {"call": 1, "begin": 1, "work": 4}.get(what, 0)
                    runs = what == "begin"
                    made += sum(machine.call(limit, spent, runs=runs) for _ in range(tries))
                fleet.spent += 0 if what == "begin" else made * spent
                spans += [(machine.name, fleet.now, fleet.now + limit.hold)] * made
            elif what == "late":
                begun = machine.begin()
                late += [(machine, *begun)] if begun is not None else []
            elif what == "delivered" and late:
                sender, said, asked = late.pop(0)
                sender.take(said, fleet.serve(sender, said), asked)
            elif what == "skew" and limit is RATE_LIMIT:  # how long a place is held hangs on it
                machine.skew = amount
            elif what == "restart":
                machine.starts += 1
            elif what == "finish":
                fleet.spent += machine.finish(limit)
                spans = [
                    (name, begun, min(until, fleet.now) if name == machine.name else until)
                    for name, begun, until in spans
                ]
            elif what == "wait":
                fleet.now += amount
            use = fleet.keeping.shared_use("organisation:", limit.what)
            since |= {use.since} if use is not None else set()
        return spans, fleet.spent, len(since)


@given(st.lists(STEPS, max_size=25))
def test_a_shared_rate_is_never_overspent(steps: list[FleetStep]) -> None:
    """Lost, doubled, late, with clocks set and machines started anew."""
    calls = [begun for _, begun, _ in run_fleet(RATE_LIMIT, steps)[0]]
    assert find_over_rate(RATE_LIMIT, calls) == []


@given(st.lists(STEPS, max_size=25))
def test_shared_places_are_never_overspent(steps: list[FleetStep]) -> None:
    """A place is nobody else's before no call that began in it can count."""
    assert find_over_places(PLACES_LIMIT, run_fleet(PLACES_LIMIT, steps)[0]) == []


@given(st.sampled_from([0, 60]), st.lists(STEPS, max_size=25))
def test_a_shared_budget_is_never_overspent(every: int, steps: list[FleetStep]) -> None:
    """With a reserve for each call: in no period more than it, and without one never."""
    limit = BUDGET.replace(every=every)
    _, spent, periods = run_fleet(limit, steps)
    assert spent <= limit.most * (periods if every else 1)


@pytest.mark.long
@settings(max_examples=500)
@given(
    st.sampled_from([RATE_LIMIT, PLACES_LIMIT, BUDGET]), st.lists(STEPS, min_size=20, max_size=90)
)
def test_no_shared_limit_is_overspent_at_length(limit: SharedLimit, steps: list[FleetStep]) -> None:
    """The same, longer."""
    spans, spent, _ = run_fleet(limit, steps)
    if limit is BUDGET:
        assert spent <= limit.most
    elif limit is PLACES_LIMIT:
        assert find_over_places(limit, spans) == []
    else:
        assert find_over_rate(limit, [begun for _, begun, _ in spans]) == []


def take_turns(fleet: SimulatedFleet, number: int, seconds: int) -> Iterator[FleetMachine]:
    """Yield one machine after the other, each so much later and when it has talked."""
    for turn in range(number):
        fleet.now += seconds
        machine = fleet.machines[turn % len(fleet.machines)]
        fleet.talk(machine)
        yield machine


def test_all_of_a_rate_can_be_used() -> None:
    """Without faults: the burst at once, and then as fast as the rate goes."""
    with SimulatedFleet(MACHINES) as fleet:
        made = 0
        for machine in take_turns(fleet, 120, 1):
            made += sum(machine.call(RATE_LIMIT) for _ in range(3))
        rate = 120 * 1_000_000 / RATE_LIMIT.each
        assert made >= 0.9 * (RATE_LIMIT.most + rate)


def test_all_of_a_budget_can_be_used() -> None:
    """Without faults all machines together use all but what is less than a reserve, and what is more
    than was lent counts, too.
    """
    with SimulatedFleet(MACHINES) as fleet:
        machine = fleet.machines[0]
        made = sum(10 * machine.call(BUDGET, 10) for machine in take_turns(fleet, 150, 3))
        assert made > BUDGET.most - MACHINES * 10
        with written(machine.store):
            spend(machine.store, BUDGET, 500)
        fleet.now += 30
        for one in fleet.machines:
            fleet.talk(one)
        use = fleet.keeping.shared_use("organisation:", BUDGET.what)
        assert use is not None
        assert use.used == made + 500


def test_all_places_can_be_taken_and_come_back() -> None:
    """By one machine, and after its calls have ended by another one."""
    with SimulatedFleet(2) as fleet:
        for machine in fleet.machines:
            made = 0
            for _ in range(40):
                fleet.now += 1
                fleet.talk(machine)
                made += machine.call(PLACES_LIMIT) if made < PLACES_LIMIT.most else 0
            assert made == PLACES_LIMIT.most
            machine.finish(PLACES_LIMIT)
            fleet.now += 30
            fleet.talk(machine)


def test_what_is_lent_of_a_rate_is_part_of_its_burst() -> None:
    """Leases lie unused while all would have been paid off: then a burst passes, and no call more;
    without the wait it does, too.
    """
    for waited in (0, 45):
        with SimulatedFleet(MACHINES) as fleet:
            for machine in fleet.machines:
                machine.note(RATE_LIMIT)
                fleet.talk(machine)
            fleet.now += waited
            made = 0
            for turn in range(30):
                machine = fleet.machines[turn % MACHINES]
                machine.note(RATE_LIMIT)
                fleet.talk(machine)
                made += sum(machine.call(RATE_LIMIT) for _ in range(4))
            assert made == RATE_LIMIT.most


def test_a_place_is_nobody_else_s_while_a_call_in_it_may_count() -> None:
    """Also when its machine is heard of no more: until the call that began last counts no more."""
    with SimulatedFleet(2) as fleet:
        one, other = fleet.machines
        for _ in range(PLACES_LIMIT.most):
            one.note(PLACES_LIMIT)
            fleet.talk(one)
            assert one.call(PLACES_LIMIT)
        one.finish(PLACES_LIMIT)
        fleet.now += 59
        assert [one.call(PLACES_LIMIT) for _ in range(5)] == [True] * 4 + [False]
        for passed, free in ((PLACES_LIMIT.hold, False), (7, True)):
            fleet.now += passed
            other.note(PLACES_LIMIT)
            fleet.talk(other)
            assert other.call(PLACES_LIMIT) is free


def test_what_was_lent_is_spent_offline_until_it_ends() -> None:
    """Nobody answers: what is left of the lease goes on, and then no call does, nor when a clock is
    set back, nor in a copy of the machine.
    """
    with SimulatedFleet(1) as fleet:
        [machine] = fleet.machines
        assert not machine.call(RATE_LIMIT)
        fleet.talk(machine)
        fleet.now += 10
        assert machine.call(RATE_LIMIT)
        machine.starts += 1
        assert not machine.call(RATE_LIMIT)
        machine.starts -= 1
        assert machine.call(RATE_LIMIT)
        fleet.now, machine.skew = fleet.now + 60, -60
        assert not machine.call(RATE_LIMIT)


def test_what_is_left_comes_back() -> None:
    """A machine that makes no calls any more gives its lease back, and others get it."""
    with SimulatedFleet(2) as fleet:
        one, other = fleet.machines
        one.call(RATE_LIMIT)
        fleet.talk(one)
        [held] = fleet.keeping.leases("organisation:", RATE_LIMIT.what)
        assert (held.machine, held.amount) == ("m0", 3)
        fleet.now += 25
        fleet.talk(one)
        assert fleet.keeping.leases("organisation:", RATE_LIMIT.what) == []
        other.call(RATE_LIMIT)
        fleet.talk(other)
        assert [row.machine for row in fleet.keeping.leases("organisation:", RATE_LIMIT.what)] == [
            "m1"
        ]


def test_as_many_calls_run_at_once_as_a_budget_is_set_aside_for() -> None:
    """On one machine: what calls hold is no reason to ask for nothing. One call more does not."""
    limit = BUDGET.replace(reserve=100)
    with SimulatedFleet(1) as fleet:
        [machine] = fleet.machines
        machine.note(limit)
        made = sum(one.call(limit, 100, runs=True) for one in take_turns(fleet, 20, 1))
        assert made == 10
        assert machine.finish(limit) == BUDGET.most


def test_what_a_running_call_has_set_aside_is_not_given_back() -> None:
    """However long it runs, and its lease does not end; when the call ends, the rest comes back."""
    with SimulatedFleet(1) as fleet:
        [machine] = fleet.machines
        machine.note(BUDGET)
        fleet.talk(machine)
        assert machine.call(BUDGET, 100, runs=True)
        for _ in take_turns(fleet, 10, 25):
            [out] = fleet.keeping.leases("organisation:", BUDGET.what)
            assert out.until > fleet.keeping.clock()
        machine.finish(BUDGET)
        fleet.talk(machine)
        assert fleet.keeping.leases("organisation:", BUDGET.what) == []
        use = fleet.keeping.shared_use("organisation:", BUDGET.what)
        assert use is not None
        assert use.used == 100


def test_who_gets_nothing_asks_again_when_there_may_be_something() -> None:
    """Not with each look, however many calls meet the limit: one question each half minute."""
    limit, asked = BUDGET.replace(every=86400), 0
    with SimulatedFleet(1) as fleet:
        [machine] = fleet.machines
        machine.note(limit)
        fleet.talk(machine)
        with written(machine.store):
            spend(machine.store, limit, BUDGET.most)
        for _ in range(4 * 60):
            fleet.now += 0.25
            assert not machine.call(limit)
            asked += machine.begin() is not None
            fleet.talk(machine)
        assert asked == 60 // MOST_WAIT


@pytest.mark.parametrize("how", ["asks again", "rests", "ends"])
def test_an_answer_that_nobody_heard_costs_nothing(how: str) -> None:
    """Neither where the service is away for longer than a lease lasts, nor where no call wants it
    any more, nor where the machine ends: what counts as used is what the machine has.
    """
    with SimulatedFleet(1) as fleet:
        [machine] = fleet.machines
        machine.note(BUDGET)
        fleet.talk(machine, "unheard")
        fleet.now += 0 if how == "ends" else 70
        if how == "asks again":
            machine.note(BUDGET)
        fleet.talk(machine, last=how == "ends")
        use = fleet.keeping.shared_use("organisation:", BUDGET.what)
        assert use is not None
        there = sum(lease.rest for lease in leases_of(machine.store, BUDGET))
        assert (use.used, there) == ((250, 250) if how == "asks again" else (0, 0))


def test_a_lease_ends_in_the_limit_that_it_was_lent_of() -> None:
    """Told as one of another limit it takes nothing from what was used of that one."""
    team = BUDGET.replace(scope="team")
    with SimulatedFleet(2) as fleet:
        one, other = fleet.machines
        for machine, limit in ((one, team), (other, BUDGET)):
            machine.note(limit)
            fleet.talk(machine)
        [held] = leases_of(one.store, team)
        for limit, left in ((BUDGET, 250), (team, 0)):
            with written(fleet.database):
                end(fleet.keeping, one.row, LeaseReturn(limit, held.id, held.amount, 0))
            used = [use.used for use in fleet.keeping.shared_uses() if use.kind == TOKENS]
            assert used == [250, left]
