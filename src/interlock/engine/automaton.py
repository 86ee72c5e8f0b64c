"""Patterns of text as automata: every pattern takes time in proportion to the text, whatever it is
and whatever the text is.

A program is a tuple of steps; each is a tuple of a word and what it needs: ``("set", ranges,
negated, next)``, ``("split", one, other)``, ``("at", where, next)``, ``("end",)``. Ranges are pairs
of first and last code points. (K. Thompson, "Regular Expression Search Algorithm", 1968.)
"""

from __future__ import annotations

from typing import Any

Program = tuple[tuple[Any, ...], ...]

START, STOP, EDGE, NO_EDGE, LINE_START, LINE_STOP = (
    "start",
    "stop",
    "edge",
    "no-edge",
    "line-start",
    "line-stop",
)
MAX_TEXT = 20_000
"""Characters that are searched; of a longer text it cannot be said that nothing is in it."""


def matches_text(program: Program, text: str, *, fold: bool = False) -> bool:
    """Tell whether the pattern is anywhere in a text; a text too long counts as holding it."""
    if len(text) > MAX_TEXT:
        return True
    if fold:
        text = text.casefold()
    states: set[int] = set()
    for at in range(len(text) + 1):
        states = _closure(program, {*states, 0}, text, at)
        if -1 in states:
            return True
        if at < len(text):
            code = ord(text[at])
            states = {
                step[3]
                for step in (program[state] for state in states)
                if _is_in(code, step[1]) != step[2]
            }
    return False


def _closure(program: Program, states: set[int], text: str, at: int) -> set[int]:
    """Return the steps that take a character, reached from some without taking one; -1 for the end
    of the pattern.
    """
    waiting, seen, taking = list(states), set(states), set()
    while waiting:
        state = waiting.pop()
        step = program[state]
        if step[0] == "set":
            taking.add(state)
            continue
        if step[0] == "end":
            taking.add(-1)
            return taking
        following = (
            step[1:] if step[0] == "split" else step[2:] if _holds(step[1], text, at) else ()
        )
        for one in following:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return taking


def _is_in(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _holds(where: str, text: str, at: int) -> bool:
    if where == START:
        return at == 0
    if where == STOP:
        return at == len(text)
    if where == LINE_START:
        return at == 0 or text[at - 1] == "\n"
    if where == LINE_STOP:
        return at == len(text) or text[at] == "\n"
    edge = (at > 0 and _is_word(text[at - 1])) != (at < len(text) and _is_word(text[at]))
    return edge == (where == EDGE)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
