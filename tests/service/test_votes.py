"""Laws of votes and of the yes: in whatever order, however often, it ends the same and counts once."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.approvals import team
from interlock.approvals.requests import EXPIRED, GRANTED, PENDING, REFUSED
from interlock.approvals.team import TeamApproval
from interlock.model.action import VERDICT_ALLOW
from interlock.service.approvals import inbox
from interlock.service.approvals.claims import ClaimError, claim
from interlock.service.approvals.votes import VoteAnswer, VoteError, vote
from interlock.service.secrets import later
from interlock.service.signing import Signer
from interlock.service.store.rows import (
    SECOND,
    Chain,
    Claim,
    Machine,
    Membership,
    Person,
    RequestRow,
    Visit,
)
from interlock.service.store.sqlite import Database
from interlock.service.viewer import Viewer, viewer
from interlock.store.chain import now
from tests.approvals.test_roles import desk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from interlock.service.store.protocol import ServiceStore, ServiceWriter

SOON = 300
HOLDS = {"ada": ("release",), "ben": ("release", "dba"), "cleo": ("*",), "dan": ("dba",)}
VOTERS = tuple(HOLDS)
"""Four approvers, and what for."""
AT = "2026-01-31T10:00:00.000Z"


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Return a database with a machine and four people, and without waits for the disk."""
    found = Database(str(tmp_path_factory.mktemp("kept")))
    found._writer.execute("PRAGMA synchronous=OFF")

    def work(steps: ServiceWriter) -> None:
        steps.add_machine(Machine("m", "one", "linux", "0.1", "s", AT, AT, owner="cleo"))
        for chain in ("c", "d"):
            steps.add_chain(Chain(chain, "m", 1))
        for name, holds in HOLDS.items():
            admitted(steps, name, *holds)

    found.write(work)
    yield found
    found.close()


def admitted(steps: ServiceWriter, name: str, *approves: str) -> None:
    """Add an approver."""
    steps.add_person(Person(name, name, AT))
    for one in approves:
        steps.add_membership(Membership(name, "approver", one, "tests", AT))


def enlist(keeping: ServiceStore, machines: Iterable[str], people: Iterable[str]) -> None:
    """Add machines with a chain each, and approvers of everything."""

    def work(steps: ServiceWriter) -> None:
        for name in machines:
            steps.add_machine(Machine(name, name, "linux", "0.1", f"s-{name}", AT, AT))
            steps.add_chain(Chain(f"c-{name}", name, 1))
        for name in people:
            admitted(steps, name, "*")

    keeping.write(work)


NUMBERS = count()


def at(seconds: float) -> str:
    """Return the time so many seconds after a fixed one."""
    from datetime import UTC, datetime, timedelta

    found = datetime(2026, 1, 31, 10, tzinfo=UTC) + timedelta(seconds=seconds)
    return found.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def waiting(begun: str, ends: str, quorum: int = 1, roles: str = '["release"]') -> RequestRow:
    """Return a new request."""
    return RequestRow(
        "m", f"a-{next(NUMBERS)}", "c", "digest", "d-1", "s", "", "cleo", "pi", "{}", roles, quorum, False, SOON,
        begun, ends, PENDING,
    )  # fmt: skip


def person(name: str, *approves: str) -> Viewer:
    """Return an approver."""
    held = [Membership(name, "approver", one, "t", AT) for one in approves]
    visit = Visit("t", "p", name, AT, AT, AT, SECOND, later(0))
    return viewer(Person(name, name, AT), held, visit)


def stands(keeping: Database, name: str) -> str:
    """Return how a request stands."""
    found = keeping.read(lambda known: known.request("m", name))
    assert found is not None
    return found.state


def test_a_request_expires_by_the_service_s_clock_and_people_are_reminded_before(
    keeping: Database,
) -> None:
    """At half of its time and at four fifths, each once; then it takes no answer."""
    row = waiting(at(0), at(100))
    keeping.write(lambda steps: steps.add_request(row))
    told = []
    for seconds in (10, 49, 51, 55, 79, 81, 90, 99):
        told += [
            (seconds, percent)
            for _, percent in keeping.write(lambda steps, s=seconds: inbox.due(steps, at(s)))  # type: ignore[misc]
        ]
    assert told == [(51, 50), (81, 80)]
    assert keeping.write(lambda steps: inbox.expire(steps, at(99))) == []
    late = VoteAnswer(person("ada", "release"), yes=True, at=at(101))
    with pytest.raises(VoteError, match="It expired"):
        keeping.write(lambda steps: vote(steps, "m", row.id, late))
    [gone] = keeping.write(lambda steps: inbox.expire(steps, at(101)))
    assert (gone.id, stands(keeping, row.id)) == (row.id, EXPIRED)


