"""Limits that machines share, with a real service and a real sidecar: whichever is ended with
``kill -9`` while one waits for the other, every call of the limit can be made, and none twice.
"""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.limits.leases import ASKED
from interlock.limits.shared import as_rate
from interlock.model.limits import Limits, Rate
from tests.service.test_down_processes import Fleet
from tests.service.test_leases import TeamMachine, verdicts
from tests.service.test_processes import SECONDS
from tests.serving import until

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 8
DYING = ((), ("service",), ("sidecar",), ("service", "sidecar"))
"""What is ended in the middle of an exchange; where it is nobody, the same goes on."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Return a service and a machine that run."""
    with ExitStack() as stack:
        yield Fleet(tmp_path_factory.mktemp("fleet"), stack)


def interrupt(fleet: Fleet, calls: TeamMachine, dying: tuple[str, ...], lent_of: str = "") -> int:
    """End processes while the sidecar waits for the service's answer; return the calls made until
    it asked. ``lent_of``: the service lends of this before the sidecar, which does not hear of it,
    is ended.
    """
    service, sidecar, made = fleet.running["service"], fleet.running["sidecar"], 0
    service.send_signal(signal.SIGSTOP)
    end = time.monotonic() + SECONDS
    while not (asked := calls.store.query("SELECT id FROM lease WHERE state = ?", (ASKED,))):
        made += verdicts(calls, 1) == ["allow"]
        assert time.monotonic() < end
    time.sleep(0.5)  # it is noted before it is sent
    if lent_of:
        sidecar.send_signal(signal.SIGSTOP)
        service.send_signal(signal.SIGCONT)
        until(lambda: {row[0] for row in asked} <= find_lent(fleet, lent_of))
    fleet.kill(dying)
    if "service" not in dying:
        service.send_signal(signal.SIGCONT)
    fleet.whole()
    return made


def find_lent(fleet: Fleet, what: str) -> set[str]:
    """Return the names of the leases that are out."""
    return {one.id for one in fleet.keeping.read(lambda known: known.leases("organisation:", what))}


def try_until_made(calls: TeamMachine) -> int:
    """Try a call until it is made."""
    until(lambda: verdicts(calls, 1) == ["allow"])
    return 1


@pytest.mark.long
@pytest.mark.parametrize("dying", DYING, ids=lambda dying: " and ".join(dying) or "nobody")
def test_every_call_can_be_made_and_none_twice(fleet: Fleet, dying: tuple[str, ...]) -> None:
    """Where a lease has ended and the next is asked for: over a connection that stands, and over
    one that is only begun.
    """
    rate = Rate(f"{MOST}/{MOST + DYING.index(dying)}h", per="organisation")
    calls = TeamMachine(Path(fleet.machine.store.folder), Limits(rates=(rate,)), None)
    made = try_until_made(calls)
    lent_of = as_rate(rate).what if dying == ("sidecar",) else ""
    made += interrupt(fleet, calls, dying, lent_of) + try_until_made(calls)
    made += interrupt(fleet, calls, dying)
    while made < MOST:
        made += try_until_made(calls)
    assert made == MOST
    until(lambda: "is used up" in calls.check().deciding[0].message)
    assert verdicts(calls, 5) == ["deny"] * 5
