"""A reading is a value: nothing looks back at what was gathered, rewrites it, or sets a flag for
somebody else.

What is left of it is counted here. A figure is lowered with what lowers it, and never raised.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.architecture import values
from tests.architecture.source import load
from tests.test_architecture import SOURCE, plant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.architecture.source import Module

    Count = Callable[[Iterable[Module]], list[str]]

LEFT: dict[Count, int] = {
    values.looked_back: 4,
    values.rewritten: 0,
    values.flagged: 144,
    values.restored: 42,
}
"""How many places break a law."""
MOST_MUTABLE = 20
"""Attributes that change of the class that has most of them; 8 are enough of one that reads. (The
state of a shell is what changes, and a bash has as many.)
"""
SEEDED: dict[Count, tuple[str, str]] = {
    values.looked_back: (
        "def f(context):\n    return any(context.effects)\n",
        "def f(read):\n    return any(read.effects)\n",
    ),
    values.rewritten: (
        "def f(context):\n    context.effects[-1] = None\n",
        "def f(read):\n    return read.of(read.effects[:-1])\n",
    ),
    values.flagged: (
        "def f(context):\n    context.partial = True\n",
        "def f():\n    context = Context()\n    context.partial = True\n    return context\n",
    ),
    values.restored: (
        "class A:\n    def f(self):\n        held, self.cwd = self.cwd, '/'\n",
        "class A:\n    def f(self):\n        held, self.cwd = 1, '/'\n",
    ),
}
"""A place that breaks each law, and its twin."""


@cache
def source() -> tuple[Module, ...]:
    """Return the modules of the house, which all laws here are held against."""
    return load(SOURCE)


@pytest.mark.parametrize("count", LEFT, ids=lambda count: count.__name__)
def test_no_more_is_left(count: Count) -> None:
    """Neither more places break a law than are left, nor fewer than are written down."""
    found = count(source())
    assert len(found) == LEFT[count], "\n" + "\n".join(found)


@pytest.mark.parametrize("count", SEEDED, ids=lambda count: count.__name__)
def test_what_breaks_a_law_is_counted_and_its_twin_is_not(count: Count, tmp_path: Path) -> None:
    """A made-up place is counted once; nearly the same within the law is not."""
    broken, kept = SEEDED[count]
    assert len(count(plant(tmp_path / "broken", {"effects/a.py": broken}))) == 1
    assert count(plant(tmp_path / "kept", {"effects/a.py": kept})) == []


def test_every_law_has_a_seeded_place() -> None:
    """No law stands without a place that it finds."""
    assert set(LEFT) == set(SEEDED)


def test_no_class_of_the_reading_keeps_more_that_changes() -> None:
    """The largest class has as many attributes that change as are written down."""
    found = values.mutable(source())
    largest = max(found, key=lambda name: len(found[name]))
    assert len(found[largest]) == MOST_MUTABLE, (largest, found[largest])


def test_what_changes_in_a_class_is_seen(tmp_path: Path) -> None:
    """A list, and what is set again, change; what is set once to a value that cannot does not."""
    text = (
        "class A:\n    def __init__(self, c):\n        self.a = []\n        self.b = 1\n"
        "        self.c = c\n\n    def f(self):\n        self.b = 2\n"
    )
    assert values.mutable(plant(tmp_path, {"effects/a.py": text}))["A"] == ["a", "b"]
