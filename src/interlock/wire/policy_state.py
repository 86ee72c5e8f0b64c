"""What a machine says of the policy of its team: the same words on both sides. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from interlock.model.jsontext import whole
from interlock.model.record import Record

GREEN, AMBER, RED = "green", "amber", "red"
MOST_TEXT = 500
MOST_BUNDLE = 2**31 - 1
"""The largest number that a policy may have."""


class PolicyState(Record):
    """Which policy a machine has. ``bundle``: its number, 0 for none; ``hash``: of its text;
    ``since``: when it came, UTC; ``enforced``: only root can change it there.

    ``refused``: the number of one that it would not take; ``why``: what keeps it from the newest,
    empty where nothing does; ``drift``: what was done to its file, ``drifted`` when, empty where
    nothing was; ``expires``: until when the repository vouches for it.
    """

    bundle: int = 0
    hash: str = ""
    since: str = ""
    enforced: bool = False
    refused: int = 0
    why: str = ""
    drift: str = ""
    drifted: str = ""
    expires: str = ""

    @property
    def colour(self) -> str:
        """How much of a person it needs."""
        return RED if self.drift or self.refused else AMBER if self.why else GREEN


def hash_text(text: bytes) -> str:
    """Return the name of a policy's text, in the record and in the repository: its SHA-256."""
    return sha256(text).hexdigest()


def plain(state: PolicyState) -> dict[str, object]:
    """Return it as plain data."""
    return {name: getattr(state, name) for name in PolicyState.fields}


def state_of(given: Mapping[str, object]) -> PolicyState | None:
    """Return what plain data says; None where it says no such thing."""
    bundle, refused = [whole(given.get(name, 0)) for name in ("bundle", "refused")]
    texts = [
        given.get(name, "") for name in ("hash", "since", "why", "drift", "drifted", "expires")
    ]
    right = bundle is not None and refused is not None
    if not right or not all(isinstance(one, str) for one in texts):
        return None
    if not (0 <= (bundle or 0) <= MOST_BUNDLE and 0 <= (refused or 0) <= MOST_BUNDLE):
        return None
    hashed, since, why, drift, drifted, expires = [str(one)[:MOST_TEXT] for one in texts]
    enforced = given.get("enforced") is True
    return PolicyState(
        bundle or 0, hashed, since, enforced, refused or 0, why, drift, drifted, expires
    )  # fmt: skip
