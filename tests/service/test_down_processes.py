"""A stop and a yes with a real service, a real sidecar, a real session: whatever is ended with
``kill -9``, and when, the machine stops, its processes are gone, and that is confirmed; resumed, it
goes on; and what people approved passes, once.
"""

from __future__ import annotations

import signal
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers
from interlock.approvals.requests import GRANTED, PENDING, SPENT
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.service.approvals.votes import VoteAnswer, vote
from interlock.service.signing import Signer
from interlock.service.stops import stops
from interlock.service.stops.confirm import report
from interlock.service.stops.stops import StopRequest
from interlock.service.store.sqlite import Database
from interlock.stop.flags import of_fleet
from interlock.stop.rehearsal import Rehearsal
from interlock.store.chain import now
from interlock.wire.orders import FLEET
from tests.approvals.test_roles import desk
from tests.approving import Desk
from tests.service.test_processes import SECONDS, Machine
from tests.service.test_votes import admitted, person
from tests.serving import until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.stops.confirm import StopOverview
    from interlock.service.store.protocol import ServiceReader

Killed = tuple[str, ...]
Row = tuple[str, Killed, Killed]
ROWS: tuple[Row, ...] = (
    ("nobody dies", (), ()),
    ("the sidecar is not there when it is stopped", ("sidecar",), ()),
    ("the sidecar dies as soon as the flag stands", (), ("sidecar",)),
    ("the service dies with the stop just written", ("service",), ()),
    ("both die, one before and one after", ("service",), ("sidecar",)),
)
"""What is ended when the stop is written, and what as soon as the flag stands."""


class Fleet:
    """A service and one machine, as processes."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.node, self.machine = Machine(folder / "node", stack), Machine(folder / "m", stack)
        self.running: dict[str, subprocess.Popen[str]] = {"service": self.node.served()}
        token = self.node.interlock("serve", "--token").stdout.split()[-1]
        assert self.machine.interlock("enrol", token, "--no-start").returncode == 0
        self.running["sidecar"] = self.machine.start("sidecar")
        kept = f"{self.node.store.folder}/service"
        self.keeping = stack.enter_context(closing(Database(kept)))
        self.signer = Signer(kept)

    def kill(self, names: Killed) -> None:
        """End processes as nothing can prepare for."""
        for name in names:
            self.running[name].send_signal(signal.SIGKILL)
            self.running[name].wait(SECONDS)

    def whole(self) -> None:
        """Start what was ended."""
        if self.running["service"].poll() is not None:
            self.running["service"] = self.node.served()
        if self.running["sidecar"].poll() is not None:
            self.running["sidecar"] = self.machine.start("sidecar")

    def report(self, epoch: int) -> StopOverview:
        """Return who has confirmed."""

        def work(known: ServiceReader) -> StopOverview:
            found = known.stop(epoch)
            assert found is not None
            return report(known, found, frozenset())

        return self.keeping.read(work)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Return a service and a machine that run."""
    with ExitStack() as stack:
        yield Fleet(tmp_path_factory.mktemp("fleet"), stack)


@pytest.mark.parametrize("rows", [ROWS[-1:], pytest.param(ROWS, marks=pytest.mark.long)])
def test_whatever_dies_the_machine_stops_and_says_so(fleet: Fleet, rows: tuple[Row, ...]) -> None:
    """Each row with a session of its own, whose agent lives on."""
    for said, before, after in rows:
        drill = Rehearsal({}, 2, 0)
        fleet.machine.store.commit([drill.noted()])
        try:
            epoch = stopped(fleet, before)
            until(lambda: bool(of_fleet(fleet.machine.store.folder)))
            fleet.kill(after)
            fleet.whole()
            confirmed(fleet, epoch, said)
            assert drill.left() == 0, said
            assert fleet.machine.hook("ls -la") == 2, said
        finally:
            drill.end()
        resumed(fleet, epoch, said)
        assert fleet.machine.hook("ls -la") == 0, said


