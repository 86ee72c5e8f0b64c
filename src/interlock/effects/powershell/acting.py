"""``Acting``: a method that acts, and what it is given."""

from __future__ import annotations

from interlock.effects.powershell.cmdlet import located
from interlock.effects.powershell.following import Following
from interlock.effects.powershell.things import NULL, Thing
from interlock.effects.powershell.tree import Node
from interlock.effects.rows import Row
from interlock.effects.run import Run
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, Value


class Acting:
    """One call of a method: who is called, with what; and the ways to say what it does."""

    def __init__(
        self, session: Following, node: Node, target: Thing, arguments: list[Thing]
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
        self.run = Run(session.reader, session.walker, started, Row(), self.kind or "member")

    def argument(self, number: int) -> Thing:
        """Return an argument, or nothing."""
        return self.arguments[number] if number < len(self.arguments) else NULL

    def path(self, number: int = 0) -> Value:
        """Return an argument as a path."""
        found = located(self.argument(number), literal=True)
        return found[0] if found else Value(HOLE, why="output")
