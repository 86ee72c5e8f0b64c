"""What is done to a path."""

from __future__ import annotations

from interlock.effects.read_selection import ReadSelection
from interlock.model.effect import Kind, Span
from interlock.model.record import Record


class PathAction(Record):
    """What a program does to a path: the kind of effect, where the word stands that names the path,
    and by which program.

    ``picks``: what of a folder is read, where not all of it is. ``only``: the pattern that the path
    stands for.
    """

    kind: Kind
    span: Span | None = None
    traits: frozenset[str] = frozenset()
    by: str = ""
    picks: ReadSelection | None = None
    only: tuple[str, ...] = ()

    def having(self, *traits: str) -> PathAction:
        """Return the same act with more traits."""
        return self.replace(traits=self.traits.union(traits)) if traits else self
