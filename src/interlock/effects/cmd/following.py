"""``CmdInterpreter``: what a session of cmd.exe can be asked and told by its commands."""

from __future__ import annotations

from typing import Protocol

from interlock.effects.api import ShellReading
from interlock.effects.cmd.parse import CmdNode
from interlock.effects.cmd.variables import CmdVariables
from interlock.effects.run import Run
from interlock.shell.value import Flow
from interlock.shell.walk import Walker


class CmdInterpreter(Protocol):
    """A session. ``folders``: those that ``pushd`` left; ``local``: variables as they were before
    each ``setlocal``.
    """

    reader: ShellReading[Run]
    walker: Walker
    variables: CmdVariables
    folders: list[str | None]
    local: list[dict[str, str]]

    def again(self, node: CmdNode, text: str) -> Flow:
        """Read what a command is given as a line of its own."""
