"""What counts once counts once, however often and at how many ends it is tried."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import time
from typing import TYPE_CHECKING

import pyotp
import pytest

from interlock.approvals.requests import GRANTED, PENDING
from interlock.service.machines.enrol import token
from interlock.service.people import codes
from interlock.service.people.admit import invite, join
from interlock.service.people.owner import SignInError, first
from interlock.service.people.password_signin import PasswordSignIn
from interlock.service.people.signin import find_viewer, link
from interlock.service.store.rows import PASSWORD
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.requests import SidecarRequests
from tests.approvals.test_roles import desk
from tests.service.conftest import DATABASES, name_empty
from tests.serving import Served, listening, served, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from interlock.service.store.rows import Visit

AT_ONCE = 20
MACHINE = {"platform": "linux", "version": "1"}


@pytest.fixture(params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers, with each kind of database."""
    name_empty(request, tmp_path / "service")
    with served(tmp_path / "service") as found:
        yield found


def at_once(work: Callable[[int], str]) -> Counter[str]:
    """Do something many times in parallel; return what came of it, how often."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return Counter(pool.map(work, range(AT_ONCE)))


def visit_of(service: Served, headers: dict[str, str]) -> Visit:
    """Return the visit of a person's headers."""
    found = find_viewer(service.scene.keeping, headers["Cookie"].partition("=")[2])
    assert found is not None
    assert found.visit is not None
    return found.visit


def test_a_look_at_a_link_does_not_use_it(service: Served) -> None:
    """A HEAD, as programs send that look whether an address is there."""
    secret = service.scene.keeping.write(link)
    assert service.ask("HEAD", f"/signin/{secret}").status == 405
    assert service.ask("GET", f"/signin/{secret}").headers["location"] == "/"


def test_a_link_used_many_times_at_once_signs_in_once(service: Served) -> None:
    """The others are led to where another one is had."""
    secret = service.scene.keeping.write(link)
    found = at_once(lambda _: service.ask("GET", f"/signin/{secret}").headers["location"])
    assert found == {"/": 1, "/signin?used=1": AT_ONCE - 1}


def test_a_code_given_many_times_at_once_counts_once(service: Served) -> None:
    """Also the first one of an authenticator; and a visit that was signed out stays so."""
    scene = service.scene
    door = PasswordSignIn(scene.keeping, scene.keys, scene.guesses, lambda _name, _by: None)
    visit = visit_of(service, service.person("rita", "reader"))
    secret = door.begin_totp(visit)

    def tried(work: Callable[[], object]) -> str:
        try:
            work()
        except SignInError:
            return "refused"
        return "done"

    code = pyotp.TOTP(secret).now()
    found = at_once(lambda _: tried(lambda: door.confirm_totp(visit, code)))
    assert found == {"done": 1, "refused": AT_ONCE - 1}
    other = visit_of(service, service.person("rita", "reader"))
    late = pyotp.TOTP(secret).at(int(time()) + codes.STEP_SECONDS)
    found = at_once(lambda _: tried(lambda: door.prove(other, late)))
    assert found == {"done": 1, "refused": AT_ONCE - 1}


@pytest.mark.parametrize("uses", [1, 3])
def test_a_token_given_many_times_at_once_enrols_as_often_as_it_says(
    service: Served, uses: int
) -> None:
    """One for one machine, and one for three."""
    made = service.scene.keeping.write(lambda steps: token(steps, "", "", uses))
    body = json.dumps({"secret": made.secret, "name": "ci", "first": 1, **MACHINE})
    found = at_once(lambda _: str(service.ask("POST", "/v1/enrol", body=body).status))
    assert found == {"201": uses, "403": AT_ONCE - uses}


def test_an_invitation_used_many_times_at_once_lets_in_once(service: Served) -> None:
    """Whoever is second has no visit of that person, and their password is not kept."""
    keeping = service.scene.keeping
    keeping.write(first)
    secret = keeping.write(lambda steps: invite(steps, "lena", [("reader", "")], "owner"))

    def tried(number: int) -> str:
        joined = keeping.write(
            lambda steps: join(steps, secret, f"Lena {number}", f"hash-{number}")
        )
        return str(number) if joined is not None else ""

    found = at_once(tried)
    [(winner, _)] = [one for one in found.items() if one[0]]
    assert found == {winner: 1, "": AT_ONCE - 1}
    had = keeping.read(lambda asked: asked.credential("lena", PASSWORD))
    assert had is not None
    assert had.value == f"hash-{winner}"


def test_a_yes_claimed_and_spent_many_times_at_once_counts_once(
    service: Served, tmp_path: Path
) -> None:
    """One holder has it, however many copies of the machine ask for it; one vote is one; and of
    all retries one passes.
    """
    here = desk(tmp_path, approver="lead", quorum=2)
    where = service.enrolled(here.store)
    with listening(here.store, where) as sidecar:
        name = here.requested()
        sidecar.asks.look(sidecar.client)
        ada, ben = [service.person(one, "approver:lead") for one in ("ada", "ben")]
        yes = f"/inbox/{where.machine}/{name}"
        at_once(lambda _: str(service.ask("POST", yes, ada, "answer=approve").status))
        assert here.states() == [PENDING], "twenty of one person are one"
        at_once(lambda _: str(service.ask("POST", yes, ben, "answer=approve").status))
        until(lambda: here.states() == [GRANTED])
    machine = {"Authorization": f"Bearer {where.credential}"}

    def claimed(number: int) -> str:
        body = json.dumps({"chain": where.chain, "holder": f"copy-{number}"})
        path = f"/v1/requests/{name}/claim"
        return str(service.ask("POST", path, machine, body).status)

    assert at_once(claimed) == {"409": AT_ONCE}, "its own store has it"
    guards = [here.guarding(here.policy) for _ in range(AT_ONCE)]
    found = at_once(lambda number: str(guards[number].check(here.call()).verdict))
    assert found == {"allow": 1, "deny": AT_ONCE - 1}


def test_copies_that_claim_at_once_are_one(service: Served, tmp_path: Path) -> None:
    """Before its own store has it."""
    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store)
    name = here.requested()
    with closing(SidecarClient(where.url, where.pin, where.credential)) as client:
        SidecarRequests(here.store, where).fetch(client)
    ada = service.person("ada", "approver:lead")
    service.ask("POST", f"/inbox/{where.machine}/{name}", ada, "answer=approve")

    def claimed(number: int) -> str:
        body = json.dumps({"chain": where.chain, "holder": f"copy-{number}"})
        headers = {"Authorization": f"Bearer {where.credential}"}
        return str(service.ask("POST", f"/v1/requests/{name}/claim", headers, body).status)

    assert at_once(claimed) == {"200": 1, "409": AT_ONCE - 1}
