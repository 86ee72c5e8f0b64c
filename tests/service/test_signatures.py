"""A machine knows its service's word by arithmetic alone: what the library signs is known, and
nothing else is.
"""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.wire.ed25519 import ORDER, P, is_valid_signature

SIX = settings(max_examples=6, deadline=None)


@SIX
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80), st.integers(0, 511))
def test_what_was_signed_is_known_and_one_bit_changes_that(
    secret: bytes, message: bytes, bit: int
) -> None:
    """Of the signature, of the message, of the key."""
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert is_valid_signature(public, message, signature)
    for changed in (
        (public, message, turned(signature, bit)),
        (public, message + b"x", signature),
        (turned(public, bit % 256), message, signature),
    ):
        assert not is_valid_signature(*changed)


def turned(text: bytes, bit: int) -> bytes:
    """Return a text with one bit turned."""
    return (int.from_bytes(text, "little") ^ 1 << bit).to_bytes(len(text), "little")


@pytest.mark.parametrize(
    ("public", "message", "signature"),
    [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ],
)
def test_the_standard_s_own_examples(public: str, message: str, signature: str) -> None:
    """RFC 8032, section 7.1."""
    assert is_valid_signature(*[bytes.fromhex(one) for one in (public, message, signature)])


def test_there_is_one_way_to_write_a_signature() -> None:
    """Not the same number a round later, no point that is written otherwise, nothing shorter."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    public, signature = key.public_key().public_bytes_raw(), key.sign(b"m")
    number = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_valid_signature(public, b"m", signature[:32] + number.to_bytes(32, "little"))
    assert not is_valid_signature(public, b"m", signature[:-1])
    assert not is_valid_signature(public[:-1], b"m", signature)
    assert not is_valid_signature((P + 1).to_bytes(32, "little"), b"m", signature)
    assert not is_valid_signature((1 << 255 | 1).to_bytes(32, "little"), b"m", signature)
