"""Limits that machines share, by a service that answers: calls spend what their machine was lent,
and nothing more; on both databases; and what is said of it that is wrong is refused.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli import build
from interlock.cli import limits as cli_limits
from interlock.cli import status as cli_status
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.limits import report
from interlock.limits.leases import read_times
from interlock.limits.meter import Meter
from interlock.model.call import Outcome, ToolCall
from interlock.model.effect import Reading
from interlock.model.leases import PLACES, RATE, TOKENS, LeaseReturn, LeaseWish, SharedLimit
from interlock.model.limits import Concurrency, CostBudget, Limits, Rate, TokenBudget
from interlock.model.usage import Usage
from interlock.policy.builtin import builtin
from interlock.service.limits.leases import end, give, renew
from interlock.service.store.rows import LeaseRow, Machine, SharedUseRow
from interlock.sidecar.leases import SidecarLeases, give_back_all
from interlock.store.database import Store
from interlock.wire.leases import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from interlock.model.decision import Decision
    from interlock.service.store.protocol import ServiceStore
    from tests.postgres import PostgresServer
    from tests.serving import Served

    Team = Callable[[str, Limits], "TeamMachine"]

RATE_LIMIT = SharedLimit("team", RATE, "*", 8, 60_000_000)
PLACES_LIMIT = SharedLimit("organisation", PLACES, "*", 2, hold=600)
MACHINES = [Machine(name, name, "", "", name, "", "", "", 0, "web") for name in ("m-1", "m-2")]


@pytest.fixture
def team(tmp_path: Path, service: Served) -> Iterator[Callable[[str, Limits], TeamMachine]]:
    """Return what makes machines of one team."""
    made: list[TeamMachine] = []

    def make(name: str, limits: Limits) -> TeamMachine:
        made.append(TeamMachine(tmp_path / name, limits, service))
        return made[-1]

    yield make
    for one in made:
        one.leases.close()


class TeamMachine:
    """An enrolled machine: its store, its guard, and its sidecar's leases, which move by hand."""

    def __init__(self, folder: Path, limits: Limits, service: Served | None) -> None:
        self.store = Store(str(folder))
        self.store.commit(())
        self.limits, self.calls = limits, 0
        self.ahead = 0.0
        if service is not None:
            self.where = service.enrolled(self.store, folder.name, "web")
            self.leases = SidecarLeases(self.store, self.where)

    def check(self) -> Decision:
        """Judge one more harmless call."""
        self.calls += 1
        return self.guard().check(self.call(self.calls))

    def call(self, number: int) -> ToolCall:
        """Return a call."""
        given = {"command": f"echo {number}"}
        return ToolCall("shell", "Bash", given, cwd="/home/u/p", session="s", call_id=f"c{number}")

    def finish(self, number: int) -> None:
        """Tell that a call has run."""
        assert self.guard().outcome(Outcome(self.call(number), "ran")) == ()

    def spend(self, tokens: int, model: str = "claude-opus-5", cost: float | None = None) -> None:
        """Tell what the agent used."""
        used = Usage(model, input=tokens, cached=10 * tokens, cost=cost)
        assert self.guard().spent(self.call(0), used) == ()

    def guard(self, ask: Any = NATIVE) -> Guard:
        """Return a guard as a new process would make it."""

        def now() -> float:
            return read_times(self.store).wall + self.ahead

        policy = builtin().replace(limits=self.limits)
        return Guard(
            policy, ask=ask, facts=Recorded("/home/u"), limits=lambda: Meter(self.store, now)
        )


def verdicts(machine: TeamMachine, number: int) -> list[str]:
    """Judge so many calls."""
    return [str(machine.check().verdict) for _ in range(number)]


def rule(decision: Decision) -> tuple[str, str]:
    """Return what decided, and how."""
    return decision.deciding[0].rule, str(decision.deciding[0].action)


def test_two_machines_share_one_rate(team: Team) -> None:
    """The first call asks for a lease and is told to come again; then each machine spends its own
    without asking anybody, and all together no more than the rate; what one does not use comes back
    to the other.
    """
    limits = Limits(rates=(Rate("8/8m", per="organisation"),))
    one, other = [team(name, limits) for name in ("one", "other")]
    first = one.check()
    assert (*rule(first), first.deciding[0].retry_after) == ("limits.rate", "throttle", 1)
    assert verdicts(other, 1) == ["deny"]
    assert one.leases.exchange()
    assert other.leases.exchange()
    assert verdicts(one, 3) == ["allow", "allow", "deny"]
    assert verdicts(other, 2) == ["allow", "deny"]
    made = 3
    for _ in range(20):
        one.leases.exchange()
        made += verdicts(one, 1) == ["allow"]
    assert made == 8
    said = one.check().deciding[0]
    assert "What the organisation may do in a time (all calls) is used up" in said.message


