"""A yes that counts several times, on all machines together, and never once more."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.approvals.requests import GRANTED, PENDING, REFUSED
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.service.approvals.anywhere import hand_over
from interlock.service.approvals.claims import ClaimError, claim
from interlock.service.approvals.votes import VoteAnswer, VoteError, vote
from interlock.service.secrets import later
from interlock.service.signing import Signer
from interlock.service.store.rows import Claim, RequestRow
from interlock.store.chain import now
from tests.service.conftest import DATABASES, open_empty
from tests.service.test_anywhere import Runner, answered
from tests.service.test_inbox import page
from tests.service.test_votes import enlist, person

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore
    from tests.serving import Served


def asked(runner: Runner) -> str:
    """Have a runner ask and its sidecar look, until it may have an answer; return the request."""
    name = runner.ask()
    runner.look()
    runner.look()
    return name


def test_a_yes_counts_as_often_as_was_said(service: Served, tmp_path: Path) -> None:
    """Twice: on the machine that asked, and again there or elsewhere; a third time it is asked about
    anew. The page says how many are left.
    """
    first, second = [Runner(service, tmp_path / name) for name in ("first", "second")]
    name = asked(first)
    answered(service, first, name, "approve&uses=3")
    shown = service.ask("GET", page(first.where, name), service.person("ada")).text
    assert "3 times in all on every machine that makes this call, 2 left" in shown
    first.look()
    assert first.retry() == [VERDICT_ALLOW, VERDICT_DENY]
    for runner in (second, first):
        assert runner.state(asked(runner)) == GRANTED
        assert runner.retry()[0] == VERDICT_ALLOW
    assert second.state(asked(second)) == PENDING
    assert second.retry() == [VERDICT_DENY, VERDICT_DENY]


def test_a_no_ends_what_is_left(service: Served, tmp_path: Path) -> None:
    """Also after the first use: for whoever took one and did not retry yet, and for all others."""
    first, second, third = [
        Runner(service, tmp_path / name) for name in ("first", "second", "third")
    ]
    name = asked(first)
    answered(service, first, name, "approve&uses=3")
    first.look()
    assert first.retry()[0] == VERDICT_ALLOW
    first.look()
    taken = asked(second)  # the last: the first machine's second try took one, too
    assert second.desk.states() == [GRANTED]
    answered(service, first, name, "deny")
    second.look()
    assert (second.state(taken), second.retry()[0]) == (REFUSED, VERDICT_DENY)
    assert third.state(asked(third)) == PENDING


def test_how_often_is_a_number(service: Served, tmp_path: Path) -> None:
    """From one to a hundred."""
    first = Runner(service, tmp_path / "first")
    name = asked(first)
    ada = service.person("ada", "approver:lead", "reader")
    for wrong in ("0", "101", "-1", "many"):
        form = f"answer=approve&uses={wrong}"
        answer = service.ask("POST", page(first.where, name), ada, form)
        assert (answer.status, "counts once to 100 times" in answer.text) == (400, True)
    assert first.state(name) == PENDING
    answered(service, first, name, "approve&uses=100")
    assert first.state(name) == GRANTED


@pytest.fixture(scope="module", params=DATABASES)
def keeping(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceStore]:
    """Return a database of each kind with machines and two approvers."""
    with closing(open_empty(request, tmp_path_factory.mktemp("kept"))) as found:
        enlist(found, MACHINES, ("ada", "ben"))
        yield found


MACHINES = ("a", "b", "c", "d")
NUMBERS = iter(range(10**9))


def row(machine: str, number: int, quorum: int = 1, fleet: str = "") -> RequestRow:
    """Return a request of a machine."""
    return RequestRow(
        machine, f"{machine}-{number}", f"c-{machine}", "digest", "d", "s", "/p", "dev", "", "{}",
        "[]", quorum, False, 3600, now(), later(3600), PENDING, fleet=fleet,
    )  # fmt: skip


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(MACHINES), st.sampled_from(["offer", "claim"])), max_size=12
    ),
    uses=st.integers(1, 3),
)
def test_in_whatever_order_it_counts_so_often(
    keeping: ServiceStore, signer: Signer, steps: list[tuple[str, str]], uses: int
) -> None:
    """However often each is offered it and claims it; and where all claim in the end, no less."""
    number = next(NUMBERS)
    for machine in MACHINES:
        new = row(machine, number, fleet=f"fleet-{number}")
        keeping.write(lambda some, new=new: some.add_request(new))  # type: ignore[misc]
    yes = VoteAnswer(person("ada", "*"), yes=True, at=now(), uses=uses)
    keeping.write(lambda some: vote(some, "a", f"a-{number}", yes))
    got = set()
    last = [(one, what) for what in ("claim", "offer", "claim") for one in MACHINES]
    for machine, what in [*steps, *last]:
        name = f"{machine}-{number}"
        found = keeping.read(lambda known, one=(machine, name): known.request(*one))  # type: ignore[misc]
        assert found is not None
        if what == "offer":
            keeping.write(lambda some, found=found: hand_over(some, found, now()))  # type: ignore[misc]
            continue
        wanted = Claim(machine, name, "", "", f"c-{machine}", f"h-{machine}", now())
        with suppress(ClaimError):
            got.add(keeping.write(lambda some, one=wanted: claim(some, signer, one)).request)  # type: ignore[misc]
    assert len(got) == uses


def test_nobody_s_yes_counts_more_often_than_they_said(keeping: ServiceStore) -> None:
    """Of several the smallest number; what counts on one machine alone counts once."""
    number = next(NUMBERS)
    keeping.write(lambda some: some.add_request(row("a", number, 2, f"fleet-{number}")))
    for name, uses in (("ada", 5), ("ben", 2)):
        yes = VoteAnswer(person(name, "*"), yes=True, at=now(), uses=uses)
        keeping.write(lambda some, yes=yes: vote(some, "a", f"a-{number}", yes))  # type: ignore[misc]
    found = keeping.read(lambda known: known.use_grant("a", f"a-{number}"))
    assert found is not None
    assert (found.uses, found.spare) == (2, 1)
    keeping.write(lambda some: some.add_request(row("b", number)))
    with pytest.raises(VoteError, match="on its machine alone"):
        keeping.write(lambda some: vote(some, "b", f"b-{number}", yes))
