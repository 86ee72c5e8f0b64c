"""What compiling a policy file needs to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interlock.model.call import ToolCall
from interlock.model.effect import Reading
from interlock.model.record import Record
from interlock.model.rule import Call, Rule
from interlock.policy.document import DocumentNode
from interlock.policy.problem import PolicyProblems

Reader = Callable[[str | Call], tuple[ToolCall, Reading]]


class PolicySource(Record):
    """What compiling a file needs to know: its layer, path, the user's home, the rules before it,
    and how examples are read (None: not at all).
    """

    layer: str
    path: str
    home: str
    known: Mapping[str, Rule]
    reader: Reader | None
    problems: PolicyProblems
    loosens: bool = False

    def at(self, node: DocumentNode) -> str:
        """Return where a node stands, for whoever asks where a value came from."""
        return f"{self.path}:{node.line}"

    def say(self, node: DocumentNode, message: str) -> None:
        """Note an error at a node."""
        self.problems.add(node.line, node.column, message)
