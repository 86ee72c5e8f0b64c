"""What the tests of Windows' shells share: one command of a shell on a Windows machine, and its
decision.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from tests.judging import decided

if TYPE_CHECKING:
    from interlock.model.action import Action
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading

HOME = "C:\\Users\\me"
ROOT = HOME + "\\work"
NAMES = {"powershell": "PowerShell", "cmd": "cmd", "sh": "Bash", "": "run_shell_command"}


def windows(command: str, shell: str = "powershell", cwd: str = ROOT) -> ToolCall:
    """Return the call of a command on Windows, by a tool whose name says its shell."""
    return ToolCall(
        SHELL, NAMES[shell], {"command": command}, cwd=cwd, roots=(ROOT,), platform="windows"
    )


def on_windows(command: str, shell: str = "powershell", cwd: str = ROOT) -> Decision:
    """Return the decision on such a command, with nothing known of the disk."""
    return decided(windows(command, shell, cwd), facts=Recorded(HOME))


@cache
def action(command: str, shell: str = "powershell") -> Action:
    """Return the action on such a command, which many laws hold others against."""
    return on_windows(command, shell).action


def reading(command: str, shell: str = "powershell") -> Reading:
    """Return the reading of such a command."""
    return read(windows(command, shell), Recorded(HOME))


def work(command: str, shell: str) -> int:
    """Return how many calls of functions judging a command takes: work as it is done, not as a
    reader counts it.
    """
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    on_windows("dir", shell)  # what is imported once is not counted
    sys.setprofile(count)
    try:
        on_windows(command, shell)
    finally:
        sys.setprofile(None)
    return calls


MOST_CALLS = 300
"""Calls of functions for every character, at most; some characters are commands."""


def grows_evenly(piece: str, shell: str) -> bool:
    """Tell whether a run of a piece that is twice as long takes at most about twice the work, and
    no more than its length allows.
    """
    short, long = (work((piece * 3000)[:length], shell) for length in (1500, 3000))
    return long <= 2.2 * short + 3000 and long <= MOST_CALLS * 3000


def rows(text: str) -> list[tuple[str, str]]:
    """Split a table of ``ACTION COMMAND`` lines."""
    return [(line.partition(" ")[0], line.partition(" ")[2].strip()) for line in lines(text)]


def lines(text: str) -> list[str]:
    """Split a table of commands; ``␤`` in one stands for a new line."""
    return [line.replace("␤", "\n") for line in text.strip().split("\n")]
