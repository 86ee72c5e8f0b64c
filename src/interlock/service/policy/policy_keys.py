"""The keys that sign policies (Ed25519): files of people, and the service's own, which only says
that what they signed is the newest.
"""

from __future__ import annotations

import os

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner

from interlock.service.store.protocol import ServiceStoreError
from interlock.store.place import StoreError
from interlock.store.secret import key

FILE = "policy.key"
"""The service's own."""
SEALED = "owner-{}.key"
"""Those of the policy's owners, where the service keeps them."""
MOST_SEALED = 20
MOST_BYTES = 10_000


class PolicyKeyError(Exception):
    """A key cannot be read or made; one sentence says which and why."""


def open_online_signer(folder: str) -> CryptoSigner:
    """Return the service's own key, made at its first use; raises ``ServiceStoreError``."""
    return _open(folder, FILE)


def _open(folder: str, name: str) -> CryptoSigner:
    try:
        return CryptoSigner(Ed25519PrivateKey.from_private_bytes(key(folder, name)))
    except StoreError as error:
        raise ServiceStoreError(str(error)) from error


def open_sealed(folder: str, number: int) -> CryptoSigner:
    """Return a key of the policy's owners that the service keeps for them, made at its first use;
    raises ``ServiceStoreError``.
    """
    return _open(folder, SEALED.format(number))


def find_sealed(folder: str) -> list[CryptoSigner]:
    """Return the keys of the policy's owners that the service keeps; raises
    ``ServiceStoreError``.
    """
    numbers = range(1, MOST_SEALED + 1)
    there = [one for one in numbers if os.path.exists(f"{folder}/{SEALED.format(one)}")]
    return [open_sealed(folder, number) for number in there]


def make_keys(path: str, many: int) -> list[CryptoSigner]:
    """Make so many keys, in new files whose names begin so; raises ``PolicyKeyError``."""
    return [make_key(f"{path}-{number + 1}.pem") for number in range(many)]


def make_key(path: str) -> CryptoSigner:
    """Make a key in a new file, for its owner only; raises ``PolicyKeyError``."""
    made = CryptoSigner.generate_ed25519()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(made.private_bytes)
    except OSError as error:
        raise PolicyKeyError(f"{path} cannot be made: {error.strerror}") from error
    return made


def read_key(path: str) -> CryptoSigner:
    """Return the key in a file; raises ``PolicyKeyError``."""
    try:
        with open(path, "rb") as file:
            found = load_pem_private_key(file.read(MOST_BYTES), None)
    except OSError as error:
        raise PolicyKeyError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise PolicyKeyError(f"{path} is no private key in PEM, or one with a password") from error
    if not isinstance(found, Ed25519PrivateKey):
        raise PolicyKeyError(f"{path} is no key of Ed25519")
    return CryptoSigner(found)
