"""``MethodCall``: a method that acts, and what it is given."""

from __future__ import annotations

from interlock.effects.powershell.cmdlet import path_words
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import NULL, PsValue
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, Value


class MethodCall:
    """One call of a method: who is called, with what; and the ways to say what it does."""

    def __init__(
        self,
        session: PowerShellInterpreter,
        node: PsNode,
        target: PsValue,
        arguments: list[PsValue],
    ) -> None:
        self.session = session
        self.node = node
        self.target = target
        self.arguments = arguments
        self.kind = target.kind.partition(" ")[2] if " " in target.kind else target.kind
        started = Execution(
            [Value(self.kind or "member", node.start, node.end)],
            node.start,
            max(node.end, node.start),
            session.walker.at.text,
            session.cwd,
        )
        started.external = True
        self.run = Run(session.reader, session.walker, started, ProgramRow(), self.kind or "member")

    def argument(self, number: int) -> PsValue:
        """Return an argument, or nothing."""
        return self.arguments[number] if number < len(self.arguments) else NULL

    def path(self, number: int = 0) -> Value:
        """Return an argument as a path."""
        found = path_words(self.argument(number), literal=True)
        return found[0] if found else Value(HOLE, why="output")
