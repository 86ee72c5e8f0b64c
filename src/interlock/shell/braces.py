"""Brace expansion (bash manual 3.5.1): ``{a,b}``, ``{1..5}``. It comes first, before anything in a
word is expanded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from interlock.shell.tree import Literal, Part
from interlock.shell.value import HOLE, MAX_FIELDS, whole


def braces(parts: Sequence[Part]) -> list[Sequence[Part]]:
    """Return the words a word becomes by brace expansion (bash manual 3.5.1), or itself."""
    atoms: list[str | Part] = []
    for part in parts:
        if isinstance(part, Literal):
            atoms.extend(part.text)
        else:
            atoms.append(part)
    return [_rejoin(alternative) for alternative in _brace(atoms, 0)]


def _rejoin(atoms: list[str | Part]) -> list[Part]:
    out: list[Part] = []
    text: list[str] = []
    for atom in atoms:
        if isinstance(atom, str):
            text.append(atom)
            continue
        if text:
            out.append(Literal(0, 0, "".join(text)))
            text.clear()
        out.append(atom)
    if text:
        out.append(Literal(0, 0, "".join(text)))
    return out


def _brace(atoms: list[str | Part], depth: int) -> list[list[str | Part]]:
    found = _first_brace(atoms) if depth < 8 else None
    if found is None:
        return [atoms]
    start, end, commas = found
    choices = _choices(atoms[start + 1 : end], [comma - start - 1 for comma in commas])
    if choices is None:
        return [atoms[: end + 1] + rest for rest in _brace(atoms[end + 1 :], depth + 1)]
    rests = _brace(atoms[end + 1 :], depth + 1)
    out = []
    for choice in choices:
        for inner in _brace(choice, depth + 1):
            out.extend([atoms[:start] + inner + rest for rest in rests])
            if len(out) > MAX_FIELDS:
                return out
    return out


def _first_brace(atoms: list[str | Part]) -> tuple[int, int, list[int]] | None:
    """Return where the first complete ``{..}`` starts and ends, and its top-level commas."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[int]] | None = None
    for index, atom in enumerate(atoms):
        if atom == "{":
            opened.append((index, []))
        elif atom == "," and opened:
            opened[-1][1].append(index)
        elif atom == "}" and opened:
            start, commas = opened.pop()
            if best is None or start < best[0]:
                best = (start, index, commas)
            if not opened:
                return best
    return best


def _choices(inner: list[str | Part], commas: list[int]) -> list[list[str | Part]] | None:
    if commas:
        edges = [-1, *commas, len(inner)]
        return [inner[low + 1 : high] for low, high in itertools.pairwise(edges)]
    text = "".join(atom if isinstance(atom, str) else HOLE for atom in inner)
    ends = text.split("..")
    if len(ends) < 2 or len(ends) > 3:
        return None
    return _sequence(ends)


def _sequence(ends: list[str]) -> list[list[str | Part]] | None:
    """``{1..5}``, ``{a..e}``, ``{1..9..2}``."""
    first, last = ends[0], ends[1]
    step = abs(whole(ends[2]) or 1) if len(ends) == 3 else 1
    low, high = whole(first), whole(last)
    if low is not None and high is not None:
        width = (
            max(len(first), len(last))
            if first.lstrip("-")[:1] == "0" or last.lstrip("-")[:1] == "0"
            else 0
        )
        shape: Callable[[int], str] = lambda number: (  # noqa: E731 - one of two shapes
            f"{number:0{width}d}" if width > 1 else str(number)
        )
    elif len(first) == len(last) == 1:
        low, high = ord(first), ord(last)
        shape = chr
    else:
        return None
    way = max(step, 1) * (1 if high >= low else -1)
    return [
        list(shape(number))
        for number in range(low, high + (1 if way > 0 else -1), way)[: MAX_FIELDS + 1]
    ]
