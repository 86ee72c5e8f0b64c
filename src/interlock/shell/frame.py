"""Where a walk stands, and how much of it is left."""

from __future__ import annotations

from typing import Protocol

from interlock.model.record import Record
from interlock.shell.state import ShellState
from interlock.shell.tree import Compound, ProcessSubstitution, Script
from interlock.shell.value import Flow

MAX_COMMANDS = 4000
"""Commands followed in one call, loops and functions unrolled; past it the rest is opaque."""
MAX_EXPANSIONS = 64
"""Texts that are expanded once more (``a[$(cmd)]`` taken for a number) in one call."""
MAX_ROUNDS = 2000
"""Rounds of computing loops, in all loops of a call together."""


class Frame(Record):
    """What holds for the command that is followed now, until what it stands in ends.

    ``text``: the number of the text that is read; ``origin``: where its unknown pieces come from;
    ``stdin``: what can be read on standard input; ``piped``, ``background``: it stands in a
    pipeline, or goes on by itself; ``maybe``: how many conditions that nobody knows it depends on;
    ``choice``: which of several texts its words are followed for; ``aliases``, ``functions``: those
    that it stands in; ``outputs``: the ``>(..)`` of this command; ``depth``: of lists in lists.
    """

    text: int = 0
    origin: str = ""
    stdin: Flow | None = None
    piped: bool = False
    background: bool = False
    maybe: int = 0
    choice: int | None = None
    aliases: tuple[str, ...] = ()
    functions: tuple[Compound, ...] = ()
    outputs: tuple[tuple[str, ProcessSubstitution], ...] = ()
    depth: int = 0


class FramedWalk(Protocol):
    """Who walks."""

    at: Frame
    state: ShellState


class FrameChange:
    """For the length of a ``with`` block a walk stands elsewhere, in a state if one is given; what
    was not changed for the block stays as the block leaves it (``exec <file`` holds on).
    """

    __slots__ = ("_before", "_changes", "_entered", "_outer", "_state", "_walker")

    def __init__(
        self, walker: FramedWalk, state: ShellState | None, changes: dict[str, object]
    ) -> None:
        self._walker = walker
        self._state = state
        self._changes = changes

    def __enter__(self) -> None:
        walker = self._walker
        self._before, self._outer = walker.at, walker.state
        self._entered = walker.at = walker.at.replace(**self._changes)
        if self._state is not None:
            walker.state = self._state

    def __exit__(self, *_error: object) -> None:
        walker, before = self._walker, self._before
        if walker.at is self._entered:
            walker.at = before
        else:
            kept = {name: getattr(before, name) for name in self._changes}
            walker.at = walker.at.replace(**kept)
        if self._state is not None:
            walker.state = self._outer


class WalkBudget:
    """How much of one call is followed yet; ``full``: no more of it is."""

    __slots__ = ("commands", "expansions", "full", "rounds")

    def __init__(self) -> None:
        self.commands = MAX_COMMANDS
        self.expansions = MAX_EXPANSIONS
        self.rounds = MAX_ROUNDS
        self.full = False

    def command(self) -> bool:
        """Take one command; tell whether there was one left."""
        self.commands -= 1
        return self.commands >= 0

    def expansion(self) -> bool:
        """Take one text that is expanded once more; tell whether there was one left."""
        self.expansions -= 1
        return self.expansions >= 0

    def round(self) -> bool:
        """Take one round of a loop; tell whether there was one left."""
        self.rounds -= 1
        return self.rounds >= 0


class Substitutions:
    """What the substitutions of one call print.

    ``paths``: what can be read at the path that stands for ``<(..)`` or ``>(..)``; ``printed``: by
    the node of ``$(..)``. ``trees`` keeps what was parsed, for nodes are known by their numbers,
    which a tree that is gone would leave to others.
    """

    __slots__ = ("paths", "printed", "trees")

    def __init__(self) -> None:
        self.paths: dict[str, Flow] = {}
        self.printed: dict[int, Flow] = {}
        self.trees: list[Script] = []
