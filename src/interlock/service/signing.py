"""The service's own key (Ed25519): it signs receipts. Made once, readable by its owner only."""

from __future__ import annotations

from hashlib import blake2b

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from interlock.service.store.protocol import ServiceStoreError
from interlock.store.place import StoreError
from interlock.store.secret import key
from interlock.wire.receipt import Receipt, bytes_to_sign

FILE = "receipts.key"


class Signer:
    """Signs receipts. Raises ``ServiceStoreError`` where its key cannot be read or made."""

    def __init__(self, folder: str) -> None:
        try:
            self._raw = key(folder, FILE)
            self._key = Ed25519PrivateKey.from_private_bytes(self._raw)
        except StoreError as error:
            raise ServiceStoreError(str(error)) from error
        self.public = self._key.public_key().public_bytes_raw().hex()

    def derive_secret(self, purpose: str) -> bytes:
        """Return a secret that is made of this one, for one purpose and no other."""
        return blake2b(purpose.encode(), key=self._raw, digest_size=32).digest()

    def sign(self, message: bytes) -> str:
        """Return the signature under a message, in hex."""
        return self._key.sign(message).hex()

    def signed(self, receipt: Receipt) -> Receipt:
        """Return the receipt with its signature."""
        return receipt.replace(signature=self.sign(bytes_to_sign(receipt)))
