"""The repository of policies, as The Update Framework has it: four documents, each signed by its
own keys.

=============  =====================================================================================
``root``       names all keys and how many of each it takes; signed by keys that lie in a safe
``targets``    the policies, and how far the newest one goes; signed by the policy's owners
``snapshot``   which ``targets`` is the newest, ``timestamp`` which ``snapshot``; signed by the
               service, for a few days each time: who holds machines at an old state is noticed
=============  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TypeVar, cast

from securesystemslib.exceptions import StorageError
from securesystemslib.signer import CryptoSigner
from tuf.api.exceptions import RepositoryError, UnsignedMetadataError
from tuf.api.metadata import (
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    TargetFile,
    Targets,
    Timestamp,
)
from tuf.api.serialization import DeserializationError
from tuf.api.serialization.json import JSONSerializer

from interlock.model.record import Record
from interlock.service.store.protocol import ServiceReader, ServiceStoreError, ServiceWriter
from interlock.wire.rollout import BEFORE, NEWEST, Rollout, RolloutError, plain, rollout_of

ROOT_DAYS, TARGETS_DAYS, ONLINE_DAYS = 730, 365, 7
WAITING = "waiting.targets.json"
"""Targets that not enough owners have signed yet."""
S = TypeVar("S", Root, Targets, Snapshot, Timestamp)
_WRITER = JSONSerializer(compact=False)


class RepositoryStateError(Exception):
    """The repository cannot be changed so; one sentence says why and what to do."""


class Thresholds(Record):
    """How many keys it takes: to name keys (``roots``), to publish (``owners``)."""

    roots: int = 1
    owners: int = 1


class Proposal(Record):
    """What waits for signatures. ``name``: another word once something else waits, whoever signed
    it.
    """

    rollout: Rollout
    name: str


def is_begun(known: ServiceReader) -> bool:
    """Tell whether there is a repository."""
    return bool(known.policy_document("timestamp.json"))


def begin(
    keeping: ServiceWriter,
    online: CryptoSigner,
    roots: Sequence[CryptoSigner],
    owners: Sequence[CryptoSigner],
    takes: Thresholds,
) -> None:
    """Begin a repository without a policy; raises ``RepositoryStateError``."""
    if is_begun(keeping):
        raise RepositoryStateError(
            "there is a repository of policies already; `interlock fleet rekey` changes its keys"
        )
    root = Metadata(Root(expires=_later(ROOT_DAYS), consistent_snapshot=True))
    _name_keys(root.signed, "root", roots, takes.roots)
    _name_keys(root.signed, "targets", owners, takes.owners)
    _name_keys(root.signed, "snapshot", [online], 1)
    _name_keys(root.signed, "timestamp", [online], 1)
    _sign(root, roots)
    targets = Metadata(Targets(expires=_later(TARGETS_DAYS)))
    _sign(targets, owners)
    _keep(keeping, root, "root", versioned=True)
    _put_live(keeping, online, targets)


def rekey(
    keeping: ServiceWriter,
    online: CryptoSigner,
    roots: Sequence[CryptoSigner],
    owners: Sequence[CryptoSigner],
) -> None:
    """Name other keys for publishing, and the service's own as it is by now: what follows a key
    that was stolen, or a root that ends. Raises ``RepositoryStateError`` where not enough of root's
    keys sign that.
    """
    root = _load(keeping, "root", Root)
    old = root.signed.version
    root.signed.version, root.signed.expires = old + 1, _later(ROOT_DAYS)
    needed = root.signed.roles["targets"].threshold
    if len({one.public_key.keyid for one in owners}) < needed:
        raise RepositoryStateError(f"publishing takes {needed} keys: name as many with --key")
    for role, signers in (("targets", owners), ("snapshot", [online]), ("timestamp", [online])):
        for name in list(root.signed.roles[role].keyids):
            root.signed.revoke_key(name, role)
        for one in signers:
            root.signed.add_key(one.public_key, role)
    _sign(root, roots)
    _verify(root.signed, "root", root)
    targets = _load(keeping, "targets", Targets)
    targets.signed.version, targets.signed.expires = _next_version(keeping), _later(TARGETS_DAYS)
    _sign(targets, owners)
    _verify(root.signed, "targets", targets)
    _keep(keeping, root, "root", versioned=True)
    keeping.put_policy_document(WAITING, "")
    _put_live(keeping, online, targets)


def propose(
    keeping: ServiceWriter, rollout: Rollout, contents: Mapping[str, bytes]
) -> Metadata[Targets]:
    """Have these policies wait for the signatures of the policy's owners."""
    made = Targets(version=_next_version(keeping), expires=_later(TARGETS_DAYS))
    for name, data in contents.items():
        made.targets[name] = TargetFile.from_data(name, data, ["sha256"])
    made.targets[NEWEST].unrecognized_fields["custom"] = plain(rollout)
    waiting = Metadata(made)
    _keep_text(keeping, WAITING, waiting)
    return waiting


def sign(keeping: ServiceWriter, online: CryptoSigner, signers: Iterable[CryptoSigner]) -> int:
    """Sign what waits, and publish it once it is signed by enough; return how many signatures it
    still takes. Raises ``RepositoryStateError``.
    """
    waiting = read_waiting(keeping)
    root = _load(keeping, "root", Root).signed
    if waiting is None:
        raise RepositoryStateError("nothing waits for a signature")
    for one in signers:
        if one.public_key.keyid not in root.roles["targets"].keyids:
            raise RepositoryStateError("this is no key of an owner of the policy here")
        waiting.sign(one, append=True)
    found = root.get_verification_result("targets", waiting.signed_bytes, waiting.signatures)
    if not found:
        _keep_text(keeping, WAITING, waiting)
        return found.missing
    keeping.put_policy_document(WAITING, "")
    _put_live(keeping, online, waiting)
    return 0


