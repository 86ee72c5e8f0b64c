"""One policy for all machines: what is published is tried first and signed by people, machines take
it by themselves and never anything else, and whatever goes wrong the last good one goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, Targets, Timestamp

from interlock.guard.stopping import StopResult
from interlock.policy.files import PolicyLocations
from interlock.service.policy import publishing, repository
from interlock.service.policy.publishing import PublishError, Stage
from interlock.service.policy.reports import read_reports
from interlock.service.policy.repository import RepositoryStateError, Thresholds
from interlock.service.store.sqlite import Database
from interlock.sidecar import policy as sidecar_policy
from interlock.sidecar import policy_place
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.store import elsewhere
from interlock.store.database import Store
from interlock.store.place import StoreError
from interlock.wire.policy_state import PolicyState
from interlock.wire.rollout import WHOLE, share_of
from tests.policies import ALL, CASES, Publisher, again, in_place, machine, policy
from tests.serving import SECONDS, Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.service.policy.publishing import PublishResult
    from interlock.sidecar.policy import FleetPolicy


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers; each test begins a repository of its own."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def publisher(service: Served) -> Publisher:
    """Return who publishes at it, in a repository without a policy."""
    forget(service)
    return Publisher(service)


def forget(service: Served, retired: str = "2026") -> None:
    """Have the service know no policy and no machine; without a time the machines stay."""
    keeping = service.scene.keeping
    assert isinstance(keeping, Database)
    with keeping._turn:  # the service's own tasks write, too
        for statement in (
            "DELETE FROM policy_document",
            "DELETE FROM bundle",
            "DELETE FROM trial",
            "DELETE FROM machine_check",
        ):
            keeping._writer.execute(statement)
        keeping._writer.execute("UPDATE machine SET retired = ? WHERE retired = ''", (retired,))


@pytest.fixture
def kept(service: Served, publisher: Publisher, tmp_path: Path) -> FleetPolicy:
    """Return a machine that has bundle 1."""
    publisher.publish(policy(1))
    found = machine(service, Store(str(tmp_path / "state")), tmp_path / "place")
    found.step()
    assert in_place(found) == policy(1)
    return found


def events(kept: FleetPolicy, kind: str) -> list[tuple[str, dict[str, object]]]:
    """Return what a machine recorded of a kind: the bundle and the event's words."""
    rows = kept._store.query(
        "SELECT subject, body FROM audit_event WHERE kind = ? ORDER BY seq", (kind,)
    )
    return [(str(subject), json.loads(str(body))) for subject, body in rows]


# -- what is taken ---------------------------------------------------------------------------------


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


# -- what is refused: each leaves what is there, and what is right is taken afterwards -------------


def sign_old_stamp(publisher: Publisher) -> None:
    """Have the newest statement of the service be over."""
    stamp: Metadata[Timestamp] = Metadata.from_bytes(publisher.document("timestamp.json").encode())
    stamp.signed.expires = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
    stamp.sign(publisher.online)
    publisher.forge(timestamp=stamp.to_bytes().decode())


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
        widened(publisher, 10)
    assert widened(publisher, 10, anyway=True).rollout.permille == 10
    kept._settings = sound
    kept.fetch()
    assert (in_place(kept), kept.state.refused) == (policy(2), 0)
    assert widened(publisher, 0).rollout.permille == 100


def widened(publisher: Publisher, permille: int, *, anyway: bool = False) -> PublishResult:
    """Take the newest policy further."""
    return publisher.keeping.write(
        lambda steps: publishing.widen(steps, permille, publisher.signing(), anyway=anyway)
    )


# -- its file on the machine -----------------------------------------------------------------------


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


# -- stages ----------------------------------------------------------------------------------------


def test_a_stage_takes_those_whom_the_document_means_and_everybody_else_keeps_the_one_before(
    service: Served, publisher: Publisher, kept: FleetPolicy, tmp_path: Path
) -> None:
    """A machine that came later and is not meant gets the policy before; the last stage is all."""
    later = machine(service, Store(str(tmp_path / "other")), tmp_path / "later", "later")
    publisher.publish(policy(2), Stage(0, (kept._where.machine,)))
    for one in (kept, later):
        one.fetch()
    assert (in_place(kept), in_place(later)) == (policy(2), policy(1))
    widened(publisher, WHOLE)
    later.fetch()
    assert in_place(later) == policy(2)


def test_what_follows_a_policy_on_its_way_goes_at_least_as_far(publisher: Publisher) -> None:
    """Whoever has the one that is mended gets what mends it; the draw stays the same."""
    publisher.publish(policy(1))
    first = publisher.publish(policy(2), Stage(100)).rollout
    with pytest.raises(PublishError, match="on its way to 100 of 1000"):
        publisher.publish(policy(3), Stage(10))
    second = publisher.publish(policy(3), Stage(100)).rollout
    assert (second.salt, second.before, second.bundle) == (first.salt, 1, 3)
    assert share_of(first.salt, "m-1") == share_of(second.salt, "m-1")


