"""Is a receipt the service's own? Checked where ``cryptography`` is installed (the extra
``fleet``); elsewhere receipts are kept, and may be checked later.
"""

from __future__ import annotations

from importlib.util import find_spec

from interlock.wire.receipt import Receipt, said


def forged(key: str, receipt: Receipt) -> bool:
    """Tell whether a receipt is known not to be signed by the service of a public key (hex)."""
    if find_spec("cryptography") is None:
        return False
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        known = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        known.verify(bytes.fromhex(receipt.signature), said(receipt))
    except (InvalidSignature, ValueError):
        return True
    return False
