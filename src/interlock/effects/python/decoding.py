"""Decoders of the standard library, as far as what they give is known."""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any

from interlock.effects.python.values import (
    MAX_TEXT,
)


def _b64(data: Any, *_: Any, **__: Any) -> bytes:
    raw = data.encode() if isinstance(data, str) else bytes(data)
    raw = raw.translate(bytes.maketrans(b"-_", b"+/"))
    return binascii.a2b_base64(raw + b"=" * (-len(raw) % 4))


def _unhex(data: Any) -> bytes:
    return bytes.fromhex(data if isinstance(data, str) else data.decode("ascii"))


def _inflate(bits: int) -> Callable[..., bytes]:
    def inflate(data: bytes, *_: Any) -> bytes:
        import zlib

        return zlib.decompressobj(bits).decompress(data, MAX_TEXT)

    return inflate


def _b32(data: Any, *_: Any) -> bytes:
    text = (data if isinstance(data, str) else data.decode("ascii")).strip("=\n").upper()
    number = int(
        text.translate(
            str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHIJKLMNOPQRSTUV")
        ),
        32,
    )
    bits = 5 * len(text)
    return (number >> bits % 8).to_bytes(bits // 8, "big")


def _rot13(text: str) -> str:
    small, large = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return text.translate(
        str.maketrans(small + large, small[13:] + small[:13] + large[13:] + large[:13])
    )


def codec(data: Any, encoding: str = "utf-8", *_: Any) -> object:
    """Return what the decoder of an encoding makes of data (``codecs.decode``)."""
    name = encoding.lower().replace("_", "").replace("-", "")
    if name in ("rot13", "rot"):
        return _rot13(data)
    if name in ("hex", "hexcodec"):
        return _unhex(data)
    if name in ("base64", "base64codec"):
        return _b64(data)
    if name in ("zlib", "zip"):
        return _inflate(15)(data)
    if isinstance(data, str):
        return data if name == "utf8" else data.encode("latin-1").decode(encoding)
    return data.decode(encoding)


def _unquote(text: str, *_: Any) -> str:
    parts = text.split("%")
    out = bytearray(parts[0].encode())
    for part in parts[1:]:
        out += bytes.fromhex(part[:2]) + part[2:].encode()
    return out.decode("utf-8", "replace")


DECODERS: dict[str, Callable[..., object]] = {
    "base64.b64decode": _b64, "base64.urlsafe_b64decode": _b64, "base64.standard_b64decode": _b64,
    "base64.decodebytes": _b64, "base64.decodestring": _b64, "binascii.a2b_base64": _b64,
    "base64.b32decode": _b32, "base64.b16decode": _unhex, "binascii.unhexlify": _unhex,
    "binascii.a2b_hex": _unhex, "bytes.fromhex": _unhex, "bytearray.fromhex": _unhex,
    "zlib.decompress": _inflate(47), "gzip.decompress": _inflate(31), "codecs.decode": codec,
    "urllib.parse.unquote": _unquote, "urllib.unquote": _unquote,
}  # fmt: skip
"""What gives back hidden text: its result carries the label ``decoded``."""
