"""A client that asks by itself: no queue, grants count, and what its person granted is an event,
once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from interlock.guard.services import NATIVE
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from interlock.model.call import Outcome
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk whose client asks natively."""
    return Desk(tmp_path, ask=NATIVE)


@pytest.mark.parametrize(("command", "status", "granted"), [
    ("rm -rf ~/photos", "ran", True), ("rm -rf ~/photos", "failed", True), ("rm -rf ~/photos", "refused", False), ("ls", "ran", False),
])  # fmt: skip
def test_what_ran_was_granted(desk: Desk, command: str, status: str, granted: bool) -> None:
    """A call that was asked about and then ran was granted at the client's prompt; one that was
    refused, or never asked about, was not.
    """
    decision = desk.check(command, call_id="c")
    for _ in range(2):
        assert desk.guard.outcome(Outcome(desk.call(command, call_id="c"), status)) == ()
    rows = desk.store.query(
        "SELECT subject, session, body FROM audit_event WHERE kind = 'approval-granted'"
    )
    body = {"at": "the client's prompt", "decision": decision.id, "scope": "once"}
    assert [(subject, session, json.loads(said)) for subject, session, said in rows] == (
        [(decision.id, "s", body)] if granted else []
    )


def test_no_request_is_filed(desk: Desk) -> None:
    """The client asks; nothing waits in the queue."""
    assert desk.check().verdict == VERDICT_ASK
    assert desk.states() == []


def test_a_grant_of_the_project_counts_there_too(desk: Desk) -> None:
    """What was granted for the project in one client runs without a question in another, by a new
    session.
    """
    other = Desk(desk.home.parent)
    other.approve(other.requested(), scope="project")
    assert desk.check(session="native").verdict == VERDICT_ALLOW
    assert desk.check("rm -rf ~/music", session="native").verdict == VERDICT_ASK


def test_an_observing_policy_grants_nothing(desk: Desk) -> None:
    """Where the policy only observes, nobody was asked and nobody granted."""
    guard = desk.guarding(desk.policy.replace(observe=True), NATIVE)
    assert guard.check(desk.call(call_id="c")).verdict == VERDICT_ALLOW
    guard.outcome(Outcome(desk.call(call_id="c"), "ran"))
    assert desk.events() == []
