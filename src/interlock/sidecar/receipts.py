"""Is a receipt the service's own?"""

from __future__ import annotations

from interlock.wire.ed25519 import is_valid_signature
from interlock.wire.receipt import Receipt, bytes_to_sign


def is_forged(key: str, receipt: Receipt) -> bool:
    """Tell whether a receipt is not signed by the service of a public key (hex)."""
    return not is_signed(key, bytes_to_sign(receipt), receipt.signature)


def is_signed(key: str, message: bytes, signature: str) -> bool:
    """Tell whether a message is signed by the service of a public key; both are hex."""
    try:
        return is_valid_signature(bytes.fromhex(key), message, bytes.fromhex(signature))
    except ValueError:
        return False
