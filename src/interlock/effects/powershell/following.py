"""``PowerShellInterpreter``: what a PowerShell session that is followed can be asked and told by
what runs in it.
"""

from __future__ import annotations

from typing import Protocol

from interlock.effects.api import ShellReading
from interlock.effects.context import CallContext
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import NULL, PsValue
from interlock.effects.run import Run
from interlock.model.effect import Effect
from interlock.shell.value import Value
from interlock.shell.walk import Walker


class PowerShellInterpreter(Protocol):
    """A session. ``set_for_programs``: variables of the environment, for what is started;
    ``current`` and ``input``: what ``$_`` and ``$input`` are; ``sockets``: connections that a shell
    may be joined to, ``shells``: whether one was started; ``full``: the bound was met.
    """

    reader: ShellReading[Run]
    walker: Walker
    context: CallContext
    variables: dict[str, PsValue]
    functions: dict[str, PsNode]
    aliases: dict[str, str]
    set_for_programs: list[tuple[str, Value]]
    current: PsValue
    input: PsValue
    sockets: list[Effect]
    shells: bool
    full: bool

    @property
    def cwd(self) -> str | None:
        """The folder the session is in."""

    def read(self, text: str, start: int, end: int, label: str) -> PsValue:
        """Read a text found at ``[start, end)`` of the current one, in this session."""

    def pay(self, size: int) -> None:
        """Count work that grows with the size of texts."""

    def spend(self, node: PsNode) -> bool:
        """Count one step; tell whether any was left."""

    def value(self, node: PsNode) -> PsValue:
        """Return what an expression is worth."""

    def statement(self, node: PsNode) -> PsValue:
        """Follow one statement of any form."""

    def body(
        self,
        block: PsNode,
        arguments: list[PsValue] | None = None,
        *,
        given: dict[str, PsValue] | None = None,
    ) -> PsValue:
        """Follow a block's statements."""

    def run_in_scope(
        self,
        block: PsNode,
        arguments: list[PsValue] | None = None,
        given: dict[str, PsValue] | None = None,
    ) -> PsValue:
        """Follow a block in a scope of its own."""

    def call(self, node: PsNode, target: PsValue, name: str, arguments: list[PsValue]) -> PsValue:
        """Call a method that acts."""

    def run_code(self, node: PsNode, thing: PsValue, by: str = "invoke-expression") -> PsValue:
        """Run a text or a block as code in this session."""

    def run_program(self, node: PsNode, argv: list[Value], piped: PsValue = NULL) -> PsValue:
        """Run a program with these words."""

    def lookup(self, name: str) -> PsValue:
        """Return a variable's value."""

    def assign(self, name: str, thing: PsValue) -> None:
        """Set a variable; of the environment also for the programs that are started."""

    def forget(self, node: PsNode) -> None:
        """A variable that is counted up: nobody follows how far."""

    def joins_sockets(self) -> None:
        """A shell runs in this session: every socket of it is joined to one."""

    def unread(self, node: PsNode, why: str) -> None:
        """Add what could not be read."""
