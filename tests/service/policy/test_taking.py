"""A machine takes what was published for it by itself, as far as the signed document says, and the
last good policy goes on where there is nothing to take.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

from interlock.guard.stopping import StopResult
from interlock.service.policy import publishing
from interlock.service.policy.publishing import Stage
from interlock.service.policy.reports import read_reports
from interlock.sidecar import policy as sidecar_policy
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.store.database import Store
from interlock.wire.rollout import WHOLE
from tests.policies import (
    Publisher,
    events,
    forget,
    in_place,
    machine,
    policy,
    widen,
)
from tests.serving import SECONDS, Served

if TYPE_CHECKING:
    from interlock.sidecar.policy import FleetPolicy


def test_a_machine_takes_what_was_published_records_it_and_says_so(
    service: Served, publisher: Publisher, kept: FleetPolicy
) -> None:
    """The newest text lies where hooks read it, its event names its hash, the service knows."""
    publisher.publish(policy(2))
    kept.fetch()
    assert (in_place(kept), kept.state.bundle, kept.state.why) == (policy(2), 2, "")
    assert [name for name, _ in events(kept, "bundle")] == ["1", "2"]
    assert events(kept, "bundle")[1][1]["hash"] == kept.state.hash
    [told] = service.scene.keeping.read(read_reports)
    assert (told.bundle, told.hash, told.enforced) == (2, kept.state.hash, False)


def test_a_sidecar_that_listens_hears_of_a_policy_at_once(
    publisher: Publisher, kept: FleetPolicy
) -> None:
    """The stream says so when it opens, and whenever another one, or another stage, is published."""
    ended, hinted = Event(), Event()
    where, store = kept._where, kept._store
    stops = Stops(store, where, lambda order: StopResult(order.scope, order.why))
    down = ServiceStream(where, stops, SidecarRequests(store, where), ended, hinted=hinted.set)
    try:
        down.begin()
        for number in (2, 3):
            assert hinted.wait(SECONDS)
            hinted.clear()
            publisher.publish(policy(number))
        assert hinted.wait(SECONDS)
    finally:
        ended.set()
        down.cut()
        down.close()


def test_a_team_without_a_policy_is_no_trouble(service: Served, tmp_path: Path) -> None:
    """Before anything was begun or published there is nothing to take and nothing wrong."""
    forget(service)
    found = machine(service, Store(str(tmp_path / "state")), tmp_path / "place")
    found.fetch()
    assert (found.state.bundle, found.state.why, in_place(found)) == (0, "", b"")
    Publisher(service)
    found.fetch()
    assert (found.state.bundle, found.state.why, in_place(found)) == (0, "", b"")


def test_going_back_is_a_new_number_with_the_earlier_text(
    publisher: Publisher, kept: FleetPolicy
) -> None:
    """No machine takes an older document: it takes a newer one that says what an older one said."""
    publisher.publish(policy(2))
    kept.fetch()
    done = publisher.keeping.write(lambda steps: publishing.go_back(steps, 1, publisher.signing()))
    kept.fetch()
    assert (done.rollout.bundle, kept.state.bundle, in_place(kept)) == (3, 3, policy(1))


def test_a_stage_takes_those_whom_the_document_means_and_everybody_else_keeps_the_one_before(
    service: Served, publisher: Publisher, kept: FleetPolicy, tmp_path: Path
) -> None:
    """A machine that came later and is not meant gets the policy before; the last stage is all."""
    later = machine(service, Store(str(tmp_path / "other")), tmp_path / "later", "later")
    publisher.publish(policy(2), Stage(0, (kept._where.machine,)))
    for one in (kept, later):
        one.fetch()
    assert (in_place(kept), in_place(later)) == (policy(2), policy(1))
    widen(publisher, WHOLE)
    later.fetch()
    assert in_place(later) == policy(2)


def test_a_hint_is_followed_after_a_wait_of_each_machines_own(
    publisher: Publisher, kept: FleetPolicy
) -> None:
    """Until then its file is looked at as ever; a hint is spent, so that nothing spins on it."""
    publisher.publish(policy(2))
    sound = kept._settings
    for wait, has in ((300.0, policy(1)), (0.0, policy(2))):
        kept._settings = sound.replace(drawn=lambda _least, _most, wait=wait: wait)
        kept.hint()
        kept.step()
        assert (in_place(kept), kept._hinted.is_set()) == (has, False)


def test_what_verifies_is_missed_only_where_the_team_has_a_policy(
    service: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without it says what it lacks once there is something to take, and not before."""
    forget(service)
    found = machine(service, Store(str(tmp_path / "state")), tmp_path / "place")
    monkeypatch.setattr(sidecar_policy, "NEEDED", ("a_package_that_is_nowhere",))
    found.fetch()
    assert found.state.why == ""
    Publisher(service).publish(policy(1))
    found.fetch()
    assert "what verifies it is missing" in found.state.why
    assert in_place(found) == b""
    monkeypatch.undo()
    found.fetch()
    assert (found.state.why, in_place(found)) == ("", policy(1))
