"""Where the team's policy lies on this machine: the file that hooks read, and what is known of it.

As root it is ``/etc/interlock/fleet.yaml``, which no user can change and which holds for all of
them; otherwise a file of the user's own, whose change is noticed, recorded, told and undone.
"""

from __future__ import annotations

import os

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record
from interlock.policy.files import FLEET_FILE, MAX_BYTES, PolicyLocations, is_own_home
from interlock.store.place import StoreError, prepare
from interlock.wire.policy_state import PolicyState, hash_text, plain, state_of

FOLDER = "team-policy"
STATE, CURRENT, COMING = "state.json", "current.yaml", "coming"


class PolicyFetchError(Exception):
    """The newest policy is not to be had; one sentence says why."""


class ServiceGoneError(PolicyFetchError):
    """The service does not answer: what is here goes on, and nothing is wrong with it."""


class FetchedPolicy(Record):
    """A policy that was verified. ``bundle``: its number; ``content``: its text."""

    bundle: int
    content: bytes


class Answer(Record):
    """What the repository says for this machine. ``policy``: another one than it has, None where
    it has the right one; ``expires``: until when the service vouches for that, UTC.
    """

    policy: FetchedPolicy | None
    expires: str


class PolicyPlace(Record):
    """Where it lies. ``path``: the file that hooks read; ``enforced``: only root can change it;
    ``folder``: where this user's sidecar keeps what it trusts and knows of one service.
    """

    path: str
    enforced: bool
    folder: str


def place_of(where: PolicyLocations, folder: str, service_key: str) -> PolicyPlace:
    """Return where the policy of a service lies, given the folder of the user's store. Root's own
    enrolment is the machine's.
    """
    root = where.owner == where.above == 0 and is_own_home(where.home, where.owner)
    enforced = root and os.name == "posix"
    path = where.fleet_files[0] if enforced else f"{folder}/{FLEET_FILE}"
    return PolicyPlace(path, enforced, f"{folder}/{FOLDER}/{service_key[:16]}")


def load_state(place: PolicyPlace) -> PolicyState:
    """Return what is known of the policy; nothing where that cannot be read."""
    try:
        with open(f"{place.folder}/{STATE}", encoding="utf-8") as file:
            given = loads(file.read())
    except (OSError, JsonError, UnicodeDecodeError):
        given = None
    return (state_of(given) if isinstance(given, dict) else None) or PolicyState()


def keep_state(place: PolicyPlace, state: PolicyState) -> None:
    """Keep it; raises ``StoreError``."""
    _write(f"{place.folder}/{STATE}", (dumps(plain(state)) + "\n").encode(), 0o600)


def take_over(place: PolicyPlace, content: bytes, state: PolicyState) -> None:
    """Have hooks read this policy from now on, whole or not at all; raises ``StoreError``. Whatever
    ends this in the middle, ``find_change`` finds no change in what it left.
    """
    coming = f"{place.folder}/{COMING}"
    _write(coming, b"", 0o600)
    _write(f"{place.folder}/{CURRENT}", content, 0o600)
    keep_state(place, state)
    _put(place, content)
    os.unlink(coming)


def find_change(place: PolicyPlace, state: PolicyState, *, mend: bool = True) -> str:
    """Return what was done to the file that hooks read: `changed`, `removed`, or empty where it is
    as it was put there. ``mend``: what was not finished is finished. Raises ``StoreError``.
    """
    found = _hash(_read(place.path))
    if not state.bundle or found == state.hash:
        return ""
    coming = f"{place.folder}/{COMING}"
    if os.path.exists(coming):
        if mend:
            put_back(place, state)
            os.unlink(coming)
        return ""
    return "changed" if found else "removed"


def put_back(place: PolicyPlace, state: PolicyState) -> bool:
    """Put the policy back that was verified last; tell whether it is still known. Raises
    ``StoreError``.
    """
    content = _read(f"{place.folder}/{CURRENT}")
    if _hash(content) != state.hash:
        return False
    _put(place, content)
    return True


def _hash(content: bytes) -> str:
    return hash_text(content) if content else ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return b""


def _put(place: PolicyPlace, content: bytes) -> None:
    _write(place.path, content, 0o644 if place.enforced else 0o600)


def take_away(place: PolicyPlace) -> None:
    """Have hooks read it no more: this machine is enrolled no more. Raises ``StoreError``."""
    for path in (place.path, f"{place.folder}/{STATE}"):
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"{path} cannot be removed: {error.strerror}") from error


def _write(path: str, data: bytes, mode: int) -> None:
    folder = os.path.dirname(path)
    try:
        if mode == 0o644:
            os.makedirs(folder, 0o755, exist_ok=True)
        else:
            prepare(folder)
        descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with open(descriptor, "wb") as file:
            os.chmod(f"{path}.new", mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(f"{path}.new", path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
