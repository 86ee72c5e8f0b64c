"""Whatever the service gives that cannot be believed, and whatever is done to the file on the machine,
the last good policy goes on, and that is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, Targets

from interlock.policy.files import PolicyLocations
from interlock.service.policy import repository
from interlock.service.policy.publishing import PublishError, Stage
from interlock.service.policy.reports import read_reports
from interlock.sidecar import policy as sidecar_policy
from interlock.sidecar import policy_place
from interlock.store import elsewhere
from interlock.store.place import StoreError
from interlock.wire.policy_state import PolicyState
from tests.policies import (
    Publisher,
    again,
    events,
    forget,
    in_place,
    policy,
    sign_old_stamp,
    widen,
)

if TYPE_CHECKING:
    from interlock.sidecar.policy import FleetPolicy


def change_text(publisher: Publisher) -> None:
    """Change the text of the newest policy where the service keeps it."""
    newest = publisher.keeping.read(lambda known: known.bundles(1))[0]
    publisher.keeping.write(
        lambda steps: steps.put_bundle(
            newest.replace(content=newest.content.replace("deny", "warn"))
        )
    )


def sign_by_others(publisher: Publisher) -> None:
    """Have somebody publish who holds the service's own key, and none of an owner's."""
    targets: Metadata[Targets] = Metadata.from_bytes(publisher.document("targets.json").encode())
    targets.signed.version += 1
    targets.sign(CryptoSigner.generate_ed25519())
    publisher.keeping.write(lambda steps: repository._put_live(steps, publisher.online, targets))


def mix(publisher: Publisher) -> None:
    """Give the targets of an earlier state with the newest snapshot."""
    newest = json.loads(publisher.document("targets.json"))["signed"]["version"]
    publisher.put(f"{newest}.targets.json", publisher.document(f"{newest - 1}.targets.json"))


def begin_anew(publisher: Publisher) -> None:
    """Begin another repository, with other keys and all."""
    forget(publisher.service, "")
    Publisher(publisher.service).publish(policy(9))


def nonsense(publisher: Publisher) -> None:
    """Give what is no document."""
    publisher.forge(timestamp='{"signed": 1}')


FAULTS: dict[str, tuple[Callable[[Publisher], None], str]] = {
    "expired": (sign_old_stamp, "nobody vouches for the team's policy any more"),
    "another text": (change_text, "another text than was signed"),
    "not an owner's": (sign_by_others, "that the keys known here did not sign"),
    "mixed": (mix, "another text than was signed"),
    "another repository": (begin_anew, "did not sign"),
    "nonsense": (nonsense, "is not as it has to be"),
}
"""What the service may give, by its fault, and what the machine says of it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_believed_is_not_taken_and_the_last_good_policy_goes_on(
    publisher: Publisher, kept: FleetPolicy, fault: str
) -> None:
    """It is said on the machine, recorded once and told to the service; the same documents without
    the fault are taken.
    """
    publisher.publish(policy(2))
    right = {
        name: publisher.document(name)
        for name in ("timestamp.json", "targets.json", "2.targets.json", "3.targets.json")
    }
    newest = publisher.keeping.read(lambda known: known.bundles(1))[0]
    spoil, said = FAULTS[fault]
    spoil(publisher)
    for _ in range(2):
        kept.fetch()
    assert (in_place(kept), kept.state.bundle) == (policy(1), 1)
    assert said in kept.state.why, kept.state.why
    assert [body["why"] for _, body in events(kept, "bundle-refused")] == [kept.state.why]
    [told] = publisher.keeping.read(read_reports)
    assert (told.why[:40], told.colour != "green") == (kept.state.why[:40], True)
    if fault in ("another repository", "not an owner's"):
        return  # what it knows of the service has gone on since, as it does after a new signature
    publisher.keeping.write(lambda steps: steps.put_bundle(newest))
    for name, body in right.items():
        publisher.put(name, body)
    kept.fetch()
    assert (in_place(kept), kept.state.why) == (policy(2), "")


def test_an_older_state_is_never_taken(publisher: Publisher, kept: FleetPolicy) -> None:
    """Whoever holds the service back, or puts it back from a backup, loosens no machine; what is
    published after that is taken once it is newer than what the machine has seen.
    """
    old = {
        name: publisher.document(f"{name}.json") for name in ("timestamp", "snapshot", "targets")
    }
    publisher.publish(policy(2))
    kept.fetch()
    publisher.forge(**old)
    kept.fetch()
    assert (in_place(kept), kept.state.bundle) == (policy(2), 2)
    assert "an older policy than this machine has seen" in kept.state.why
    publisher.keeping.write(lambda steps: repository.refresh(steps, publisher.online))
    publisher.publish(policy(3))
    publisher.publish(policy(4))
    kept.fetch()
    assert in_place(kept) == policy(4)


