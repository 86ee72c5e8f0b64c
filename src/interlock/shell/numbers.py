"""Arithmetic in the state of a walk: variables are looked up and set, and commands that hide in
subscripts are followed.

Bash expands the subscript of an array anew when it evaluates an expression, so the text
``a[$(command)]`` runs the command wherever it is taken for a number or a name: in ``$(( ))``, ``[[
-v ]]``, ``printf -v``, ``read``, ``declare``.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.shell.api import ShellWalk
from interlock.shell.value import HOLE, MAX_TEXT, NAME, NUMBER, Choice, Value

_late: list[Callable[..., int | None]] = []
"""The evaluator, once there is something to evaluate (an import costs a microsecond each time)."""


class WalkerVariables:
    """The variables of a walker's shell, as its arithmetic sees them."""

    __slots__ = ("walker",)

    def __init__(self, walker: ShellWalk) -> None:
        self.walker = walker

    def get(self, name: str, index: int | None) -> str | None:
        """Return the text of a variable or element; ``""`` where it is known to be unset, None
        where nobody knows.
        """
        state = self.walker.state
        if index is not None and name in state.arrays:
            items = state.arrays[name]
            value = items[index] if -len(items) <= index < len(items) else None
        else:
            value = state.lookup(name)
        if value is None:
            return ""
        if not value.known:
            for text in value.texts if type(value) is Choice else ():
                read_subscripts(text, self.walker)
            return None
        read_subscripts(value.text, self.walker)
        return value.text

    def put(self, name: str, index: int | None, value: int | None) -> None:
        """Set a variable or element."""
        made = Value(NAME if value is None else str(value), why=NUMBER)
        if index is not None or name in self.walker.state.arrays:
            self.walker.state.put(name, index or 0, made)
        else:
            self.walker.state.assign(name, made)


def calculate(text: str, walker: ShellWalk) -> int | None:
    """Return the value of an expression after expansion, after all that it assigns; None where
    nobody knows.
    """
    if HOLE in text or NAME in text:
        return None
    read_subscripts(text, walker)
    if not _late:
        from interlock.shell.arithmetic import evaluate

        _late.append(evaluate)
    return _late[0](text, WalkerVariables(walker))


def read_subscripts(text: str, walker: ShellWalk) -> None:
    """Follow the commands in the subscripts of a text taken for a number or variable."""
    if "[" in text:
        expand_text(text, walker)


def expand_text(text: str, walker: ShellWalk) -> None:
    """Follow the commands in a text that the shell expands once more."""
    if not ("$(" in text or "`" in text or "${" in text) or len(text) > MAX_TEXT:
        return
    if not walker.left.expansion():
        walker.give_up("more subscripts than can be followed", 0, len(text))
        return
    mark = "END"
    while mark in text:
        mark += "D"
    walker.nested(f": <<{mark}\n{text}\n{mark}\n", 0, 0, "subscript")
