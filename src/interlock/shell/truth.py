"""Whether a test holds (``test``, ``[``, ``[[``) where everything in it is known text (POSIX test;
bash manual 6.4).
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.shell.api import ShellWalk
from interlock.shell.numbers import calculate, read_subscripts
from interlock.shell.pattern import matches
from interlock.shell.value import NAME, Value, whole

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_TEXTS = frozenset({"=", "==", "!="})


def evaluate_test(words: list[Value], walker: ShellWalk, *, double: bool = False) -> bool | None:
    """Return whether a test of these words holds; None where nobody knows.

    ``double``: of ``[[``, where texts may be patterns and numbers expressions.
    """
    texts = [word.text for word in words]
    if any(NAME in text for text in texts):
        return True if len(texts) == 2 and texts[0] == "-n" else None
    if len(texts) == 2 and texts[0] in ("-v", "-R"):
        read_subscripts(texts[1], walker)
    if len(texts) == 2 and texts[0] in ("-n", "-z") and not words[1].hollow:
        return bool(texts[1]) == (texts[0] == "-n")
    if not texts and not double:
        return False
    if len(texts) == 1 and not words[0].hollow:
        return bool(texts[0])
    if len(texts) != 3:
        return None
    operator = texts[1]
    if operator in _NUMBERS:
        left, right = (_number(word, walker, double=double) for word in (words[0], words[2]))
        return None if left is None or right is None else _NUMBERS[operator](left, right)
    if operator not in _TEXTS or words[0].hollow or words[2].hollow:
        return None
    if double and (words[2].pattern or "@(" in texts[2]):
        return None if "(" in texts[2] else matches(texts[2], texts[0]) == (operator != "!=")
    return (texts[0] == texts[2]) == (operator != "!=")


def _number(word: Value, walker: ShellWalk, *, double: bool) -> int | None:
    if double:
        return calculate(word.text, walker)
    return whole(word.text.strip().removeprefix("+"))