def test_a_service_that_is_gone_changes_nothing_and_is_missed_after_a_week(
    kept: FleetPolicy,
) -> None:
    """The last policy goes on and nothing is wrong, until nobody has vouched for it for too long."""
    gone = kept._where.replace(url="http://127.0.0.1:9")
    away = sidecar_policy.FleetPolicy(kept._store, gone, kept._place, kept._settings)
    away.fetch()
    assert (in_place(away), away.state.why) == (policy(1), "")
    away.state = away.state.replace(expires="2026-01-31T00:00:00.000Z")
    away.fetch()
    assert in_place(away) == policy(1)
    assert "nobody has vouched for the team's policy since 2026-01-31" in away.state.why
    kept.fetch()
    assert kept.state.why == ""


def test_a_policy_that_does_not_load_there_is_not_taken_and_holds_the_stage(
    publisher: Publisher, kept: FleetPolicy
) -> None:
    """The machine keeps what it has and says why; the stage goes no further, unless a person who
    knows says so; one that loads is taken, and its stage goes on.
    """
    sound = kept._settings
    kept._settings = sound.replace(check=lambda _: "fleet.yaml:3:5: a key of a newer interlock")
    publisher.publish(policy(2), Stage(0, (kept._where.machine,)))
    kept.fetch()
    assert (in_place(kept), kept.state.refused) == (policy(1), 2)
    with pytest.raises(PublishError, match=r"a gate holds bundle 2 .* 1 machines cannot load it"):
        widen(publisher, 10)
    assert widen(publisher, 10, anyway=True).rollout.permille == 10
    kept._settings = sound
    kept.fetch()
    assert (in_place(kept), kept.state.refused) == (policy(2), 0)
    assert widen(publisher, 0).rollout.permille == 100


@pytest.mark.parametrize("how", ["changed", "removed"])
def test_what_is_done_to_its_file_is_recorded_told_and_undone(
    publisher: Publisher, kept: FleetPolicy, how: str
) -> None:
    """Where only the user's account protects the file, whoever changes it is seen."""
    path = Path(kept._place.path)
    kept.restore()
    assert events(kept, "bundle-drift") == []
    path.write_bytes(policy(1, "warn")) if how == "changed" else path.unlink()
    kept.step()
    assert in_place(kept) == policy(1)
    assert events(kept, "bundle-drift")[0][1]["what"] == how
    [told] = publisher.keeping.read(read_reports)
    assert f"its file was {how} here" in told.drift
    assert told.colour == "red"
    kept.state = kept.state.replace(drifted="2026-01-31T00:00:00.000Z")
    kept.fetch()
    assert (kept.state.drift, kept.state.colour) == ("", "green")


def test_a_machine_that_left_keeps_nothing_in_place(kept: FleetPolicy) -> None:
    """Its sidecar, which ends soon, puts nothing back."""
    policy_place.take_away(kept._place)
    elsewhere.forget(kept._store.folder)
    kept.step()
    assert in_place(kept) == b""


@pytest.mark.parametrize("step", ["_write", "_put", "keep_state"])
def test_a_process_that_dies_while_it_takes_a_policy_leaves_one_of_both(
    publisher: Publisher, kept: FleetPolicy, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks read the old text or the new one, whole; the next process finishes it, and nobody is
    accused of a change.
    """
    publisher.publish(policy(2))

    def die(*_: object) -> None:
        raise StoreError("the machine is off")

    with monkeypatch.context() as patch:
        patch.setattr(policy_place, step, die)
        with pytest.raises(StoreError):
            kept.fetch()
    assert in_place(kept) in (policy(1), policy(2))
    back = again(kept)
    back.step()
    assert (in_place(back), back.state.bundle) == (policy(2), 2)
    assert events(kept, "bundle-drift") == []


def test_roots_own_enrolment_is_the_machines_and_a_users_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only root in root's own home writes for everybody: a file that all can read and only root can
    change. Everybody else's is in their own folder.
    """
    root = PolicyLocations(f"{tmp_path}/etc", "/root", state=f"{tmp_path}/state", owner=0, above=0)
    for where, home, enforced in (
        (root, True, True),
        (root, False, False),
        (root.replace(owner=1000), True, False),
    ):
        monkeypatch.setattr(policy_place, "is_own_home", lambda *_, home=home: home)
        place = policy_place.place_of(where, f"{tmp_path}/state", "k" * 64)
        assert (place.enforced, place.path.startswith(f"{tmp_path}/etc/")) == (enforced, enforced)
        policy_place.take_over(place, policy(1), PolicyState(1, "h"))
        path = Path(place.path)
        assert path.read_bytes() == policy(1)
        assert path.stat().st_mode & 0o777 == (0o644 if enforced else 0o600)
        policy_place.take_away(place)
        assert not path.exists()


def test_a_hint_that_cannot_be_followed_is_spent(
    kept: FleetPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or an enrolment that is over, is looked at again after a pause, as ever."""
    kept.hint()
    elsewhere.forget(kept._store.folder)
    kept.step()
    assert not kept._hinted.is_set()
    monkeypatch.setattr(kept, "_is_ours", lambda: True)

    def fail() -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(kept, "restore", fail)
    kept.hint()
    with pytest.raises(StoreError):
        kept.step()
    assert not kept._hinted.is_set()