def test_a_role_that_was_taken_counts_no_more(keeping: Database) -> None:
    """Also for what its person said before: it takes somebody else."""
    row = waiting(now(), later(SOON), quorum=2)
    keeping.write(lambda steps: steps.add_request(row))
    keeping.write(lambda steps: admitted(steps, "eve", "release"))
    said = [
        VoteAnswer(person(name, "release"), yes=True, at=now()) for name in ("eve", "ada", "ben")
    ]
    keeping.write(lambda steps: vote(steps, "m", row.id, said[0]))
    keeping.write(lambda steps: steps.end_membership("eve", "approver", "release"))
    keeping.write(lambda steps: vote(steps, "m", row.id, said[1]))
    assert stands(keeping, row.id) == PENDING
    granted = keeping.write(lambda steps: vote(steps, "m", row.id, said[2]))
    assert (granted.state, granted.by) == (GRANTED, "ada, ben")


SHARED = [HealthCheck.function_scoped_fixture]


@settings(max_examples=40, deadline=None, suppress_health_check=SHARED)
@given(
    said=st.lists(st.tuples(st.sampled_from(VOTERS), st.booleans()), max_size=7),
    quorum=st.integers(1, 3),
    roles=st.sampled_from(['["release"]', '["release", "dba"]', "[]"]),
    order=st.randoms(use_true_random=False),
)
def test_votes_in_any_order_end_the_same(
    keeping: Database, said: list[tuple[str, bool]], quorum: int, roles: str, order: Random
) -> None:
    """A no ends it whoever was first; else it is granted where enough people said yes, in the
    roles that they hold, each counted once.
    """
    ends = []
    for _ in range(2):
        order.shuffle(said)
        ends.append(after(keeping, said, quorum, roles))
    assert ends[0] == ends[1]
    yes = {name for name, one in said if one and may(name, roles)}
    enough = GRANTED if counts(yes, quorum, roles) else PENDING
    assert ends[0] == (enough if all(one for _, one in said) else REFUSED)


def after(keeping: Database, said: list[tuple[str, bool]], quorum: int, roles: str) -> str:
    """Return how a request stands after some answers, each taken or refused."""
    row = waiting(now(), later(SOON), quorum, roles)
    keeping.write(lambda steps: steps.add_request(row))
    for name, yes in said:
        answer = VoteAnswer(person(name, *HOLDS[name]), yes, now())
        with suppress(VoteError):
            keeping.write(lambda steps, given=answer: vote(steps, "m", row.id, given))  # type: ignore[misc]
    state = stands(keeping, row.id)
    assert keeping.read(lambda known: known.claim("m", row.id)) or state != GRANTED
    return state


def may(name: str, roles: str) -> bool:
    """Tell whether somebody's yes counts."""
    needed, holds = json.loads(roles), set(HOLDS[name])
    return bool(holds & {*needed, "*"}) if needed else "*" in holds


def counts(yes: set[str], quorum: int, roles: str) -> bool:
    """Tell whether these are enough."""
    each = [sum(bool({role, "*"} & set(HOLDS[name])) for name in yes) for role in json.loads(roles)]
    return len(yes) >= quorum and all(one >= quorum for one in each)


@settings(max_examples=30, deadline=None, suppress_health_check=SHARED)
@given(
    st.lists(
        st.tuples(st.sampled_from("cd"), st.sampled_from(["one", "two"])), min_size=1, max_size=8
    )
)
def test_a_yes_is_given_to_one_chain_and_one_holder_however_often_it_is_asked_for(
    keeping: Database, signer: Signer, asked: list[tuple[str, str]]
) -> None:
    """The first of the chain that asked has it, again whenever it comes; nobody else."""
    row = waiting(now(), later(SOON))
    keeping.write(lambda steps: steps.add_request(row))
    answer = VoteAnswer(person("ada", "release"), yes=True, at=now())
    keeping.write(lambda steps: vote(steps, "m", row.id, answer))
    had = []
    for chain, holder in asked:
        wanted = Claim("m", row.id, "", "", chain, holder, now())
        with suppress(ClaimError):
            grant = keeping.write(lambda steps, one=wanted: claim(steps, signer, one))  # type: ignore[misc]
            had.append((grant.chain, grant.holder))
    mine = [one for one in asked if one[0] == "c"]
    assert had == [one for one in mine if one == mine[0]]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(["yes", "retry", "ask", "again"]), min_size=3, max_size=9))
def test_one_yes_lets_one_call_pass_whatever_comes_twice_or_late(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """The same yes at any time, a sidecar that begins anew, retries in between: one call runs."""
    here = desk(tmp_path_factory.mktemp("m"), approver="lead")
    name = here.requested()
    found = team.request(here.store, name)
    assert found is not None
    yes = TeamApproval(name, found.digest, ("lead",), 1, False, "ada", found.expires, "http://x")
    ran = 0
    for step in (*steps, "yes", "retry", "yes", "retry"):
        if step == "yes":
            team.grant(here.store, yes)
        elif step == "again":
            here.store.close()
        else:
            ran += here.check().verdict == VERDICT_ALLOW
    assert ran == 1
