"""A yes with a real service and a real sidecar: whatever is ended with ``kill -9``, and when, the
agent's retry passes, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers
from interlock.approvals.requests import GRANTED, PENDING, SPENT
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.service.approvals.votes import Answer, vote
from interlock.store.chain import now
from tests.approvals.test_roles import desk
from tests.approving import Desk
from tests.service.test_inbox import person
from tests.service.test_processes import ending
from tests.service.test_stop_processes import Fleet, Killed
from tests.serving import until

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["ending"]

Row = tuple[str, Killed, Killed, Killed]
ROWS: tuple[Row, ...] = (
    ("nobody dies", (), (), ()),
    ("the sidecar is not there when the call asks", ("sidecar",), (), ()),
    ("the service dies with the request just taken", (), ("service",), ()),
    ("the sidecar dies as the last vote is written", (), ("sidecar",), ()),
    ("the service dies with the vote just written", (), (), ("service",)),
    ("each dies in its turn", ("sidecar",), ("service",), ("sidecar", "service")),
)
"""What is ended when the call asks, when the request is there, when the vote is written."""


@pytest.mark.parametrize("rows", [ROWS[-1:], pytest.param(ROWS, marks=pytest.mark.long)])
def test_whatever_dies_one_retry_passes(
    tmp_path: Path, ending: ExitStack, rows: tuple[Row, ...]
) -> None:
    """And the service knows that it was spent."""
    fleet = Fleet(tmp_path, ending)
    here = at(fleet)
    [machine] = fleet.keeping.read(lambda known: known.machines())
    for number, row in enumerate(rows):
        passes(fleet, here, machine.id, f"rm -rf ~/photos-{number}", row)


def passes(fleet: Fleet, here: Desk, machine: str, command: str, row: Row) -> None:
    """Have one call asked for, approved and retried, with what dies meanwhile."""
    said, asks, comes, voted = row
    fleet.kill(asks)
    name = here.requested(command)
    fleet.whole()
    until(lambda: state(fleet, machine, name) == PENDING, lambda: said)
    fleet.kill(comes)
    answer = Answer(person("ada", "lead"), yes=True, at=now())
    fleet.keeping.write(lambda steps: vote(steps, machine, name, answer))
    fleet.kill(voted)
    fleet.whole()
    until(lambda: GRANTED in states(here, name), lambda: said)
    fleet.kill(("sidecar",))
    fleet.whole()
    assert [here.check(command).verdict for _ in range(2)] == [VERDICT_ALLOW, VERDICT_DENY], said
    until(lambda: state(fleet, machine, name) == SPENT, lambda: said)


def at(fleet: Fleet) -> Desk:
    """Return a desk over the machine's own home."""
    made = desk(fleet.machine.home.parent / "other", approver="lead")
    found = Desk.__new__(Desk)
    found.home = fleet.machine.home
    found.project = found.home / "work" / "project"
    found.project.mkdir(parents=True)
    found.store, found.policy = fleet.machine.store, made.policy
    found.guard = found.guarding(found.policy)
    return found


def state(fleet: Fleet, machine: str, name: str) -> str:
    """Return how a request stands at the service."""
    found = fleet.keeping.read(lambda known: known.request(machine, name))
    return found.state if found is not None else ""


def states(here: Desk, name: str) -> list[str]:
    """Return how a request stands on its machine."""
    return [one.state for one in answers.listed(here.store, every=True) if one.id == name]
