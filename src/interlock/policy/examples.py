"""Examples of rules as calls: what a policy file says a rule catches is read as the guard would
read it.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.read import read
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.rule import Call
from interlock.policy.source import Reader

HOME = "/home/user"
"""The home of examples where the user has none."""


def reading(home: str, facts: Callable[[str], Facts]) -> Reader:
    """Return what makes a call and its reading of an example: in the folder ``project`` below a
    home, with the facts made for it.
    """
    home = home or HOME
    folder = f"{home}/project"

    def read_example(of: str | Call) -> tuple[ToolCall, Reading]:
        if isinstance(of, str):
            call = ToolCall(SHELL, "Bash", {"command": of}, cwd=folder, roots=(folder,))
        else:
            fields = dict(of.input)
            name, hints = fields.pop("name", of.tool), tuple(fields.pop("hints", "").split())
            call = ToolCall(of.tool, name, fields, cwd=folder, roots=(folder,), hints=hints)
        return call, read(call, facts(home))

    return read_example
