"""A receipt: the service's word, signed, that it holds a chain up to an event.

``at`` is the service's clock, UTC to the millisecond; ``signature`` is Ed25519 over
``bytes_to_sign``, in hex. Whoever has the service's public key may check it, without the service.
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.wire.signed import encode_signed


class Receipt(Record):
    """What is signed, and the signature."""

    chain: str
    seq: int
    hash: str
    at: str
    signature: str = ""


def bytes_to_sign(receipt: Receipt) -> bytes:
    """Return what is signed."""
    return encode_signed("receipt", receipt)
