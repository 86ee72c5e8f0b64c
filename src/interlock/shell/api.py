"""What the parts of a walk see of each other: who is shown its commands, and the walk itself."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

from interlock.shell.execution import Execution, NestedText
from interlock.shell.frame import Frame, FrameChange, Substitutions, WalkBudget
from interlock.shell.state import ShellState
from interlock.shell.tree import (
    Command,
    CommandList,
    CommandSubstitution,
    Compound,
    ProcessSubstitution,
    Word,
)
from interlock.shell.value import Flow, Value

W_contra = TypeVar("W_contra", contravariant=True)


class Visitor(Protocol[W_contra]):
    """Who is shown the commands."""

    def visit(self, command: Execution, walker: W_contra) -> Flow:
        """Take note of a simple command; return what it prints."""

    def printed(self, command: Execution, flow: Flow) -> Flow:
        """Take note of what a compound command or function with redirections prints; return
        what of it is left for the next command.
        """

    def opaque(self, why: str, walker: W_contra, start: int, end: int) -> None:
        """Take note of something that could not be read."""

    def is_folder(self, path: str) -> bool:
        """Tell whether a folder is known to be there, so that going into it cannot fail."""

    def knows(self, name: str) -> bool:
        """Tell whether there is a program of this name, as far as anybody knows."""

    def done(self) -> int:
        """Return a number that grows with everything the commands so far do to the world."""

    def find_received(self, path: str) -> Flow | None:
        """Return what was written to a path that stands for ``>(..)``; None if not noted."""

    def exhausts(self, name: str, walker: W_contra, start: int, end: int) -> None:
        """Take note of a function that starts copies of itself, or of a loop (``while``,
        ``until``) that starts commands, without end.
        """

    def never_ends(self, walker: W_contra) -> None:
        """Take note of a loop that nothing ends, neither its condition nor its body."""


class ShellWalk(Protocol):
    """A walk over one call, as expansions, builtins and compound commands see it.

    ``status``: whether the last command succeeded, None where nobody knows; ``left_early``: a loop
    or function was left before its end; ``passed_by``: what was read and does not run;
    ``choices``: how many texts the words of a command may be.
    """

    state: ShellState
    at: Frame
    texts: list[NestedText]
    left: WalkBudget
    substitutions: Substitutions
    status: bool | None
    left_early: bool
    passed_by: set[int]
    choices: int

    @property
    def visitor(self) -> Visitor[Self]:
        """Return who is shown the commands."""

    def within(self, state: ShellState | None = None, **changes: object) -> FrameChange:
        """Return a block in which the walk stands elsewhere."""

    def nested(
        self, text: str, start: int, end: int, label: str, state: ShellState | None = None
    ) -> Flow:
        """Read a text, found in the current one, as commands."""

    def ending(self, flow: Flow) -> Flow:
        """Run the traps of a shell that ends here; return what it prints all in all."""

    def substitution(self, node: CommandSubstitution) -> Flow:
        """Run a command substitution; return what it prints."""

    def process_substitution(self, node: ProcessSubstitution) -> str:
        """Run a process substitution; return the path that stands for it."""

    def sequence(self, node: CommandList) -> Flow:
        """Run a list of commands; return what it prints."""

    def command(self, node: Command) -> Flow:
        """Run a command; return what it prints."""

    def choose_text(self, texts: tuple[str, ...]) -> str:
        """Return one of several texts that a value may have."""

    def single(self, word: Word | None) -> Value:
        """Return a word expanded, without splitting."""

    def plain(self, node: Compound) -> bool:
        """Tell whether a condition is one command after the other."""

    def run(self, execution: Execution, *, functions: bool = True) -> Flow:
        """Run a simple command; return what it prints."""

    def give_up(self, why: str, start: int, end: int) -> None:
        """Follow nothing more of this call."""
