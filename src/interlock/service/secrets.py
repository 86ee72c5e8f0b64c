"""Words that only who was told them knows, and how they are kept: as SHA-256, since each is drawn
and long.
"""

from __future__ import annotations

from hashlib import sha256
from secrets import token_urlsafe
from time import gmtime, strftime, time

BYTES = 32


def new_secret() -> str:
    """Return a new secret: 256 bits as a word."""
    return token_urlsafe(BYTES)


def hash_secret(secret: str) -> str:
    """Return what is kept of a secret."""
    return sha256(secret.encode()).hexdigest()


def later(seconds: float) -> str:
    """Return the time (UTC) in so many seconds, as it is kept."""
    return strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime(time() + seconds))
