"""What counts once counts once, however often and at how many ends it is tried."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import time
from typing import TYPE_CHECKING

import pyotp
import pytest

from interlock.service.people import codes
from interlock.service.people.first import Refused
from interlock.service.people.local import Door
from interlock.service.people.signin import known, link
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from interlock.service.store.rows import Visit

AT_ONCE = 20


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


def at_once(work: Callable[[int], str]) -> Counter[str]:
    """Do something many times in parallel; return what came of it, how often."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return Counter(pool.map(work, range(AT_ONCE)))


def visit_of(service: Served, headers: dict[str, str]) -> Visit:
    """Return the visit of a person's headers."""
    found = known(service.scene.keeping, headers["Cookie"].partition("=")[2])
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
    door = Door(scene.keeping, scene.keys, scene.guesses, lambda _name, _by: None)
    visit = visit_of(service, service.person("rita", "reader"))
    secret = door.begin_totp(visit)

    def tried(work: Callable[[], object]) -> str:
        try:
            work()
        except Refused:
            return "refused"
        return "done"

    code = pyotp.TOTP(secret).now()
    found = at_once(lambda _: tried(lambda: door.confirm_totp(visit, code)))
    assert found == {"done": 1, "refused": AT_ONCE - 1}
    other = visit_of(service, service.person("rita", "reader"))
    late = pyotp.TOTP(secret).at(int(time()) + codes.STEP_SECONDS)
    found = at_once(lambda _: tried(lambda: door.prove(other, late)))
    assert found == {"done": 1, "refused": AT_ONCE - 1}
