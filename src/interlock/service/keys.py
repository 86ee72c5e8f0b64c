"""The service's key for what belongs to people: it seals what has to be read again, and hashes
what only has to be known again, so that a copy of the database alone is worth neither.
"""

from __future__ import annotations

from hashlib import blake2b
from os import urandom

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from interlock.service.store.protocol import ServiceStoreError
from interlock.store.place import StoreError
from interlock.store.secret import key

FILE = "people.key"
NONCE = 12


class ServiceKeys:
    """Raises ``ServiceStoreError`` where the key cannot be read or made, or opens nothing."""

    def __init__(self, folder: str) -> None:
        try:
            self._key = key(folder, FILE)
        except StoreError as error:
            raise ServiceStoreError(str(error)) from error
        self._box = AESGCM(blake2b(b"seal", key=self._key, digest_size=32).digest())

    def hash_text(self, text: str) -> str:
        """Return the keyed hash of a text."""
        return blake2b(text.encode("utf-8", "replace"), key=self._key, digest_size=32).hexdigest()

    def seal(self, text: str, whose: str) -> str:
        """Return a text as only this key opens it, and only for whom it was sealed."""
        nonce = urandom(NONCE)
        return (nonce + self._box.encrypt(nonce, text.encode(), whose.encode())).hex()

    def opened(self, sealed: str, whose: str) -> str:
        """Return what was sealed."""
        try:
            whole = bytes.fromhex(sealed)
            return self._box.decrypt(whole[:NONCE], whole[NONCE:], whose.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise ServiceStoreError(
                f"what {whose} signs in with was sealed with another {FILE}: put the old one back,"
                f" or let them set it anew (interlock serve --reset {whose})"
            ) from error
