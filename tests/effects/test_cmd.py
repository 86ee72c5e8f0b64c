"""cmd.exe: what is stopped, what is let through, and that reading it never fails, never takes long
and is never milder for a wrapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY, WARN
from interlock.model.effect import Opaque
from tests.effects import windows
from tests.effects.rows_cmd import PERMITTED, STOPPED
from tests.effects.windows import grows_evenly, lines, on_windows, reading, rows

if TYPE_CHECKING:
    from collections.abc import Callable

STOPPED_ROWS = rows(STOPPED)
ORDINARY = lines(PERMITTED)
WHOLE = [
    command
    for _, command in STOPPED_ROWS
    if not any(effect.kind is Opaque for effect in reading(command, "cmd").effects)
]


def action(command: str) -> int:
    """Return the action on a command as a number."""
    return int(windows.action(command, "cmd"))


@pytest.mark.parametrize(
    ("stopped", "command"), STOPPED_ROWS, ids=[command for _, command in STOPPED_ROWS]
)
def test_what_is_stopped(stopped: str, command: str) -> None:
    """A dangerous command gets its action."""
    assert str(on_windows(command, "cmd").action) == stopped


@pytest.mark.parametrize("command", ORDINARY)
def test_what_is_let_through(command: str) -> None:
    """Ordinary work is at most warned about."""
    assert on_windows(command, "cmd").action <= WARN


# -- laws ------------------------------------------------------------------------------------------

WRAPPINGS: dict[str, Callable[[str], str]] = {
    "group": lambda text: f"({text})",
    "if": lambda text: f"if exist a.txt ({text})",
    "else": lambda text: f"if exist a.txt (echo a) else ({text})",
    "loop": lambda text: f"for %z in (1) do ({text})",
    "quiet": lambda text: f"@{text}",
    "program": lambda text: f"cmd /c {text}" if not set(text) & set("&|<>^%()") else text,
    "quoted program": lambda text: f'cmd /s /c "{text}"' if not set(text) & {'"', "\n"} else text,
    "after": lambda text: f"echo a && ({text})",
    "or": lambda text: f"cd src || ({text})",
}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_wrapping_never_loosens(name: str) -> None:
    """What is stopped is stopped as strictly inside another construct."""
    milder = {
        command: wrapped
        for command in WHOLE
        if action(wrapped := WRAPPINGS[name](command)) < action(command)
    }
    assert not milder


@given(st.sampled_from(WHOLE), st.sampled_from(ORDINARY), st.sampled_from([" & ", "\n"]))
def test_what_stands_behind_loosens_nothing(first: str, second: str, joint: str) -> None:
    """A command is judged as strictly with another behind it."""
    assert action(first + joint + second) >= action(first)


@pytest.mark.parametrize(
    "harmless", ["echo a", "set z=1", "rem a", "dir", "git status", "@echo off", ":: a"]
)
def test_what_stands_before_loosens_nothing(harmless: str) -> None:
    """A harmless line in front leaves the answer as strict."""
    assert not [command for command in WHOLE if action(f"{harmless}\n{command}") < action(command)]


PIECES = ["%", "!", "^",
    '"', "(", ")", "&", "|", "<", ">", "\n", " ", "if ", "for ", "do ", "else ", "set ", "a", "=", "%a%", "%~1", "%%i", ":~", "/s", "call ", "in ",
    "rem ", "@", ":x",
    "\ue000", "==", "1", "2>&1", "echo ", "cmd /c ", "start "]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_text_makes_it_fail(text: str) -> None:
    """There is an answer and never an exception, whatever the pieces."""
    assert on_windows(text, "cmd").verdict in (VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY)


@given(st.text(max_size=60))
def test_no_characters_make_it_fail(text: str) -> None:
    """There is an answer and never an exception, whatever the characters."""
    assert on_windows(text, "cmd").verdict in (VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY)


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        ")",
        "^",
        '"',
        "%",
        "!",
        "&",
        "|",
        "<",
        ">",
        "if ",
        "for %i in (a) do ",
        "call ",
        "echo a&",
        "%a",
        "%PATH%",
        "set a=%a%%a%\n",
        "a b ",
        "start ",
        "\n",
        "cmd /c ",
    ],
)
def test_work_is_bounded(piece: str) -> None:
    """A long run of anything takes no more work than its length allows: twice as long, twice the
    work.
    """
    assert grows_evenly(piece, "cmd")
