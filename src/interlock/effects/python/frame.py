"""Where a Python program that is followed stands, and what is left of its budget."""

from __future__ import annotations

import _ast

from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.values import PyValue, Scope
from interlock.effects.run import Run
from interlock.model.effect import Exhausts, Opaque, Span
from interlock.shell.value import Value


class PythonFrame(PythonInterpreter):
    """``run`` says what the program does; ``at`` is where its text stands in a shell command."""

    language = "python"
    idling = False
    """Whether a function is followed that nobody calls."""

    def __init__(self, run: Run, source: str, at: Value | None) -> None:
        self.run = run
        self.context = run.context
        self.at = at
        self.source = source
        self.scope = Scope()
        self.shared: set[tuple[Scope, str]] = set()
        self.loops: list[object] = []
        self.within = 1
        self.marks: set[str] = set()
        """What the program was seen to do that matters only together with something else:
        ``socket``, ``dup2``, ``shell``.
        """
        self.peer = ""
        self.printed: list[tuple[str, frozenset[str]]] = []
        """Texts that were printed, unknown pieces as holes, with their labels."""
        self.given: PyValue | None = None
        """What the program put into ``sys.argv``."""
        self._lines = [0]
        for line in source.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def spent(self) -> bool:
        """Whether the budget is used up; the first time that is said as an effect."""
        if self.run.reader.steps > 0:
            return False
        if self.run.reader.steps > -1_000_000:
            self.run.reader.steps = -1_000_000
            self.context.misses()
            self.context.add(
                Opaque,
                "python",
                traits=frozenset({"too-much"}),
                by=self.language,
                detail="a program too long to be followed",
            )
        return True

    def charge(self, text: str) -> bool:
        """Take the cost of reading a text that the program runs from the budget; tell whether
        anything was left of it.
        """
        self.run.reader.steps -= 50 + (len(text) >> 2)
        return not self.spent()

    # -- places in the text ------------------------------------------------------------------------

    def word(self, text: str, node: object, why: str = "", *, pattern: bool = False) -> Value:
        """Return a text as a word of a command, standing where the node stands."""
        start, end = self._range(node)
        return Value(text, start, end, why, pattern)

    def span(self, node: object) -> Span:
        """Return where the node stands."""
        start, end = self._range(node)
        return Span(self.run.execution.text, start, end)

    def _range(self, node: object) -> tuple[int, int]:
        if self.at is not None:
            return self.at.start, self.at.end
        line, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if not line or not end or end >= len(self._lines):
            return self.run.execution.start, self.run.execution.end
        last = self._lines[-1] - 1
        return min(self._lines[line - 1] + node.col_offset, last), min(  # type: ignore[attr-defined]
            self._lines[end - 1] + node.end_col_offset,  # type: ignore[attr-defined]
            last,
        )

    # -- loops -------------------------------------------------------------------------------------

    def in_endless_loop(self) -> bool:
        """Whether it is inside ``while True`` (or a loop of a thousand rounds) right now."""
        return any(isinstance(loop, _ast.While) for loop in self.loops)

    def exhausts(self, what: str, node: object) -> None:
        """Add that processes are started without end."""
        self.context.add(
            Exhausts,
            what,
            span=self.span(node),
            by="python",
            detail="starts processes in an endless loop",
        )
