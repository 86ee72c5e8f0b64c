"""Is this signature that key's? Ed25519 as RFC 8032 has it, checked by arithmetic alone, so that a
machine needs nothing installed to know its service's word.

Only checking: what is secret is never here, so it may take the time that it takes (some
milliseconds). ``None`` stands for a text that is no point of the curve.
"""

from __future__ import annotations

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)
"""A square root of -1."""
SIZE = 32
Point = tuple[int, int, int, int]
"""Extended coordinates: x/z, y/z and their product."""
NEUTRAL: Point = (0, 1, 1, 0)


def is_valid_signature(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature (64 bytes) under a message is that of a public key (32 bytes)."""
    if len(public) != SIZE or len(signature) != 2 * SIZE:
        return False
    key, number = _point(public), int.from_bytes(signature[SIZE:], "little")
    if key is None or number >= ORDER:
        return False
    hashed = sha512(signature[:SIZE] + public + message).digest()
    away = _times(ORDER - int.from_bytes(hashed, "little") % ORDER, key)
    return _encode_point(_plus(_times(number, BASE), away)) == signature[:SIZE]


def _point(text: bytes) -> Point | None:
    """Return the point that 32 bytes stand for: y, and the sign of x in the last bit."""
    number = int.from_bytes(text, "little")
    y, odd = number % 2**255, number >> 255
    if y >= P:
        return None
    x = _root((y * y - 1) * pow(D * y * y + 1, -1, P) % P)
    if x is None or (x == 0 and odd):
        return None
    x = x if x % 2 == odd else P - x
    return (x, y, 1, x * y % P)


def _root(square: int) -> int | None:
    """Return a square root, None where there is none."""
    for found in (pow(square, (P + 3) // 8, P), pow(square, (P + 3) // 8, P) * ROOT % P):
        if found * found % P == square:
            return found
    return None


def _encode_point(point: Point) -> bytes:
    x, y, z, _ = point
    one = pow(z, -1, P)
    return (y * one % P | (x * one % P & 1) << 255).to_bytes(SIZE, "little")


def _plus(one: Point, other: Point) -> Point:
    """Return the sum of two points: one formula serves for all of them, doubling too."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(number: int, point: Point) -> Point:
    found = NEUTRAL
    while number:
        if number & 1:
            found = _plus(found, point)
        point = _plus(point, point)
        number >>= 1
    return found


BASE = _point((4 * pow(5, -1, P) % P).to_bytes(SIZE, "little")) or NEUTRAL
