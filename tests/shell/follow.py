"""A visitor that writes down the fields of every command it is shown."""

from __future__ import annotations

from interlock.shell.state import ShellState
from interlock.shell.value import UNREAD, Flow, Value
from interlock.shell.walk import Walker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.shell.execution import Execution


class Notes:
    """Notes every command, and what could not be read."""

    def __init__(self) -> None:
        self.commands: list[list[Value]] = []
        self.unread: list[str] = []

    def visit(self, execution: Execution, walker: Walker) -> Flow:
        """Note the fields."""
        del walker
        if execution.argv:
            self.commands.append(execution.argv)
        return UNREAD

    def printed(self, command: Execution, flow: Flow) -> Flow:
        """Pass on what a compound command prints."""
        del command
        return flow

    def opaque(self, why: str, walker: Walker, start: int, end: int) -> None:
        """Note the reason."""
        del walker, start, end
        self.unread.append(why)

    def exhausts(self, name: str, walker: Walker, start: int, end: int) -> None:
        """Note a fork bomb."""
        del walker, start, end
        self.unread.append(f"exhausts {name}")

    def never_ends(self, walker: Walker) -> None:
        """Nobody asks for it here."""

    def done(self) -> int:
        """Commands do nothing but compute."""
        return 0

    def find_received(self, path: str) -> Flow | None:
        """Nothing is written."""
        del path
        return None

    def knows(self, name: str) -> bool:
        """Every program may be there."""
        return bool(name)

    def is_folder(self, path: str) -> bool:
        """Nothing is known of the disk."""
        del path
        return False


def follow(script: str) -> list[list[Value]]:
    """Return the fields of every simple command of a script, in the order they run."""
    notes = Notes()
    state = ShellState("/home/user/project", "/home/user", lambda _name: None)
    state.arguments = []
    Walker(notes, state).nested(script, 0, len(script), "input")
    return notes.commands
