"""Lines of perl that only change the text that they are given: ``perl -pi -e 's/colour/color/g'``.

What such a line does is what a line of sed does. Whatever else stands in it, a name, a call, code
in a pattern, makes it a program, and of that only the words are looked at.
"""

from __future__ import annotations

_ENDS = {"{": "}", "(": ")", "[": "]", "<": ">"}
_FLAGS = frozenset("gimsxrlanu")
"""Flags of a substitution but ``e``, by which what is put in is run."""
_RUNS = ("(?{", "(??{", "@{", "${", "`", "$(")
_PLAIN = frozenset({"", "print", "next", "last", "chomp", "$_"})
MOST = 32
"""Statements of a line."""


def only_edits(text: str) -> bool:
    """Tell whether a program only substitutes, and prints or leaves out lines."""
    left = text.strip()
    for _ in range(MOST):
        left = left.lstrip("; \t\n")
        if not left:
            return True
        rest = _behind_statement(left)
        if rest is None:
            return False
        left = rest.lstrip()
        if left and left[0] != ";":
            return False
    return False


def _behind_statement(text: str) -> str | None:
    """Return what follows a statement that only edits; None where it is another one."""
    word = text[: len(text) - len(text.lstrip("abcdefghijklmnopqrstuvwxyz_$"))]
    rest: str | None = None
    if word in ("s", "tr", "y"):
        rest = _behind_parts(text[len(word) :], 2)
    elif word in _PLAIN and word:
        rest = text[len(word) :]
    if rest is None:
        return None
    condition = rest.lstrip()
    for mark in ("if ", "unless "):
        if condition.startswith(mark):
            pattern = condition[len(mark) :].lstrip().removeprefix("m")
            return _behind_parts(pattern, 1) if pattern[:1] in ("/", "{", "!") else None
    return rest


def _behind_parts(text: str, parts: int) -> str | None:
    """Return what follows the parts of a substitution, or a pattern, and its flags."""
    if text[:1].isalnum() or text[:1] in ("", " ", "'", "_", "="):
        return None
    opening = text[0]
    closing = _ENDS.get(opening, opening)
    for number in range(parts):
        begun = number == 0 or closing != opening
        if begun and text[:1] != opening:
            return None
        end = _end_of(text, 1 if begun else 0, closing)
        if end < 0 or any(mark in text[:end] for mark in _RUNS):
            return None
        text = text[end + 1 :]
        if closing != opening and number < parts - 1:
            text = text.lstrip()
    length = len(text) - len(text.lstrip("abcdefghijklmnopqrstuvwxyz"))
    return text[length:] if _FLAGS.issuperset(text[:length]) else _unless_word(text, length)


def _unless_word(text: str, length: int) -> str | None:
    """Return a rest that begins with ``if``: flags end where a blank does."""
    return text if text[:length] in ("if", "unless") else None


def _end_of(text: str, at: int, closing: str) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == closing:
            return at
        at += 1
    return -1
