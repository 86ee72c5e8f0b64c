"""A yes that another machine may use: the first that makes the call gets it, for one retry more, and
it is spent once in the whole fleet.
"""

from __future__ import annotations

import json
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.approvals.requests import GRANTED, PENDING, REFUSED, SPENT
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.service.approvals.anywhere import hand_over
from interlock.service.approvals.claims import ClaimError, claim
from interlock.service.approvals.votes import VoteAnswer, vote
from interlock.service.secrets import later
from interlock.service.signing import Signer
from interlock.service.store.rows import Claim, RequestRow
from interlock.store.chain import now
from tests.approvals.test_anywhere import clone
from tests.service.conftest import DATABASES, open_empty
from tests.service.test_inbox import bearer, page, sent, state
from tests.service.test_votes import enlist, person
from tests.serving import Served, listening, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore
    from interlock.store.elsewhere import EnrolmentState
    from tests.approving import Desk

CALL = "rm a.txt"


class Runner:
    """A clone on an enrolled machine."""

    def __init__(self, service: Served, folder: Path, owner: str = "", **demand: object) -> None:
        self.desk: Desk = clone(folder, approver="lead", **demand)  # type: ignore[arg-type]
        self.where: EnrolmentState = service.enrolled(self.desk.store, folder.name)
        if owner:
            assert service.scene.keeping.write(lambda steps: steps.own(self.where.machine, owner))
        self._service = service

    def ask(self, command: str = CALL) -> str:
        """Have the call ask; return its request's number."""
        return self.desk.requested(command)

    def look(self) -> None:
        """Have its sidecar look once."""
        sent(self._service, self.where, self.desk)

    def state(self, name: str) -> str:
        """Return how a request stands at the service."""
        return state(self._service, self.where, name)

    def retry(self, command: str = CALL) -> list[object]:
        """Make the call twice; return what is answered."""
        return [self.desk.check(command).verdict for _ in range(2)]


def answered(service: Served, runner: Runner, name: str, answer: str = "approve") -> None:
    """Have ada answer."""
    ada = service.person("ada", "approver:lead", "reader")
    done = service.ask("POST", page(runner.where, name), ada, f"answer={answer}")
    assert done.status == 303, done.text


def test_a_runner_that_comes_later_goes_on_with_the_yes(service: Served, tmp_path: Path) -> None:
    """Two real sidecars. The first runner is gone when people say yes; the second one's first try
    asks, its retry passes, and no other does: not there, not on the first one that came back.
    """
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    name = first.ask()
    first.look()
    answered(service, first, name)
    assert first.desk.states() == [PENDING]
    with listening(second.desk.store, second.where) as sidecar:
        other = second.ask()
        sidecar.asks.look(sidecar.client)
        until(lambda: second.desk.states() == [GRANTED])
        shown = service.ask("GET", page(second.where, other), service.person("ada")).text
        assert "counts</dt><dd>once, on the first machine" in shown
        assert ">first</a>" in shown
        assert second.retry() == [VERDICT_ALLOW, VERDICT_DENY]
        sidecar.asks.look(sidecar.client)
        until(lambda: second.state(other) == SPENT)
    with listening(first.desk.store, first.where) as sidecar:
        sidecar.asks.fetch(sidecar.client)
        until(lambda: "approval-not-taken" in first.desk.events())
        assert first.retry() == [VERDICT_DENY, VERDICT_DENY]
        assert (
            "went on with it"
            in service.ask("GET", page(first.where, name), service.person("ada")).text
        )


