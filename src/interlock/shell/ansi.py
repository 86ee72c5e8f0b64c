r"""Decode ``$'..'`` (bash manual 3.1.2.4)."""

from __future__ import annotations

_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}
_LETTERS.update((c, c) for c in "\\'\"?")
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_LAST = 0x10FFFF


def decode(text: str) -> str:
    r"""The characters that ``$'text'`` stands for.

    Bytes given as ``\xHH`` or ``\NNN`` become the UTF-8 text they make, or else lone surrogates
    (``surrogateescape``). Like in bash, a NUL ends the text.
    """
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while (found := text.find("\\", at)) >= 0:
        out.append(text[at:found])
        piece, at = _escape(text, found + 1)
        if piece == "\0":
            return join_utf8("".join(out))
        out.append(piece)
    out.append(text[at:])
    return join_utf8("".join(out))


def _escape(text: str, i: int) -> tuple[str, int]:
    """What the escape whose letter is at ``i`` stands for, and where it ends."""
    c = text[i : i + 1]
    if c in _LETTERS:
        return _LETTERS[c], i + 1
    if c in _OCTAL:
        digits, end = _digits(text, i, 3, _OCTAL)
        return _byte(int(digits, 8)), end
    if c == "x":
        return _hexadecimal(text, i)
    if c in ("u", "U"):
        digits, end = _digits(text, i + 1, 4 if c == "u" else 8, _HEX)
        return (chr(min(int(digits, 16), _LAST)), end) if digits else ("\\" + c, i + 1)
    if c == "c" and i + 1 < len(text):
        doubled = text.startswith("\\\\", i + 1)
        return chr(ord(text[i + 1]) & 0x1F), i + (3 if doubled else 2)
    return "\\" + c, i + 1


def _hexadecimal(text: str, i: int) -> tuple[str, int]:
    braced = text.startswith("{", i + 1)
    digits, end = _digits(text, i + 1 + braced, 8 if braced else 2, _HEX)
    if braced and text.startswith("}", end):
        end += 1
    return (_byte(int(digits, 16)), end) if digits else ("\\x", i + 1)


def _digits(text: str, i: int, most: int, digits: frozenset[str]) -> tuple[str, int]:
    end = i
    while end < i + most and text[end : end + 1] in digits:
        end += 1
    return text[i:end], end


def _byte(code: int) -> str:
    code &= 0xFF
    return chr(code) if code < 0x80 else chr(0xDC00 + code)


def join_utf8(text: str) -> str:
    """Bytes that make up UTF-8 characters, as these characters."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeError:  # other lone surrogates stood in the text
        return text
