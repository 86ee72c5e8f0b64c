"""What stands between quotes, in the ways in which languages write it."""

from __future__ import annotations

from interlock.effects.foreign.token_kinds import COMMAND, PATTERN

PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "e": "\x1b",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "s": " ",
}


QUOTING = {
    "perl": {
        "q": "raw",
        "qq": "cooked",
        "qw": "words",
        "qx": COMMAND,
        "qr": PATTERN,
        "m": PATTERN,
        "s": "replace",
        "tr": "replace",
        "y": "replace",
    },
    "ruby": {
        "%q": "raw",
        "%Q": "cooked",
        "%w": "words",
        "%W": "words",
        "%i": "words",
        "%x": COMMAND,
        "%r": PATTERN,
        "%": "cooked",
    },
}


def letters(text: str, at: int) -> int:
    """Return where the letters end that begin at a place."""
    while at < len(text) and text[at].isalpha():
        at += 1
    return at


def closing(text: str, at: int, quote: str, opens: str = "") -> int:
    """Return the place after the closing quote; quotes that open and close may be nested."""
    depth = 1
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        at += 1
        if char == quote:
            depth -= 1
            if depth == 0:
                return at
        elif char == opens:
            depth += 1
    return len(text)


def escape(body: str, at: int, *, cooked: bool) -> tuple[str, int]:
    """Return what the escape at ``at`` (after the backslash) stands for, and where it ends."""
    char = body[at]
    if not cooked:
        return (char if char in "\\'\"" else "\\" + char), at + 1
    if char in "xu":
        digits = body[at + 1 : at + 3 if char == "x" else at + 5].strip("{}")
        if char == "u" and body[at + 1 : at + 2] == "{":
            digits = body[at + 2 :].partition("}")[0]
            width = len(digits) + 2
        else:
            width = len(digits)
        if (
            digits
            and all(digit in "0123456789abcdefABCDEF" for digit in digits)
            and int(digits, 16) < 0x110000
        ):
            return chr(int(digits, 16)), at + 1 + width
    if char in "01234567" and body[at + 1 : at + 2].isdigit():
        digits = body[at : at + 3]
        if all(digit in "01234567" for digit in digits):
            return chr(int(digits, 8)), at + len(digits)
    return ("" if char == "\n" else _ESCAPES.get(char, char)), at + 1


def inner(body: str, at: int, inside: str) -> tuple[str, int] | None:
    """Return code inside a text (``${x}``, ``#{x}``, ``$x``, ``{$x}``) and its end, or None."""
    if body.startswith(("${", "#{"), at) and inside in ("${", "#{", "$"):
        end = closing(body, at + 2, "}", "{")
        name = body[at + 2 : end - 1]
        return (("$" + name) if inside == "$" and name.isidentifier() else name, end)
    if inside not in ("$", "$@"):
        return None
    end = at + 1
    while end < len(body) and (body[end].isalnum() or body[end] == "_"):
        end += 1
    if end == at + 1:
        return None
    while body[end : end + 1] in ("[", "{") or body.startswith(("->[", "->{", "->"), end):
        start = end + (2 if body.startswith("->", end) else 0)
        if body[start : start + 1] not in ("[", "{"):
            break
        end = closing(body, start + 1, PAIRS[body[start]], body[start])
    return body[at:end], end
