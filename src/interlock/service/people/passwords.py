"""Passwords: kept as argon2id, compared at the same cost whether the person exists or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from interlock.service.people.owner import SignInError

LEAST, MOST = 12, 256
DIFFERENT = 5
AT_ONCE, WAITING = 2, 8
"""Hashes that are worked out at once, each of which takes 64 MiB, and those with who waits for it:
more of them would keep machines from being heard.
"""
BUSY = "Too many people sign in at this moment. Try again in a few seconds."
_HASHER = PasswordHasher(time_cost=3, memory_cost=64 << 10, parallelism=1)
_ROOM, _QUEUE = BoundedSemaphore(AT_ONCE), BoundedSemaphore(WAITING)
NOBODYS = (
    "$argon2id$v=19$m=65536,t=3,p=1$pGNzpb7B1JSFjttxwQeQLA$"
    "LxodwXivRV0s/kjXNGhMqAX4Ygt7FxbADMghli/GStk"
)
"""What is compared with where nobody is called so: it takes as long, and fits nothing."""


def unfit(password: str, name: str) -> str:
    """Return why a password will not do, empty where it will."""
    if not LEAST <= len(password) <= MOST:
        return f"A password has {LEAST} to {MOST} characters. Three or four words are a good one."
    if len(set(password)) < DIFFERENT or password.lower().replace(name, "") == "":
        return "That password is too easy to guess. Three or four words are a good one."
    return ""


def hash_password(password: str) -> str:
    """Return what is kept of a password; raises ``SignInError`` where too many wait."""
    with _turn():
        return _HASHER.hash(password)


def fits(password: str, kept: str) -> bool:
    """Tell whether a password is the one that is kept; ``kept`` is empty where there is none.
    Raises ``SignInError`` where too many wait.
    """
    with _turn():
        try:
            _HASHER.verify(kept or NOBODYS, password[: MOST + 1])
        except (VerificationError, InvalidHashError):
            return False
        return bool(kept)


@contextmanager
def _turn() -> Iterator[None]:
    if not _QUEUE.acquire(blocking=False):
        raise SignInError(BUSY)
    try:
        with _ROOM:
            yield
    finally:
        _QUEUE.release()