def test_places_are_shared_and_come_back_with_the_outcome(team: Team) -> None:
    """One machine's calls take both places; once they have run and it rests, another one has
    them.
    """
    limits = Limits(concurrent=(Concurrency(2, per="organisation"),))
    one, other = [team(name, limits) for name in ("one", "other")]
    assert verdicts(one, 1) == ["deny"]
    for _ in range(2):
        one.leases.exchange()
        assert verdicts(one, 1) == ["allow"]
    one.leases.exchange()
    assert rule(one.check()) == ("limits.concurrent", "throttle")
    assert verdicts(other, 1) == ["deny"]
    other.leases.exchange()
    assert "All 2 places for calls at once" in other.check().deciding[0].message
    one.finish(2)
    one.finish(3)
    give_back_all(one.store, one.where)
    other.store.transact(lambda connection: connection.execute("UPDATE shared_limit SET again = 0"))
    other.leases.exchange()
    assert verdicts(other, 1) == ["allow"]


def test_without_an_answer_somebody_is_asked(tmp_path: Path, team: Team) -> None:
    """What was lent can be spent; then it is asked about once nobody answered for some seconds, and
    never allowed. A machine that is enrolled nowhere asks at once.
    """
    limits = Limits(rates=(Rate("8/8m", per="organisation"),))
    one = team("one", limits)
    assert verdicts(one, 1) == ["deny"]
    one.leases.exchange()
    assert verdicts(one, 3) == ["allow", "allow", "deny"]
    one.ahead += 4
    assert rule(one.check()) == ("limits.rate", "throttle")
    one.ahead += 2
    asked = one.check()
    assert (str(asked.verdict), *rule(asked)) == ("ask", "limits.not-counted", "ask")
    assert "has not answered for 6 seconds" in asked.deciding[0].message
    one.ahead = 0
    assert rule(one.check()) == ("limits.rate", "throttle")
    one.leases.exchange()
    assert verdicts(one, 1) == ["allow"]
    alone = TeamMachine(tmp_path / "alone", limits, None)
    assert rule(alone.check()) == ("limits.not-counted", "ask")
    assert str(alone.guard(ask=None).check(alone.call(9)).verdict) == "deny"


def test_machines_share_tokens(team: Team) -> None:
    """What either used is the other's less; near the end there is a warning, at the end a no until
    the period is over; tokens that come from a cache count where the policy says so.
    """
    limits = Limits(tokens=(TokenBudget(1000, per="team", every=86400, cached=False),))
    one, other = [team(name, limits) for name in ("one", "other")]
    for machine in (one, other):
        machine.spend(0)
        assert rule(machine.check()) == ("limits.tokens", "throttle")
        machine.leases.exchange()
        assert verdicts(machine, 1) == ["allow"]
    one.spend(700)
    one.leases.exchange()
    warned = one.check()
    assert (str(warned.verdict), *rule(warned)) == ("allow", "limits.tokens", "warn")
    assert "tokens that the team shares, 182 are left for all" in warned.deciding[0].message
    other.spend(400)
    one.spend(100)
    for machine in (other, one):
        machine.leases.exchange()
        machine.check()
        machine.leases.exchange()
        denied = machine.check()
        assert rule(denied) == ("limits.tokens", "deny")
        assert "The 1000 tokens that the team shares" in denied.deciding[0].message


def test_machines_share_money(team: Team) -> None:
    """What is over it is asked about, in the role that the policy names; a model without a price
    cannot be counted.
    """
    limits = Limits(costs=(CostBudget(1.0, per="organisation", approver="lead"),))
    one = team("one", limits)
    one.spend(0)
    one.check()
    one.leases.exchange()
    assert verdicts(one, 1) == ["allow"]
    one.spend(1, cost=1.5)
    one.check()
    one.leases.exchange()
    one.leases.exchange()
    asked = one.check()
    assert rule(asked) == ("limits.cost", "ask")
    assert "The $1.00 that the organisation shares are used up" in asked.deciding[0].message
    one.spend(5, model="nobody-knows")
    assert "nobody knows what nobody-knows costs" in str(one.check().findings)