def stopped(fleet: Fleet, dying: Killed) -> int:
    """Write a stop, as another node of the service does, and end what dies then."""
    fleet.kill(tuple(name for name in dying if name == "sidecar"))
    asked = StopRequest(FLEET, "all", "a test", "ada")
    made = fleet.keeping.write(lambda keeping: stops.stop(keeping, fleet.signer, asked))
    fleet.kill(tuple(name for name in dying if name == "service"))
    fleet.whole()
    return made.epoch


def resumed(fleet: Fleet, epoch: int, said: str) -> None:
    """Resume it, with the sidecar ended in between."""
    found = fleet.report(epoch).stop
    fleet.keeping.write(lambda keeping: stops.resume(keeping, fleet.signer, found, "ada", ["ada"]))
    fleet.kill(("sidecar",))
    fleet.whole()
    confirmed(fleet, epoch, said)
    assert of_fleet(fleet.machine.store.folder) == []


def confirmed(fleet: Fleet, epoch: int, said: str) -> None:
    """Wait until the machine has confirmed."""
    until(lambda: fleet.report(epoch).whole, lambda: (said, fleet.report(epoch)))


Call = tuple[str, Killed, Killed, Killed]
ASKS: tuple[Call, ...] = (
    ("nobody dies", (), (), ()),
    ("the sidecar is not there when the call asks", ("sidecar",), (), ()),
    ("the service dies with the request just taken", (), ("service",), ()),
    ("the sidecar dies as the last vote is written", (), ("sidecar",), ()),
    ("the service dies with the vote just written", (), (), ("service",)),
    ("each dies in its turn", ("sidecar",), ("service",), ("sidecar", "service")),
)
"""What is ended when the call asks, when the request is there, when the vote is written."""


@pytest.mark.parametrize("rows", [ASKS[-1:], pytest.param(ASKS, marks=pytest.mark.long)])
def test_whatever_dies_one_retry_passes(fleet: Fleet, rows: tuple[Call, ...]) -> None:
    """And the service knows that it was spent."""
    here, voter = at(fleet), f"ada-{len(rows)}"
    fleet.keeping.write(lambda steps: admitted(steps, voter, "lead"))
    for number, row in enumerate(rows):
        said = retried(fleet, here, voter, f"rm -rf ~/photos-{len(rows)}-{number}", row)
        assert said == [VERDICT_ALLOW, VERDICT_DENY], row[0]


def retried(fleet: Fleet, here: Desk, voter: str, command: str, row: Call) -> list[object]:
    """Have one call asked for, approved and retried twice, with what dies meanwhile; return what
    the retries were answered.
    """
    said, asks, comes, voted = row
    [machine] = [one.id for one in fleet.keeping.read(lambda known: known.machines())]
    fleet.kill(asks)
    name = here.requested(command)
    fleet.whole()
    until(lambda: state(fleet, machine, name) == PENDING, lambda: said)
    fleet.kill(comes)
    answer = VoteAnswer(person(voter, "lead"), yes=True, at=now())
    fleet.keeping.write(lambda steps: vote(steps, machine, name, answer))
    fleet.kill(voted)
    fleet.whole()
    until(lambda: GRANTED in states(here, name), lambda: said)
    fleet.kill(("sidecar",))
    fleet.whole()
    answered: list[object] = [here.check(command).verdict for _ in range(2)]
    until(lambda: state(fleet, machine, name) == SPENT, lambda: said)
    return answered


def at(fleet: Fleet) -> Desk:
    """Return a desk over the machine's own home."""
    made = desk(fleet.machine.home.parent / "other", approver="lead")
    found = Desk.__new__(Desk)
    found.home = fleet.machine.home
    found.project = found.home / "work" / "project"
    found.project.mkdir(parents=True, exist_ok=True)
    found.store, found.policy = fleet.machine.store, made.policy
    found.guard = found.guarding(found.policy)
    return found


def state(fleet: Fleet, machine: str, name: str) -> str:
    """Return how a request stands at the service."""
    found = fleet.keeping.read(lambda known: known.request(machine, name))
    return found.state if found is not None else ""


def states(here: Desk, name: str) -> list[str]:
    """Return how a request stands on its machine."""
    return [one.state for one in answers.list_requests(here.store, every=True) if one.id == name]
