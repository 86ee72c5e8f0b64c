"""A team's policy for tests: a service that publishes, and machines that take it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, Timestamp

from interlock.cli.sidecar import explain_wrong_policy
from interlock.cli.trial_tools import trial_tools
from interlock.service.policy import publishing, repository
from interlock.service.policy.publishing import Signing, Stage
from interlock.service.policy.repository import Thresholds
from interlock.service.policy.trials import History, row_of, try_policy
from interlock.service.store.sqlite import Database
from interlock.sidecar.policy import FleetPolicy, FleetSettings
from interlock.sidecar.policy_place import PolicyPlace
from interlock.store.chain import now
from interlock.wire.rollout import WHOLE

if TYPE_CHECKING:
    from interlock.service.policy.publishing import PublishResult
    from interlock.service.policy.trials import PolicyTrial
    from interlock.store.database import Store
    from tests.serving import Served

CASES = b"cases:\n  - {call: ls, expect: allow}\n"
ALL = Stage(WHOLE)


def policy(number: int = 1, action: str = "deny") -> bytes:
    """Write a policy; its rule speaks of a program of that number."""
    rule = f"{{id: own.tool, title: a tool, match: {{commands: tool{number}}}, action: {action}}}"
    return f"version: 1\nrules:\n  - {rule}\n".encode()


class Publisher:
    """Publishes at a service. ``owners``: keys of the policy's, ``roots``: those that name them."""

    def __init__(self, service: Served, takes: Thresholds = Thresholds()) -> None:  # noqa: B008 - a record never changes
        self.service, self.keeping = service, service.scene.keeping
        self.online = CryptoSigner.generate_ed25519()
        self.roots = [CryptoSigner.generate_ed25519() for _ in range(takes.roots)]
        self.owners = [CryptoSigner.generate_ed25519() for _ in range(takes.owners)]
        self.keeping.write(
            lambda steps: repository.begin(steps, self.online, self.roots, self.owners, takes)
        )

    def signing(self, *owners: CryptoSigner) -> Signing:
        """Return who signs: all owners where none is named."""
        return Signing(self.online, owners or tuple(self.owners), "ada")

    def tried(self, content: bytes, tests: bytes = CASES) -> PolicyTrial:
        """Try a text, and keep what came of it if it passed."""
        found = try_policy(content, tests, History(), trial_tools(), "2026-01-31")
        if found.passed:
            row = row_of(found, tests.decode(), "ada", now())
            self.keeping.write(lambda steps: steps.put_trial(row))
        return found

    def publish(self, content: bytes, stage: Stage = ALL, *owners: CryptoSigner) -> PublishResult:
        """Publish a text that is tried first."""
        assert self.tried(content).passed
        who = self.signing(*owners)
        return self.keeping.write(lambda steps: publishing.publish(steps, content, stage, who))

    def document(self, name: str) -> str:
        """Return a document of the repository."""
        return self.keeping.read(lambda known: known.policy_document(name))

    def forge(self, **documents: str) -> None:
        """Have the service give other documents; names as ``timestamp``."""
        for name, body in documents.items():
            self.put(f"{name}.json", body)

    def put(self, name: str, body: str) -> None:
        """Have the service give another document."""
        self.keeping.write(lambda steps: steps.put_policy_document(name, body))


def machine(service: Served, store: Store, folder: Path, name: str = "here") -> FleetPolicy:
    """Enrol a store; return what keeps the team's policy there, in a folder of its own."""
    where = service.enrolled(store, name)
    place = PolicyPlace(str(folder / "fleet.yaml"), enforced=False, folder=str(folder / "trust"))
    folder.mkdir(exist_ok=True)
    return FleetPolicy(store, where, place, FleetSettings(explain_wrong_policy))


def again(kept: FleetPolicy) -> FleetPolicy:
    """Return the same after its process ended and began anew."""
    return FleetPolicy(kept._store, kept._where, kept._place, kept._settings)


def in_place(kept: FleetPolicy) -> bytes:
    """Return the policy that hooks read there; empty where there is none."""
    path = Path(kept._place.path)
    return path.read_bytes() if path.exists() else b""


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


def events(kept: FleetPolicy, kind: str) -> list[tuple[str, dict[str, object]]]:
    """Return what a machine recorded of a kind: the bundle and the event's words."""
    rows = kept._store.query(
        "SELECT subject, body FROM audit_event WHERE kind = ? ORDER BY seq", (kind,)
    )
    return [(str(subject), json.loads(str(body))) for subject, body in rows]


def widen(publisher: Publisher, permille: int, *, anyway: bool = False) -> PublishResult:
    """Take the newest policy further."""
    return publisher.keeping.write(
        lambda steps: publishing.widen(steps, permille, publisher.signing(), anyway=anyway)
    )


def sign_old_stamp(publisher: Publisher) -> None:
    """Have the newest statement of the service be over."""
    stamp: Metadata[Timestamp] = Metadata.from_bytes(publisher.document("timestamp.json").encode())
    stamp.signed.expires = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
    stamp.sign(publisher.online)
    publisher.forge(timestamp=stamp.to_bytes().decode())
