"""Words that look drawn, not written: secrets of no known shape that stand under no telling name.

Drawn is a word of 32 to 128 characters with capitals, small letters and digits all mixed: many
different characters, few of them in runs of small letters as names have them. What is as mixed and
no secret is told apart by what it is: digests and UUIDs are hex, a path has small words in it,
base64 of text reads as text and that of a picture begins as one, a lock file says ``sha512-``, a
public key ``AAAA``.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from collections.abc import Iterator

Found = tuple[int, int, str]

LEAST, MOST = 32, 128
KIND = "random"
_HEX = frozenset("0123456789abcdef")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABET = frozenset("0123456789" + _LETTERS + _LETTERS.upper() + "+/=_-")
_APART = str.maketrans({chr(code): " " for code in range(128) if chr(code) not in _ALPHABET})
_KNOWN_BEFORE = tuple(
    (
        "sha1- sha256- sha384- sha512- md5- sha256: SHA256: sha256= sha384= sha512= h1: base64,"
    ).split()
)
"""What says of the word after it that it is a digest, or a picture in a page."""
_KNOWN_START = ("AAAA", "MII", "LS0tLS1CRUdJTiBDRVJU")
"""Public keys, certificates (private keys have a frame of their own)."""
_FILES = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"%PDF",
    b"\x7fELF",
    b"RIFF",
    b"wOF",
    b"\x00\x01\x00\x00",
    b"BZh",
    b"\xfd7z",
)
"""How pictures, fonts, archives and programs begin."""


def find_drawn(text: str) -> Iterator[Found]:
    """Yield ``(start, end, kind)`` of every word that looks drawn."""
    at = 0
    for word in text.translate(_APART).split():
        if len(word) < LEAST:
            continue
        start = text.find(word, at)
        at = start + len(word)
        first = start + len(word) - len(word.lstrip("-=+"))
        name, sign, value = text[first:at].partition("=")
        if sign and value.strip("="):  # NAME=WORD
            first += len(name) + 1
        if not text[max(0, first - 8) : first].endswith(_KNOWN_BEFORE) and is_drawn(text[first:at]):
            yield first, at, KIND


def is_drawn(word: str) -> bool:
    """Tell whether one word looks drawn."""
    plain = word.rstrip("=")
    if (
        not LEAST <= len(plain) <= MOST
        or word.startswith(_KNOWN_START)
        or "sha512-" in word
        or "sha256-" in word
    ):
        return False
    if _HEX.issuperset(
        plain.lower().removeprefix("0x")
    ):  # an address, whose capitals are a checksum
        return False
    mixed = min(
        sum(map(str.isupper, plain)), sum(map(str.islower, plain)), sum(map(str.isdigit, plain))
    )
    if (
        mixed < 3
        or len(set(plain)) < min(20, len(plain) * 0.55)
        or _count_letters(plain) > 0.45 * len(plain)
    ):
        return False
    return not _is_path(plain) and not _is_readable(plain)


def _count_letters(word: str) -> int:
    """Return how many characters stand in runs of three and more small letters, as in names."""
    count = run = 0
    for char in word + "-":
        if char in _LETTERS:
            run += 1
            continue
        count += run if run >= 3 else 0
        run = 0
    return count


def _is_path(word: str) -> bool:
    """Tell whether slashes in it part names: a part is a small word, or there are many."""
    parts = word.split("/")
    return len(parts) > 1 and (
        word[0] == "/"
        or len(parts) > 3 + len(word) // 24
        or any(len(part) >= 3 and part.isalpha() and part[1:].islower() for part in parts)
    )


def _is_readable(word: str) -> bool:
    """Tell whether it is base64 of text (UTF-16 too, as PowerShell takes it), or of the beginning
    of a known sort of file.
    """
    try:
        data = a2b_base64(word.replace("-", "+").replace("_", "/") + "=" * (-len(word) % 4))
    except (Error, ValueError):
        return False
    return data.startswith(_FILES) or all(
        32 <= byte < 127 or byte in b"\t\r\n" for byte in data[:-1].replace(b"\0", b"")
    )