def test_the_first_that_claims_it_has_it(service: Served, tmp_path: Path) -> None:
    """Both ask before anybody answers: whoever's sidecar hears of it first goes on, and the other one
    waits for an answer of its own, which it gets.
    """
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    names = []
    for one in (first, second):
        names.append(one.ask())
        one.look()
    answered(service, first, names[0])
    first.look()
    second.look()
    assert (first.desk.states(), second.desk.states()) == ([GRANTED], [PENDING])
    assert [one.retry() for one in (first, second)] == [
        [VERDICT_ALLOW, VERDICT_DENY], [VERDICT_DENY, VERDICT_DENY],
    ]  # fmt: skip
    answered(service, second, names[1])
    second.look()
    assert second.retry() == [VERDICT_ALLOW, VERDICT_DENY]


def test_who_asked_before_the_answer_hears_of_it(service: Served, tmp_path: Path) -> None:
    """A runner that waits for the same call is told when the one that was answered does not come."""
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    name = first.ask()
    first.look()
    with listening(second.desk.store, second.where) as sidecar:
        second.ask()
        sidecar.asks.look(sidecar.client)
        answered(service, first, name)
        until(lambda: second.desk.states() == [GRANTED])
    assert second.retry() == [VERDICT_ALLOW, VERDICT_DENY]


@pytest.mark.parametrize(
    ("here", "command", "given"),
    [
        ({}, CALL, True),
        ({}, "rm ./a.txt", False),
        ({"text": "another commit\n"}, CALL, False),
        ({"anywhere": False}, CALL, False),
        ({"quorum": 2}, CALL, False),
        ({"second_person": True}, CALL, False),
    ],
)
def test_another_call_another_commit_or_other_terms_are_not_answered_by_it(
    service: Served, tmp_path: Path, here: dict[str, object], command: str, given: bool
) -> None:
    """Each asks for itself; the very same goes on."""
    first = Runner(service, tmp_path / "first")
    second = Runner(service, tmp_path / "second", owner="ben", **here)
    answer(service, first)
    name = second.ask(command)
    second.look()
    second.look()
    assert second.state(name) == (GRANTED if given else PENDING)
    assert second.retry(command)[0] == (VERDICT_ALLOW if given else VERDICT_DENY)


def answer(service: Served, runner: Runner) -> str:
    """Have a runner ask, and people approve it."""
    name = runner.ask()
    runner.look()
    answered(service, runner, name)
    return name


@pytest.mark.parametrize(("owner", "given"), [("ben", True), ("ada", False), ("", False)])
def test_whoever_said_yes_is_a_second_person_there_too(
    service: Served, tmp_path: Path, owner: str, given: bool
) -> None:
    """Not where it is their own machine, nor where nobody knows whose it is."""
    first = Runner(service, tmp_path / "first", owner="ben", second_person=True)
    second = Runner(service, tmp_path / "second", owner=owner, second_person=True)
    answer(service, first)
    name = second.ask()
    second.look()
    assert second.state(name) == (GRANTED if given else PENDING)


def test_what_a_machine_approved_itself_stays_there(service: Served, tmp_path: Path) -> None:
    """``interlock approve`` is an answer on one machine, and is told the service as such."""
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    name = first.ask()
    first.look()
    first.desk.approve(name, "ann", role="lead")
    first.look()
    assert first.state(name) == GRANTED
    other = second.ask()
    second.look()
    assert second.state(other) == PENDING
    assert (first.retry()[0], second.retry()[0]) == (VERDICT_ALLOW, VERDICT_DENY)


@pytest.mark.parametrize("whose", ["first", "second"])
def test_a_no_takes_it_back_wherever_it_went(service: Served, tmp_path: Path, whose: str) -> None:
    """Said to either of both requests, before the retry."""
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    name = answer(service, first)
    other = second.ask()
    second.look()
    second.look()
    assert second.desk.states() == [GRANTED]
    meant = (first, name) if whose == "first" else (second, other)
    answered(service, *meant, "deny")
    second.look()
    assert second.desk.states() == [REFUSED]
    assert second.retry() == [VERDICT_DENY, VERDICT_DENY]


@pytest.fixture(scope="module", params=DATABASES)
def keeping(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceStore]:
    """Return a database of each kind with three machines and an approver."""
    with closing(open_empty(request, tmp_path_factory.mktemp("kept"))) as found:
        enlist(found, MACHINES, ("ada",))
        yield found


