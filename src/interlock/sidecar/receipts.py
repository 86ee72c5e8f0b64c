"""Is a receipt the service's own?"""

from __future__ import annotations

from interlock.wire.ed25519 import verified
from interlock.wire.receipt import Receipt, said


def forged(key: str, receipt: Receipt) -> bool:
    """Tell whether a receipt is not signed by the service of a public key (hex)."""
    return not signed(key, said(receipt), receipt.signature)


def signed(key: str, message: bytes, signature: str) -> bool:
    """Tell whether a message is signed by the service of a public key; both are hex."""
    try:
        return verified(bytes.fromhex(key), message, bytes.fromhex(signature))
    except ValueError:
        return False
