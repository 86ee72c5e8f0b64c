"""Which paths a repository ignores (gitignore(5)): the patterns of one file, looked up by name
where they can be.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.pattern import matches

MAX_LINES = 2000
"""Patterns of one file; a longer one is unknown."""
_GLOBS = frozenset("*?[\\")


class Pattern:
    """One line: ``parts`` between its slashes, ``anchored`` to the folder of its file, for
    ``folders`` only, or ``again`` not ignored (``!``).
    """

    __slots__ = ("again", "anchored", "folders", "number", "parts")

    def __init__(self, text: str, number: int) -> None:
        self.number = number
        self.again = text[:1] == "!"
        text = text[1:] if self.again else text
        self.folders = text.endswith("/")
        text = text[:-1] if self.folders else text
        self.anchored = "/" in text
        self.parts = text.lstrip("/").split("/")

    def fits(self, path: Sequence[str], folder: bool) -> bool:
        """Tell whether a path, in steps from the folder of the pattern's file, is meant."""
        if self.folders and not folder:
            return False
        if not self.anchored:
            return matches(self.parts[0], path[-1])
        return _fits(self.parts, path)


def _fits(parts: Sequence[str], path: Sequence[str]) -> bool:
    """Match step by step; ``**`` is any number of steps, at the end at least one. The positions
    that are reached, not the ways, are counted.
    """
    reached = {0}
    for number, part in enumerate(parts):
        if part == "**":
            last = number == len(parts) - 1
            reached = set(range(min(reached) + last, len(path) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(path) and matches(part, path[at])}
    return len(path) in reached


class Patterns:
    """The patterns of one file. ``folder``: the steps to its folder from the top of the work tree.

    Raises ``ValueError`` for more lines than are looked at, and for named classes
    (``[[:alpha:]]``), which are not understood here.
    """

    __slots__ = ("_any", "_ends", "_names", "folder")

    def __init__(self, text: str, folder: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self._names: dict[str, list[Pattern]] = {}
        self._ends: dict[str, list[Pattern]] = {}
        self._any: list[Pattern] = []
        lines = text.removeprefix("\ufeff").split("\n")
        if len(lines) > MAX_LINES or "[:" in text:
            raise ValueError("these ignore rules are not understood")
        for number, line in enumerate(lines):
            cut = _trim(line)
            if cut.strip("/!") and cut[:1] != "#":
                self._add(Pattern(cut, number))

    def _add(self, pattern: Pattern) -> None:
        name = pattern.parts[0]
        if pattern.anchored:
            self._any.append(pattern)
        elif _GLOBS.isdisjoint(name):
            self._names.setdefault(name, []).append(pattern)
        elif name[:2] == "*." and _GLOBS.isdisjoint(name[1:]):
            self._ends.setdefault(name.rpartition(".")[2], []).append(pattern)
        else:
            self._any.append(pattern)

    def ignores(self, path: tuple[str, ...], *, folder: bool) -> bool | None:
        """Tell whether a path is ignored by the last pattern that fits it; None where none does."""
        if path[: len(self.folder)] != self.folder or len(path) == len(self.folder):
            return None
        steps, name = path[len(self.folder) :], path[-1]
        meant = [
            *self._names.get(name, ()),
            *self._ends.get(name.rpartition(".")[2], ()),
            *self._any,
        ]
        last = max((pattern.number for pattern in meant if pattern.fits(steps, folder)), default=-1)
        return (
            None
            if last < 0
            else not any(pattern.number == last and pattern.again for pattern in meant)
        )


def _trim(line: str) -> str:
    r"""Return a line without its end and its trailing spaces, but for a quoted one (``\ ``)."""
    line = line.removesuffix("\r")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    return line