def test_a_stage_never_shrinks(publisher: Publisher) -> None:
    """It goes on by the plan, or to a larger share; back is another word."""
    publisher.publish(policy(1), Stage(10))
    assert [widened(publisher, 0).rollout.permille for _ in range(2)] == [100, 500]
    with pytest.raises(PublishError, match="a stage never shrinks"):
        widened(publisher, 499)
    assert widened(publisher, WHOLE).rollout.whole
    with pytest.raises(PublishError, match="on all machines already"):
        widened(publisher, 0)


# -- what is published -----------------------------------------------------------------------------


def test_only_a_text_that_was_tried_as_it_is_is_published(publisher: Publisher) -> None:
    """A letter more is another text; errors, failing cases and no cases at all are no trial."""
    assert publisher.tried(policy(1)).passed
    with pytest.raises(PublishError, match="this very text was not tried"):
        publisher.keeping.write(
            lambda steps: publishing.publish(steps, policy(1) + b"\n", ALL, publisher.signing())
        )
    done = publisher.keeping.write(
        lambda steps: publishing.publish(steps, policy(1), ALL, publisher.signing())
    )
    assert (done.missing, done.rollout.bundle) == (0, 1)


@pytest.mark.parametrize(
    ("content", "tests", "said"),
    [
        (b"version: 1\nrulez: []\n", CASES, "policy.yaml:2:1"),
        (policy(1), b"cases:\n  - {call: tool1, expect: allow}\n", ""),
        (policy(1), b"cases: []\n", ""),
        (policy(1), b"cases:\n  - {call: ls, expects: allow}\n", "cases.yaml:2:"),
    ],
)
def test_what_is_wrong_is_no_trial(
    publisher: Publisher, content: bytes, tests: bytes, said: str
) -> None:
    """An error is named with its line; a case that fails, or none, keeps it from being published."""
    found = publisher.tried(content, tests)
    assert not found.passed
    assert said in "\n".join(one.text() for one in found.errors)
    with pytest.raises(PublishError, match="was not tried"):
        publisher.keeping.write(
            lambda steps: publishing.publish(steps, content, ALL, publisher.signing())
        )


def test_two_owners_sign_where_it_takes_two(service: Served) -> None:
    """With one signature it waits, and machines see nothing of it; the second publishes it."""
    forget(service)
    both = Publisher(service, Thresholds(1, 2))
    before = both.document("timestamp.json")
    assert both.publish(policy(5), ALL, both.owners[0]).missing == 1
    assert both.document("timestamp.json") == before
    with pytest.raises(RepositoryStateError, match="no key of an owner"):
        both.keeping.write(
            lambda steps: publishing.sign(steps, both.signing(CryptoSigner.generate_ed25519()))
        )
    again_first = both.keeping.write(
        lambda steps: publishing.sign(steps, both.signing(both.owners[0]))
    )
    assert again_first.missing == 1
    done = both.keeping.write(lambda steps: publishing.sign(steps, both.signing(both.owners[1])))
    assert (done.missing, both.document("timestamp.json") != before) == (0, True)


def test_a_stolen_key_publishes_no_more_once_root_has_named_others(
    publisher: Publisher, kept: FleetPolicy
) -> None:
    """Machines take the new keys at their next look; root's own cannot be named by a stranger."""
    stolen, fresh = publisher.owners[0], CryptoSigner.generate_ed25519()

    def rekey(root: CryptoSigner) -> None:
        publisher.keeping.write(
            lambda steps: repository.rekey(steps, publisher.online, [root], [fresh])
        )

    with pytest.raises(RepositoryStateError, match="keys of root"):
        rekey(CryptoSigner.generate_ed25519())
    rekey(publisher.roots[0])
    with pytest.raises(RepositoryStateError, match="no key of an owner"):
        publisher.publish(policy(2), ALL, stolen)
    publisher.publish(policy(3), ALL, fresh)
    kept.fetch()
    assert (in_place(kept), kept.state.why) == (policy(3), "")


def test_the_service_vouches_again_before_its_word_ends(publisher: Publisher) -> None:
    """Half of the time before; not each time that it is looked."""
    assert not publisher.keeping.read(repository.is_vouching_due)
    sign_old_stamp(publisher)
    assert publisher.keeping.read(repository.is_vouching_due)
    publisher.keeping.write(lambda steps: repository.refresh(steps, publisher.online))
    assert not publisher.keeping.read(repository.is_vouching_due)


def test_documents_are_for_machines_alone(
    service: Served, publisher: Publisher, kept: FleetPolicy
) -> None:
    """Nobody else reads the policy; what waits for a signature nobody reads."""
    publisher.put(repository.WAITING, "{}")
    mine = {"Authorization": f"Bearer {kept._where.credential}"}
    for name, status in (("timestamp.json", 200), (repository.WAITING, 404), ("9.root.json", 404)):
        assert service.ask("GET", f"/v1/policy/{name}", mine).status == status
        assert service.ask("GET", f"/v1/policy/{name}").status == 401
