"""What tests of behaviour share: one call in, its decision out, with frozen facts (home
``/home/user``, all else unknown) and a built-in policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.decision import Decision
    from interlock.model.facts import Facts
    from interlock.model.policy import Policy
    from interlock.model.rule import Call

ROOT = "/home/user/project"


def shell(command: str, cwd: str = ROOT) -> ToolCall:
    """Return the call of a shell command."""
    return ToolCall(SHELL, "Bash", {"command": command}, cwd=cwd, roots=(ROOT,))


def tool(kind: str, fields: Mapping[str, object], name: str = "") -> ToolCall:
    """Return the call of another tool."""
    return ToolCall(kind, name or kind, fields, cwd=ROOT, roots=(ROOT,))


def example(of: str | Call) -> ToolCall:
    """Return the call that an example of a rule stands for; a field ``name`` of an example is what
    the client calls the tool.
    """
    if isinstance(of, str):
        return shell(of)
    fields = dict(of.input)
    hints = tuple(fields.pop("hints", "").split())
    return tool(of.tool, fields, fields.pop("name", "")).replace(hints=hints)


def decided(call: ToolCall, policy: Policy | None = None, facts: Facts | None = None) -> Decision:
    """Return the decision on a call; by the built-in policy where no other is given."""
    return decide(call, read(call, facts or Recorded("/home/user")), policy or builtin(), "test")


def judged(command: str, cwd: str = ROOT) -> Decision:
    """Return the decision on a shell command."""
    return decided(shell(command, cwd))


def rules_of(decision: Decision) -> set[str]:
    """Return the ids of the rules that spoke."""
    return {finding.rule for finding in decision.findings}
