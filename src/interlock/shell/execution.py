"""What a walk shows its visitor: a command about to run, its redirections, and the texts met on the way."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from interlock.shell.value import Flow, Value
    from interlock.shell.walk import Walker

    class Visitor(Protocol):
        """Who is shown the commands."""

        def visit(self, command: Execution, walker: Walker) -> Flow:
            """Take note of a simple command; return what it prints."""
            ...

        def printed(self, command: Execution, flow: Flow) -> Flow:
            """Take note of what a compound command or function with redirections prints; return what of it is left for the next command."""
            ...

        def opaque(self, why: str, walker: Walker, start: int, end: int) -> None:
            """Take note of something that could not be read."""
            ...

        def is_folder(self, path: str) -> bool:
            """Tell whether a folder is known to be there, so that going into it cannot fail."""
            ...

        def knows(self, name: str) -> bool:
            """Tell whether there is a program of this name, as far as anybody knows."""
            ...

        def done(self) -> int:
            """Return a number that grows with everything the commands so far do to the world."""
            ...

        def received(self, path: str) -> Flow | None:
            """Return what was written to a path that stands for ``>(..)``; None where nobody noted it."""
            ...

        def exhausts(self, name: str, walker: Walker, start: int, end: int) -> None:
            """Take note of a function that starts copies of itself, or of a loop (``while``, ``until``) that starts commands, without end."""
            ...


ENDING = frozenset({"exit"})
"""Commands after which nothing is run in this shell."""
LEAVING = ENDING | {"return", "break", "continue"}
"""Commands after which nothing of the list, loop or function that they stand in is run."""


MOST_INHERITED = 256
"""Assignments that a command hands on to what it starts."""


class Redirection:
    """A redirection with its target expanded; ``flow`` is the text of a here-document or here-string."""

    __slots__ = ("fd", "flow", "operator", "target")

    def __init__(self, fd: str, operator: str, target: Value, flow: Flow | None = None) -> None:
        self.fd = fd
        self.operator = operator
        self.target = target
        self.flow = flow


class Execution:
    """One simple command about to run.

    ``argv``: its fields, the name first (empty for redirections alone). ``prefix``: assignments before it.
    ``stdin``: what it reads, ``cwd``: where (None: unknown), ``doubt``: where instead, if the last ``cd`` failed.
    ``text``: number of the text its spans are in. ``maybe``: whether it runs depends on what nobody knows.
    ``external``: another program starts it, so it changes nothing in this shell. ``inherited``: the assignments before what started it.
    """

    __slots__ = (
        "argv", "background", "cwd", "doubt", "end", "external", "inherited", "maybe", "piped", "prefix", "redirects", "start", "stdin", "text",
    )  # fmt: skip

    def __init__(self, argv: list[Value], start: int, end: int, text: int, cwd: str | None) -> None:
        self.argv = argv
        self.start = start
        self.end = end
        self.text = text
        self.cwd = cwd
        self.prefix: list[tuple[str, Value]] = []
        self.inherited: list[tuple[str, Value]] = []
        self.redirects: list[Redirection] = []
        self.stdin: Flow | None = None
        self.piped = False
        self.background = False
        self.external = False
        self.maybe = False
        self.doubt: str | None = None

    def inner(self, argv: list[Value]) -> Execution:
        """Return the command that this one wraps: same place, same input."""
        other = Execution(argv, self.start, self.end, self.text, self.cwd)
        other.stdin = self.stdin
        other.piped = self.piped
        other.background = self.background
        other.doubt = self.doubt
        other.maybe = self.maybe
        other.inherited = [*self.inherited, *self.prefix][-MOST_INHERITED:]
        return other


class Nested:
    """A text met on the way: its parent's number and range, and the map of its characters, if there is one."""

    __slots__ = ("end", "label", "offsets", "parent", "start", "text")

    def __init__(self, text: str, parent: int, start: int, end: int, label: str) -> None:
        self.text = text
        self.parent = parent
        self.start = start
        self.end = end
        self.label = label
        self.offsets: Sequence[int] | None = None
