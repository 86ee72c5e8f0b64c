"""The team's policy, fetched and verified as The Update Framework has it: by keys that this machine
has known since its enrolment, never older than what it has seen, never changed, mixed or expired.
"""

from __future__ import annotations

import http.client
import os
from collections.abc import Iterator
from datetime import datetime

from tuf.api.exceptions import (
    BadVersionNumberError,
    DownloadError,
    DownloadHTTPError,
    ExpiredMetadataError,
    LengthOrHashMismatchError,
    RepositoryError,
    UnsignedMetadataError,
)
from tuf.api.metadata import Metadata, Timestamp
from tuf.ngclient import FetcherInterface, Updater, UpdaterConfig

from interlock.policy.files import MAX_BYTES
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.policy_place import (
    Answer,
    FetchedPolicy,
    PolicyFetchError,
    PolicyPlace,
    ServiceGoneError,
)
from interlock.store.place import prepare
from interlock.wire.rollout import NEWEST, Rollout, RolloutError, choose, rollout_of

BASE = "/v1/policy"
MOST_DOCUMENT = 512_000
MISSING = 404
CHUNK = 1 << 16


class ServiceFetcher(FetcherInterface):
    """Fetches from the service that this machine is enrolled with, and from nowhere else."""

    def __init__(self, client: SidecarClient) -> None:
        self._client = client

    def _fetch(self, url: str) -> Iterator[bytes]:
        answer = self._client.begun(url)
        if answer.status != 200:
            answer.read(CHUNK)
            raise DownloadHTTPError(f"{url}: it answered {answer.status}", answer.status)
        return _read(answer)


def _read(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while piece := answer.read(CHUNK):
            yield piece
    except (http.client.HTTPException, OSError) as error:
        raise DownloadError(f"the answer was cut off: {error}") from error


def fetch(client: SidecarClient, place: PolicyPlace, machine: str, have: int) -> Answer | None:
    """Return what the repository says, None where the team has none. ``have``: the number of the
    policy that is here. Raises ``PolicyFetchError``, and ``StoreError``.
    """
    try:
        updater = _open(client, place)
        if updater is None:
            return None
        updater.refresh()
        policy = _choose(updater, machine, have)
    except (RepositoryError, RolloutError) as error:
        raise PolicyFetchError(_explain(error)) from error
    except DownloadError as error:
        client.close()
        raise ServiceGoneError(f"{client.url}: {error}") from error
    except (OSError, ValueError) as error:
        client.close()
        raise PolicyFetchError(f"the team's policy cannot be fetched: {error}") from error
    return Answer(policy, read_expiry(place))


def read_expiry(place: PolicyPlace) -> str:
    """Return until when the service vouches for what this machine knows; empty where it knows
    nothing.
    """
    try:
        signed = Metadata[Timestamp].from_file(f"{_documents(place)}/timestamp.json").signed
    except (RepositoryError, OSError, ValueError):
        return ""
    return _text(signed.expires)


def _open(client: SidecarClient, place: PolicyPlace) -> Updater | None:
    """Return what verifies. The first root is the one that the service has when this machine first
    asks it, over the connection that enrolled it; each later one is signed by the one before.
    """
    documents, targets = _documents(place), _targets(place)
    for folder in (documents, targets):
        prepare(folder)
    first = None
    if not os.path.exists(f"{documents}/root.json"):
        try:
            first = ServiceFetcher(client).download_bytes(f"{BASE}/1.root.json", MOST_DOCUMENT)
        except DownloadHTTPError as error:
            if error.status_code == MISSING:
                return None
            raise
    config = UpdaterConfig(root_max_length=MOST_DOCUMENT, targets_max_length=MOST_DOCUMENT)
    return Updater(
        documents, f"{BASE}/", targets, f"{BASE}/targets/", ServiceFetcher(client), config,
        bootstrap=first,
    )  # fmt: skip


def _choose(updater: Updater, machine: str, have: int) -> FetchedPolicy | None:
    newest = updater.get_targetinfo(NEWEST)
    if newest is None:
        return None  # nothing was published yet
    rollout = rollout_of(newest.custom)
    name = choose(rollout, machine, have)
    found = updater.get_targetinfo(name) if name else None
    number = _number(rollout, name)
    if found is None or number == have:
        return None
    if found.length > MAX_BYTES:
        raise RolloutError(f"bundle {number} is larger than a policy may be")
    path = updater.find_cached_target(found) or updater.download_target(found)
    with open(path, "rb") as file:
        content = file.read(MAX_BYTES)
    found.verify_length_and_hashes(content)
    return FetchedPolicy(number, content)


def _number(rollout: Rollout, name: str) -> int:
    return rollout.bundle if name == NEWEST else rollout.before


def _explain(error: Exception) -> str:
    """Say what is wrong with what the repository said."""
    for kind, said in _SAID:
        if isinstance(error, kind):
            return f"{said} ({error})"
    return f"the repository of the team's policy is not as it has to be ({error})"


_SAID: tuple[tuple[type[Exception], str], ...] = (
    (ExpiredMetadataError, "nobody vouches for the team's policy any more"),
    (BadVersionNumberError, "the service offered an older policy than this machine has seen"),
    (UnsignedMetadataError, "the service offered a policy that the keys known here did not sign"),
    (LengthOrHashMismatchError, "the service offered another text than was signed"),
)


def _documents(place: PolicyPlace) -> str:
    return f"{place.folder}/documents"


def _targets(place: PolicyPlace) -> str:
    return f"{place.folder}/targets"


def _text(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