MACHINES = ("a", "b", "c")
STEPS = st.lists(
    st.tuples(st.sampled_from(MACHINES), st.sampled_from(["ask", "offer", "claim"])), max_size=16
)
NUMBERS = iter(range(10**9))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_in_whatever_order_one_machine_gets_it(
    keeping: ServiceStore, signer: Signer, steps: list[tuple[str, str]]
) -> None:
    """However often each asks, is offered it and claims it; whoever has it gets the same again."""
    number = next(NUMBERS)
    fleet, got = f"fleet-{number}", set()
    asked = {("a", "ask"), *(one for one in steps if one[1] == "ask")}
    for machine, _ in sorted(asked):
        keeping.write(lambda some, machine=machine: some.add_request(row(machine, number, fleet)))  # type: ignore[misc]
    yes = VoteAnswer(person("ada", "*"), yes=True, at=now())
    keeping.write(lambda some: vote(some, "a", f"a-{number}", yes))
    for machine, what in [*steps, *((one, "claim") for one in MACHINES)]:
        name = f"{machine}-{number}"
        found = keeping.read(lambda known, one=(machine, name): known.request(*one))  # type: ignore[misc]
        if found is None:
            continue
        if what == "offer":
            keeping.write(lambda some, found=found: hand_over(some, found, now()))  # type: ignore[misc]
        wanted = Claim(machine, name, "", "", f"c-{machine}", f"h-{machine}", now())
        with suppress(ClaimError):
            grant = keeping.write(lambda some, wanted=wanted: claim(some, signer, wanted))  # type: ignore[misc]
            got.add((grant.request, grant.chain, grant.holder))
    assert len(got) == 1


@pytest.mark.parametrize(("second", "given"), [(False, True), (True, False)])
def test_what_went_on_once_goes_on_again_unless_it_takes_a_second_person(
    keeping: ServiceStore, *, second: bool, given: bool
) -> None:
    """Who said yes to the first is known of the first alone; the third is asked about anew."""
    number = next(NUMBERS)
    rows = [row(one, number, f"fleet-{number}").replace(second_person=second) for one in MACHINES]
    for one in rows:
        keeping.write(lambda some, one=one: some.add_request(one))  # type: ignore[misc]
    for machine, owner in zip(MACHINES, ("ben", "ben", "ada"), strict=True):
        keeping.write(lambda some, who=(machine, owner): some.own(*who))  # type: ignore[misc]
    yes = VoteAnswer(person("ada", "*"), yes=True, at=now())
    keeping.write(lambda some: vote(some, "a", f"a-{number}", yes))
    assert keeping.write(lambda some: hand_over(some, rows[1], now())) is not None
    assert (keeping.write(lambda some: hand_over(some, rows[2], now())) is not None) is given


@pytest.mark.parametrize(("holder", "status"), [("h" * 32, 200), ("m-other/a-1", 400), ("/", 400)])
def test_a_machine_names_no_other_request_as_its_yes_s_holder(
    service: Served, tmp_path: Path, holder: str, status: int
) -> None:
    """Or a no to its own would be one to another machine's."""
    runner = Runner(service, tmp_path / "first")
    name = answer(service, runner)
    body = json.dumps({"chain": runner.where.chain, "holder": holder})
    said = service.ask("POST", f"/v1/requests/{name}/claim", bearer(runner.where), body)
    assert said.status == status


def row(machine: str, number: int, fleet: str) -> RequestRow:
    """Return a request of the same call."""
    return RequestRow(
        machine, f"{machine}-{number}", f"c-{machine}", f"d-{machine}-{number}", "d", "s", "/p",
        "eve", "agent", "{}", "[]", 1, False, 300, now(), later(300), PENDING, fleet=fleet,
    )  # fmt: skip
