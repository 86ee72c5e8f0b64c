"""What a walk shows its visitor: a command about to run, its redirections, and texts on the way."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.value import Flow, Value

ENDING = frozenset({"exit"})
"""Commands after which nothing is run in this shell."""
LEAVING = ENDING | {"return", "break", "continue"}
"""Commands after which nothing of the list, loop or function that they stand in is run."""


DESCRIPTORS = frozenset({"/dev/fd", "/proc/self/fd"})
"""Folders whose files are what a command has open."""
MOST_INHERITED = 256
"""Assignments that a command hands on to what it starts."""


class Redirection:
    """A redirection , its target expanded; ``flow``: the text of a here-document or here-string."""

    __slots__ = ("fd", "flow", "operator", "target")

    def __init__(self, fd: str, operator: str, target: Value, flow: Flow | None = None) -> None:
        self.fd = fd
        self.operator = operator
        self.target = target
        self.flow = flow


class Execution:
    """One simple command about to run.

    ``argv``: its fields, the name first (empty for redirections alone). ``prefix``: assignments
    before it.
    ``stdin``: what it reads, ``cwd``: where (None: unknown), ``doubt``: where instead, if the last
    ``cd`` failed.
    ``text``: number of the text its spans are in. ``maybe``: whether it runs depends on what nobody
    knows.
    ``external``: another program starts it, so it changes nothing in this shell. ``inherited``: the
    assignments before what started it.
    """

    __slots__ = (
        "argv", "background", "cwd", "doubt", "end", "external", "inherited", "maybe", "piped",
        "prefix", "redirects", "start", "stdin", "text",
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

    def redirected(self, path: str) -> Flow | None:
        """Return the text of a here-document or here-string of its own that a path stands for, as
        ``/dev/fd/3`` of ``3<<< TEXT`` does.
        """
        folder, _, number = path.rpartition("/")
        if folder not in DESCRIPTORS:
            return None
        return next((one.flow for one in self.redirects if one.fd == number and one.flow), None)

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


class NestedText:
    """A text on the way: its parent's number and range, and its characters' map, if any."""

    __slots__ = ("end", "label", "offsets", "parent", "start", "text")

    def __init__(self, text: str, parent: int, start: int, end: int, label: str) -> None:
        self.text = text
        self.parent = parent
        self.start = start
        self.end = end
        self.label = label
        self.offsets: Sequence[int] | None = None