def read_waiting(known: ServiceReader) -> Metadata[Targets] | None:
    """Return what waits for signatures."""
    text = known.policy_document(WAITING)
    return _read(text, Targets) if text else None


def read_rollout(known: ServiceReader, waiting: Metadata[Targets] | None = None) -> Rollout | None:
    """Return how far the newest policy goes, or what waits would; None before the first."""
    targets = waiting or _load(known, "targets", Targets)
    found = targets.signed.targets.get(NEWEST)
    if found is None:
        return None
    try:
        return rollout_of(found.custom)
    except RolloutError as error:
        raise ServiceStoreError(f"the repository of policies cannot be read: {error}") from error


def read_proposal(known: ServiceReader) -> Proposal | None:
    """Return what waits for signatures; None where nothing does."""
    waiting = read_waiting(known)
    rollout = read_rollout(known, waiting) if waiting is not None else None
    if waiting is None or rollout is None:
        return None
    return Proposal(rollout, sha256(waiting.signed_bytes).hexdigest())


def hashes(known: ServiceReader) -> dict[str, str]:
    """Return the SHA-256 of the policies in force by their names."""
    targets = _load(known, "targets", Targets).signed.targets
    return {name: targets[name].hashes["sha256"] for name in (NEWEST, BEFORE) if name in targets}


def expiry(known: ServiceReader) -> datetime:
    """Return when the first of what people signed ends."""
    found = (_load(known, "root", Root), _load(known, "targets", Targets))
    return min(one.signed.expires for one in found)


def live_version(known: ServiceReader) -> str:
    """Return a text that is another one once another policy, or another stage, is the newest."""
    return sha256(known.policy_document("targets.json").encode()).hexdigest()


def is_vouching_due(known: ServiceReader) -> bool:
    """Tell whether half of the time is over for which the service says what is the newest."""
    if not is_begun(known):
        return False
    stamp = _load(known, "timestamp", Timestamp)
    return stamp.signed.expires < _later(ONLINE_DAYS / 2)


def refresh(keeping: ServiceWriter, online: CryptoSigner) -> None:
    """Say again that what is the newest is."""
    _put_live(keeping, online, _load(keeping, "targets", Targets))


# -- the documents ---------------------------------------------------------------------------------


def _put_live(keeping: ServiceWriter, online: CryptoSigner, targets: Metadata[Targets]) -> None:
    """Make these targets the newest."""
    number = _version(keeping, "snapshot", Snapshot) + 1
    data = _keep(keeping, targets, "targets", versioned=True)
    files = {"targets.json": MetaFile.from_data(targets.signed.version, data, ["sha256"])}
    snapshot = Metadata(Snapshot(version=number, expires=_later(ONLINE_DAYS), meta=files))
    _sign(snapshot, [online])
    data = _keep(keeping, snapshot, "snapshot", versioned=True)
    stamp = Timestamp(
        version=_version(keeping, "timestamp", Timestamp) + 1, expires=_later(ONLINE_DAYS),
        snapshot_meta=MetaFile.from_data(number, data, ["sha256"]),
    )  # fmt: skip
    signed = Metadata(stamp)
    _sign(signed, [online])
    _keep(keeping, signed, "timestamp", versioned=False)


def _name_keys(root: Root, role: str, signers: Sequence[CryptoSigner], takes: int) -> None:
    if not 1 <= takes <= len(signers):
        raise RepositoryStateError(f"{role}: {takes} of {len(signers)} keys is no threshold")
    for one in signers:
        root.add_key(one.public_key, role)
    root.roles[role].threshold = takes


def _sign(document: Metadata[S], signers: Iterable[CryptoSigner]) -> None:
    document.signatures.clear()
    for one in signers:
        document.sign(one, append=True)


def _verify(root: Root, role: str, document: Metadata[S]) -> None:
    try:
        root.verify_delegate(role, document.signed_bytes, document.signatures)
    except UnsignedMetadataError as error:
        needed = root.roles[role].threshold
        said = f"this takes {needed} of the keys of {role}, and these are not"
        raise RepositoryStateError(said) from error


def _keep(keeping: ServiceWriter, document: Metadata[S], role: str, *, versioned: bool) -> bytes:
    data = _keep_text(keeping, f"{role}.json", document)
    if versioned:
        _keep_text(keeping, f"{document.signed.version}.{role}.json", document)
    return data


def _keep_text(keeping: ServiceWriter, name: str, document: Metadata[S]) -> bytes:
    data = document.to_bytes(_WRITER)
    keeping.put_policy_document(name, data.decode())
    return data


def _next_version(known: ServiceReader) -> int:
    """Return a version of targets that neither is nor waits."""
    return _version(known, "targets", Targets) + 1


def _version(known: ServiceReader, role: str, kind: type[S]) -> int:
    text = known.policy_document(f"{role}.json")
    return _read(text, kind).signed.version if text else 0


def _load(known: ServiceReader, role: str, kind: type[S]) -> Metadata[S]:
    text = known.policy_document(f"{role}.json")
    if not text:
        raise RepositoryStateError(
            "there is no repository of policies yet: interlock fleet begin --keys FOLDER"
        )
    return _read(text, kind)


def _read(text: str, kind: type[S]) -> Metadata[S]:
    try:
        found = cast("Metadata[S]", Metadata.from_bytes(text.encode()))
    except (DeserializationError, RepositoryError, StorageError) as error:
        raise ServiceStoreError(f"the repository of policies cannot be read: {error}") from error
    if not isinstance(found.signed, kind):
        raise ServiceStoreError("the repository of policies holds another document there")
    return found


def _later(days: float) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
