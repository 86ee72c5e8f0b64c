"""What readers of programs and languages see of the one that reads the whole call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from interlock.effects.context import CallContext
from interlock.effects.rows import ProgramRow
from interlock.effects.written_files import WrittenFiles
from interlock.shell.execution import Execution, NestedText
from interlock.shell.value import Flow, Value
from interlock.shell.walk import Walker

R_contra = TypeVar("R_contra", contravariant=True)
"""A run of a program (``interlock.effects.run.Run``), which knows its reader."""


class CodeReading(Protocol[R_contra]):
    """What runs texts as code, and knows the files that they stand in
    (``interlock.effects.texts.Texts``).

    ``written``, ``unpacked``: what this call put into files and brought.
    """

    context: CallContext
    written: WrittenFiles
    unpacked: dict[str, Flow]

    def code(
        self,
        run: R_contra,
        text: str,
        value: Value | None,
        language: str,
        *,
        own: bool = False,
        name: Value | None = None,
    ) -> Flow:
        """Read a text as code of a language; return what it prints."""

    def flow_as_code(self, run: R_contra, flow: Flow, language: str, *, own: bool = False) -> Flow:
        """Run what flows in as code."""

    def run_file(
        self,
        run: R_contra,
        value: Value,
        path: str,
        language: str,
        *,
        own: bool = False,
        quiet: bool = False,
    ) -> Flow:
        """Read the text of a script that is run, where it can be had."""

    def find_unpacked(self, path: str) -> Flow | None:
        """Return what this call brought to a path from another place."""


class ShellReading(CodeReading[R_contra], Protocol[R_contra]):
    """The reading of one call's shell text (``interlock.effects.shell.ShellReader``).

    ``built``, ``stands_for``: what this call compiled and copied; ``own``: rows of the policy's own
    programs; ``steps``, ``guesses``, ``depth``: bounds of work, of expressions, of unknown programs
    and of shells in each other.
    """

    own: Mapping[str, ProgramRow]
    stands_for: dict[str, str]
    built: dict[str, list[tuple[Flow, str]]]
    steps: int
    depth: int
    guesses: int

    def noted(self, argv: Iterable[Value]) -> None:
        """Keep the words of a command that is run, for rules that look at words."""

    def program(self, execution: Execution, walker: Walker) -> Flow:
        """Read the program of a command: its row, its file, or its words."""

    def apply(self, execution: Execution, walker: Walker, row: ProgramRow, name: str) -> Flow:
        """Read a command by the row of its program."""

    def apply_row(self, run: R_contra) -> Flow:
        """Add what a run's row says of it, and what the row's own code does."""

    def read(self, text: str, cwd: str) -> list[NestedText]:
        """Read a shell text as the call's own input; return all texts met."""

    def code_with_arguments(self, run: R_contra, code: Value, words: list[Value]) -> Flow:
        """Read shell code that is given arguments."""

    def script(self, run: R_contra, value: Value, language: str, *, own: bool = False) -> Flow:
        """Run a script file."""

    def run_unseen(self, run: R_contra, value: Value) -> None:
        """Add that files are run of which nobody knows how they came there."""

    def find_text(self, flow: Flow) -> str | None:
        """Return the text of a flow, or None where a piece of it is not known."""

    def carry(self, source: str | None, target: str, flow: Flow) -> None:
        """Note that a file or folder was copied or moved."""

    def find_written(self, path: str) -> Flow | None:
        """Return what this call put into a file."""

    def contents(self, value: Value, cwd: str | None) -> Flow:
        """Return what a file holds, as far as this call knows."""