def test_what_does_not_run_costs_nothing(team: Team) -> None:
    """A call that people refuse gives back what it took of a lease."""
    limits = Limits(rates=(Rate("8/8m", per="organisation"),))
    one = team("one", limits)
    one.check()
    one.leases.exchange()
    meter, call = Meter(one.store), one.call(99)
    policy = builtin().replace(limits=limits)
    for number in range(5):
        meter.release(meter.charge(call, Reading(()), policy, f"d{number}"))
    assert verdicts(one, 3) == ["allow", "allow", "deny"]


# -- what people see of it ------------------------------------------------------------------------


def test_people_see_what_is_left(
    team: Team, service: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the page of machines, in the metrics, and on the machine; nothing is said where nothing is
    shared.
    """
    limits = Limits(
        rates=(Rate("8/8m", "bash_commands", "organisation"),),
        costs=(CostBudget(1000.0, per="team", every=86400),),
    )
    one = team("one", limits)
    reader = service.person("ada", "reader", "operator")
    page = {**reader, "Accept": "text/html"}
    assert "Limits that machines share" not in service.ask("GET", "/machines", page).text
    assert list(report.render_shared(one.store)) == []
    one.spend(0)
    one.check()
    one.leases.exchange()
    assert verdicts(one, 1) == ["allow"]
    shown = service.ask("GET", "/machines", page).text
    table = " ".join(shown.partition("Limits that machines share")[2].split())
    assert "calls (bash_commands), one more every 60 s" in table
    assert "dollars in 86,400 s" in table
    assert 'data-label="left" class="number">750</td>' in table
    assert "near its end" not in table
    said = [row.said for row in report.render_shared(one.store)]
    assert "calls of the organisation: 1 of 8 may be used here, 6 that nobody has" in said
    assert "dollars of the team: 250 of 1,000 may be used here, 750 that nobody has" in said
    metrics = service.ask("GET", "/metrics", reader).text
    assert "interlock_leases 2.0" in metrics
    assert "interlock_limits_near_end 0.0" in metrics
    one.spend(1, cost=999.0)
    one.leases.exchange()
    assert "near its end" in service.ask("GET", "/machines", page).text
    assert "interlock_limits_near_end 1.0" in service.ask("GET", "/metrics", reader).text
    monkeypatch.setattr(build, "store", lambda _: one.store)
    assert cli_limits.run(Namespace(action=None, json=False)) == 0
    assert "shared with other machines" in capsys.readouterr().out
    cli_status.run(Namespace(json=True))
    shared = json.loads(capsys.readouterr().out)["shared"]
    assert (shared["state"], len(shared["said"])) == ("green", 2)


# -- what both databases do ------------------------------------------------------------------------


def wish(name: str, limit: SharedLimit = RATE_LIMIT, amount: int = 100) -> LeaseWish:
    """Return what a machine asks for."""
    return LeaseWish(limit, name, amount)


def test_a_lease_is_given_once_and_ends_once(keeping: ServiceStore) -> None:
    """Asked for twice it is the same; told twice that it ended, it has ended once."""
    one, other = MACHINES
    given = [keeping.write(lambda steps: give(steps, one, wish("l-1"))) for _ in range(2)]
    assert [(two.amount, two.left) for two in given] == [(2, 6), (2, 6)]
    assert keeping.write(lambda steps: give(steps, other, wish("l-1"))).amount == 1
    back = LeaseReturn(RATE_LIMIT, "l-1", 2, 1)
    for _ in range(2):
        keeping.write(lambda steps: end(steps, one, back))
    assert keeping.write(lambda steps: give(steps, one, wish("l-1"))).amount == 0
    assert keeping.write(lambda steps: give(steps, one, wish("l-2"))).left == 5
    assert keeping.write(lambda steps: renew(steps, one, "l-1")) == 0
    assert keeping.write(lambda steps: renew(steps, one, "l-2")) == 60
    [use] = keeping.read(lambda known: known.shared_uses())
    assert (use.scope, use.what) == ("team:web", RATE_LIMIT.what)


def test_places_are_lent_one_by_one(keeping: ServiceStore) -> None:
    """As many as there are, then none, with the time after which to ask again."""
    one = MACHINES[0]
    found = [
        keeping.write(lambda steps, name=name: give(steps, one, wish(name, PLACES_LIMIT)))  # type: ignore[misc]
        for name in ("l-1", "l-2", "l-3")
    ]
    assert [(two.amount, two.left, two.wait) for two in found] == [(1, 1, 0), (1, 0, 2), (0, 0, 2)]


def test_two_nodes_never_lend_more_than_there_is(postgres: PostgresServer) -> None:
    """Four machines ask two nodes at once, again and again: most of a budget is lent, no token of it
    twice, and the count says how much.
    """
    url, key = postgres.create_database(), os.urandom(32)
    budget = SharedLimit("organisation", TOKENS, "*", 1000)
    with ExitStack() as ends:
        nodes = [ends.enter_context(closing(postgres.open_tenant(url, "", key))) for _ in "ab"]

        def ask(number: int) -> int:
            machine = MACHINES[0].replace(id=f"m-{number % 4}")
            new = wish(f"l-{number}", budget, 1 + number % 50)
            return nodes[number % 2].write(lambda steps: give(steps, machine, new)).amount

        with ThreadPoolExecutor(4) as pool:
            lent = [*pool.map(ask, range(60))]
        rest = ask(50 * 59 + 49)
        assert 500 < sum(lent) + rest <= 1000
        assert nodes[0].read(lambda known: known.shared_uses())[0].used == sum(lent) + rest
        assert len(nodes[1].read(lambda known: known.leases("organisation:", budget.what))) == 61


def test_rows_come_back_as_they_were_kept(keeping: ServiceStore) -> None:
    """Counts and leases, with the largest numbers; what is long over is forgotten."""
    use = SharedUseRow("organisation:", "x", "tokens", 10**15, 0, 60, 2**53, 10**15, 0, 2**53)
    lease = LeaseRow("m-1", "l-1", use.scope, use.what, 10**15, -1, 2**53, 2**53)
    keeping.write(lambda steps: steps.put_shared_use(use))
    keeping.write(lambda steps: steps.put_lease(lease))
    assert keeping.read(lambda known: known.shared_use(use.scope, use.what)) == use
    assert keeping.read(lambda known: known.leases(use.scope, use.what)) == [lease]
    ended = lease.replace(used=7)
    keeping.write(lambda steps: steps.put_lease(ended))
    assert keeping.read(lambda known: known.leases(use.scope, use.what)) == []
    assert keeping.read(lambda known: known.lease("m-1", "l-1")) == ended
    before, after = [keeping.read(lambda known: known.clock()) for _ in range(2)]
    assert 1_700_000_000_000_000 < before <= after
    keeping.write(lambda steps: steps.forget_leases(2**53 + 1))
    assert keeping.read(lambda known: known.lease("m-1", "l-1")) is None


WRONG: list[dict[str, Any]] = [
    {"want": "all"},
    {"want": [{}]},
    {"want": [{**plain(wish("l-1")), "amount": -1}]},
    {"want": [{**plain(wish("l-1")), "amount": 0}]},
    {"want": [{**plain(wish("l-1")), "id": ""}]},
    {"want": [plain(wish("l-1", RATE_LIMIT.replace(scope="user")))]},
    {"want": [plain(wish("l-1", PLACES_LIMIT.replace(most=0)))]},
    {"back": [{**plain(LeaseReturn(RATE_LIMIT, "l-1", 1, 1)), "used": 1.5}]},
    {"keep": [1]},
    {"keep": ["l"] * 65},
]


@pytest.mark.parametrize("said", WRONG, ids=range(len(WRONG)))
def test_what_is_no_word_about_leases_is_refused(
    tmp_path: Path, service: Served, said: dict[str, Any]
) -> None:
    """With one sentence; a right word is answered, and nobody without a credential is."""
    where = service.enrolled(Store(str(tmp_path / "one")))
    headers = {"Authorization": f"Bearer {where.credential}"}
    answer = service.ask("POST", "/v1/leases", headers, json.dumps(said))
    assert (answer.status, answer.json["type"]) == (400, "malformed")
    right = json.dumps({"want": [plain(wish("l-1"))]})
    assert service.ask("POST", "/v1/leases", headers, right).json["leases"][0]["amount"] == 2
    assert service.ask("POST", "/v1/leases", {}, right).status == 401
