"""Patterns of text, as plugin rules write them, to automata. What no automaton of a bounded size
can do is refused: it could take for ever.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from interlock.engine.automaton import EDGE, LINE_START, LINE_STOP, NO_EDGE, START, STOP, Program

MAX_STEPS = 2000
MAX_LENGTH = 500
_LAST = 0x10FFFF
_CATEGORIES: dict[str, tuple[tuple[tuple[int, int], ...], bool]] = {
    "CATEGORY_DIGIT": (((48, 57),), False),
    "CATEGORY_NOT_DIGIT": (((48, 57),), True),
    "CATEGORY_SPACE": (
        (
            (9, 13),
            (28, 32),
            (0x85, 0x85),
            (0xA0, 0xA0),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x3000, 0x3000),
        ),
        False,
    ),
    "CATEGORY_NOT_SPACE": (
        (
            (9, 13),
            (28, 32),
            (0x85, 0x85),
            (0xA0, 0xA0),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x3000, 0x3000),
        ),
        True,
    ),
    "CATEGORY_WORD": (((48, 57), (65, 90), (95, 95), (97, 122), (0x80, _LAST)), False),
    "CATEGORY_NOT_WORD": (((48, 57), (65, 90), (95, 95), (97, 122), (0x80, _LAST)), True),
}
_PLACES = {
    "AT_BEGINNING_STRING": START, "AT_END_STRING": STOP, "AT_BOUNDARY": EDGE,
    "AT_NON_BOUNDARY": NO_EDGE, "AT_BEGINNING": LINE_START,
    "AT_END": LINE_STOP,
}  # fmt: skip


class PatternError(ValueError):
    """A pattern that is none, or that could take for ever; the text says which."""


def compile_pattern(pattern: str) -> tuple[Program, bool]:
    """Return a pattern's program, and whether case means nothing to it; raises ``PatternError``."""
    if len(pattern) > MAX_LENGTH:
        raise PatternError(f"a pattern has at most {MAX_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # only Python's own parser knows its syntax; mypy knows of it where a library names it
            tree = re._parser.parse(pattern)  # type: ignore[attr-defined, unused-ignore]  # noqa: SLF001
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"this is no pattern: {error}") from None
    fold = bool(tree.state.flags & re.IGNORECASE)
    writer = _Writer(fold=fold)
    writer.sequence(list(tree))
    writer.steps.append(("end",))
    return tuple(writer.steps), fold


class _Writer:
    """Writes steps one after the other; each construct falls through to what follows it."""

    def __init__(self, *, fold: bool) -> None:
        self.steps: list[tuple[Any, ...]] = []
        self.fold = fold

    def sequence(self, items: list[Any]) -> None:
        for op, argument in items:
            write: Callable[[Any], None] | None = getattr(self, f"_{str(op).lower()}", None)
            if write is None:
                raise PatternError(
                    f"{_WORDS.get(str(op), str(op).lower())} cannot be matched in bounded time;"
                    " write it without"
                )
            write(argument)

    def _add(self, *step: Any) -> None:
        if len(self.steps) >= MAX_STEPS:
            raise PatternError("this pattern is too large when its repetitions are written out")
        self.steps.append(step)

    def _set(self, ranges: tuple[tuple[int, int], ...], *, negated: bool = False) -> None:
        self._add("set", ranges, negated, len(self.steps) + 1)

    def _one(self, code: int) -> tuple[int, int]:
        folded = chr(code).casefold() if self.fold else chr(code)
        return (ord(folded), ord(folded)) if len(folded) == 1 else (code, code)

    def _literal(self, code: int) -> None:
        self._set((self._one(code),))

    def _not_literal(self, code: int) -> None:
        self._set((self._one(code),), negated=True)

    def _any(self, _: None) -> None:
        self._set(((10, 10),), negated=True)

    def _in(self, members: list[tuple[Any, Any]]) -> None:
        ranges: list[tuple[int, int]] = []
        negated = False
        for op, argument in members:
            if str(op) == "NEGATE":
                negated = True
            elif str(op) == "LITERAL":
                ranges.append(self._one(argument))
            elif str(op) == "RANGE":
                ranges.append(argument)
                if self.fold:
                    ranges += [
                        self._one(code)
                        for code in range(argument[0], min(argument[1], argument[0] + 200) + 1)
                    ]
            else:
                inside, outside = _CATEGORIES[str(argument)]
                ranges += _others(inside) if outside else inside
        self._set(tuple(ranges), negated=negated)

    def _category(self, name: Any) -> None:
        inside, outside = _CATEGORIES[str(name)]
        self._set(inside, negated=outside)

    def _at(self, where: Any) -> None:
        self._add("at", _PLACES[str(where)], len(self.steps) + 1)

    def _subpattern(self, argument: tuple[Any, int, int, Any]) -> None:
        _, added, removed, inner = argument
        if added or removed:
            raise PatternError(
                "flags for a part of a pattern are not read; write (?i) at its start"
            )
        self.sequence(list(inner))

    def _branch(self, argument: tuple[None, list[Any]]) -> None:
        *ways, last = argument[1]
        ends = []
        for way in ways:
            fork = len(self.steps)
            self._add("split")
            self.sequence(list(way))
            ends.append(len(self.steps))
            self._add("split")
            self.steps[fork] = ("split", fork + 1, len(self.steps))
        self.sequence(list(last))
        for end in ends:
            self.steps[end] = ("split", len(self.steps))

    def _max_repeat(self, argument: tuple[int, Any, Any]) -> None:
        least, most, inner = argument
        items = list(inner)
        for _ in range(int(least)):
            self.sequence(items)
        if str(most) == "MAXREPEAT":
            fork = len(self.steps)
            self._add("split")
            self.sequence(items)
            self._add("split", fork)
            self.steps[fork] = ("split", fork + 1, len(self.steps))
            return
        forks = []
        for _ in range(int(most) - int(least)):
            forks.append(len(self.steps))
            self._add("split")
            self.sequence(items)
        for fork in forks:
            self.steps[fork] = ("split", fork + 1, len(self.steps))

    _min_repeat = _max_repeat


_WORDS = {
    "GROUPREF": "a reference back to a group",
    "ASSERT": "looking ahead or behind",
    "ASSERT_NOT": "looking ahead or behind",
}


def _others(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Return all code points that are in none of the ranges."""
    found, at = [], 0
    for low, high in ranges:
        if at < low:
            found.append((at, low - 1))
        at = high + 1
    return [*found, (at, _LAST)] if at <= _LAST else found
