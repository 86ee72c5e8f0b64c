"""``Following``: what a PowerShell session that is followed can be asked and told by what runs in
it.
"""

from __future__ import annotations

from typing import Protocol

from interlock.effects.api import Reading
from interlock.effects.context import Context
from interlock.effects.powershell.things import NULL, Thing
from interlock.effects.powershell.tree import Node
from interlock.effects.run import Run
from interlock.model.effect import Effect
from interlock.shell.value import Value
from interlock.shell.walk import Walker


class Following(Protocol):
    """A session. ``set_for_programs``: variables of the environment, for what is started;
    ``current`` and ``input``: what ``$_`` and ``$input`` are; ``sockets``: connections that a shell
    may be joined to, ``shells``: whether one was started; ``full``: the bound was met.
    """

    reader: Reading[Run]
    walker: Walker
    context: Context
    variables: dict[str, Thing]
    functions: dict[str, Node]
    aliases: dict[str, str]
    set_for_programs: list[tuple[str, Value]]
    current: Thing
    input: Thing
    sockets: list[Effect]
    shells: bool
    full: bool

    @property
    def cwd(self) -> str | None:
        """The folder the session is in."""

    def read(self, text: str, start: int, end: int, label: str) -> Thing:
        """Read a text found at ``[start, end)`` of the current one, in this session."""

    def pay(self, size: int) -> None:
        """Count work that grows with the size of texts."""

    def spend(self, node: Node) -> bool:
        """Count one step; tell whether any was left."""

    def value(self, node: Node) -> Thing:
        """Return what an expression is worth."""

    def statement(self, node: Node) -> Thing:
        """Follow one statement of any form."""

    def body(
        self,
        block: Node,
        arguments: list[Thing] | None = None,
        *,
        given: dict[str, Thing] | None = None,
    ) -> Thing:
        """Follow a block's statements."""

    def scoped(
        self,
        block: Node,
        arguments: list[Thing] | None = None,
        given: dict[str, Thing] | None = None,
    ) -> Thing:
        """Follow a block in a scope of its own."""

    def call(self, node: Node, target: Thing, name: str, arguments: list[Thing]) -> Thing:
        """Call a method that acts."""

    def run_code(self, node: Node, thing: Thing, by: str = "invoke-expression") -> Thing:
        """Run a text or a block as code in this session."""

    def run_program(self, node: Node, argv: list[Value], piped: Thing = NULL) -> Thing:
        """Run a program with these words."""

    def lookup(self, name: str) -> Thing:
        """Return a variable's value."""

    def assign(self, name: str, thing: Thing) -> None:
        """Set a variable; of the environment also for the programs that are started."""

    def forget(self, node: Node) -> None:
        """A variable that is counted up: nobody follows how far."""

    def joins_sockets(self) -> None:
        """A shell runs in this session: every socket of it is joined to one."""

    def unread(self, node: Node, why: str) -> None:
        """Add what could not be read."""
