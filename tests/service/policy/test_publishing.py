"""What is published is tried first, as it is, and signed by people; a stage only grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from securesystemslib.signer import CryptoSigner

from interlock.service.policy import publishing, repository
from interlock.service.policy.publishing import PublishError, Stage
from interlock.service.policy.repository import RepositoryStateError, Thresholds
from interlock.wire.rollout import WHOLE, share_of
from tests.policies import (
    ALL,
    CASES,
    Publisher,
    forget,
    in_place,
    policy,
    sign_old_stamp,
    widen,
)
from tests.serving import Served

if TYPE_CHECKING:
    from interlock.sidecar.policy import FleetPolicy


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
    assert [widen(publisher, 0).rollout.permille for _ in range(2)] == [100, 500]
    with pytest.raises(PublishError, match="a stage never shrinks"):
        widen(publisher, 499)
    assert widen(publisher, WHOLE).rollout.whole
    with pytest.raises(PublishError, match="on all machines already"):
        widen(publisher, 0)
