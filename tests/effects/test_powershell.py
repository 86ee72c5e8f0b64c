"""PowerShell: what is stopped, what is let through, and that reading it never fails, never takes
long and is never milder for a wrapping.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.powershell.parse import parse
from interlock.facts import Recorded
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY, WARN
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import Opaque
from tests.effects.rows_cmd import STOPPED as CMD_STOPPED
from tests.effects.rows_powershell import PERMITTED, STOPPED
from tests.effects.windows import HOME, ROOT, action, grows_evenly, lines, on_windows, reading, rows
from tests.judging import decided

if TYPE_CHECKING:
    from collections.abc import Callable

STOPPED_ROWS = rows(STOPPED)
ORDINARY = lines(PERMITTED)
WHOLE = [
    command
    for _, command in STOPPED_ROWS
    if not any(effect.kind is Opaque for effect in reading(command).effects)
]
"""Dangerous rows that are complete statements, so that they can stand inside others."""


@pytest.mark.parametrize(
    ("action", "command"), STOPPED_ROWS, ids=[command for _, command in STOPPED_ROWS]
)
def test_what_is_stopped(action: str, command: str) -> None:
    """A dangerous command gets its action."""
    assert str(on_windows(command).action) == action


@pytest.mark.parametrize("command", ORDINARY)
def test_what_is_let_through(command: str) -> None:
    """Ordinary work is at most warned about."""
    assert on_windows(command).action <= WARN


def test_the_tables_are_as_large_as_promised() -> None:
    """There are at least 150 dangerous rows and 120 permitted ones."""
    assert len(STOPPED_ROWS) >= 150
    assert len(ORDINARY) >= 120


# -- laws ------------------------------------------------------------------------------------------


def encoded(text: str) -> str:
    """Return a command that runs a text as PowerShell's own encoding of it."""
    return "powershell -EncodedCommand " + base64.b64encode(text.encode("utf-16-le")).decode()


def single(text: str) -> str:
    """Return a text as one literal word."""
    return "'" + text.replace("'", "''") + "'"


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "block": lambda text: f"& {{ {text}\n}}",
    "if": lambda text: f"if ($true) {{ {text}\n}}",
    "try": lambda text: f"try {{ {text}\n}} finally {{ }}",
    "subexpression": lambda text: f"$({text}\n)",
    "array": lambda text: f"@({text}\n) | Out-Null",
    "assigned": lambda text: f"$z = $({text}\n)",
    "function": lambda text: f"function zz {{ {text}\n}}; zz",
    "loop": lambda text: f"foreach ($z in 1..2) {{ {text}\n}}",
    "piped": lambda text: (
        f"1..2 | ForEach-Object {{ {text}\n}}"
        if "$_" not in text and "$input" not in text
        else text
    ),
    "expression": lambda text: f"Invoke-Expression {single(text)}",
    "program": lambda text: f"powershell -NoProfile -Command {single(text)}",
    "encoded": encoded,
    "block of a command": lambda text: f"Invoke-Command -ScriptBlock {{ {text}\n}}",
    "block made of text": lambda text: f"& ([scriptblock]::Create({single(text)}))",
    "job": lambda text: f"Start-Job {{ {text}\n}}",
}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_wrapping_never_loosens(name: str) -> None:
    """What is stopped is stopped as strictly inside another construct."""
    milder = {
        command: str(found)
        for command in WHOLE
        if (found := on_windows(WRAPPINGS[name](command)).action) < action(command)
    }
    assert not milder


@given(st.sampled_from(WHOLE), st.sampled_from(ORDINARY), st.sampled_from(["; ", "\n"]))
def test_what_stands_behind_loosens_nothing(first: str, second: str, joint: str) -> None:
    """A statement is judged as strictly with another behind it."""
    assert on_windows(first + joint + second).action >= action(first)


@pytest.mark.parametrize(
    "harmless",
    [
        "Get-Date",
        "$z = 1",
        "Write-Host hi",
        "# a comment",
        "git status",
        "function q { 1 }",
        "[int]$n = 3",
        "@{ a = 1 } | Out-Null",
    ],
)
def test_what_stands_before_loosens_nothing(harmless: str) -> None:
    """A harmless statement in front leaves the answer as strict."""
    assert not [
        command
        for command in WHOLE
        if on_windows(f"{harmless}\n{command}").action < action(command)
    ]


PIECES = [
    *"$(){}[]@'\"`|;&,-.:#=%a1 \n\u201c\u2013\ue000", "<#", "#>", "@'\n", "\n'@", "$(", "@{", "iex ", "if", "foreach", "param(", "function f",
    "switch", "try", "-join", "::", "..", "--%", "2>", "[char]", "rm ",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_text_makes_it_fail(text: str) -> None:
    """There is an answer and never an exception, whatever the pieces."""
    assert on_windows(text).verdict in (VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY)


@given(st.text(max_size=60))
def test_no_characters_make_it_fail(text: str) -> None:
    """There is an answer and never an exception, whatever the characters."""
    assert on_windows(text).verdict in (VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY)


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "{",
        "[",
        "$(",
        "@(",
        "'",
        '"',
        "`",
        "-",
        "!",
        "+",
        ",",
        "$a.",
        "[a]",
        "a|",
        "if(1){",
        "@{a=",
        "1+",
        "$x[",
        "f(",
        "a;",
        "-join ",
        "%{",
        "\n",
        "#",
        "$a+=",
    ],
)
def test_work_is_bounded(piece: str) -> None:
    """A long run of anything is read to its end, and takes no more work than its length allows:
    twice as long, twice the work.
    """
    parse((piece * 20_000)[:60_000])
    assert grows_evenly(piece, "powershell")


@pytest.mark.parametrize(
    "text",
    ["$a='x'*1000;" + "$a+=$a;" * 60 + "iex $a", "function f{f;f};f", "$a=@();" + "$a+=1;" * 3000, "iex '" * 40, "&{" * 60 + "}" * 60],
)  # fmt: skip
def test_what_grows_is_given_up(text: str) -> None:
    """Values and nesting that grow without end are opaque, and asked about."""
    decision = on_windows(text)
    assert (str(decision.verdict), decision.coverage) == ("ask", "partial")


@pytest.mark.parametrize(
    "text",
    ["1..4000|%{1..4000|%{rm C:\\Windows}}", "while($true){" * 20 + "rm C:\\Windows" + "}" * 20],
)
def test_loops_are_read_and_not_counted(text: str) -> None:
    """However often a loop would run, what it does is seen."""
    assert str(on_windows(text).verdict) == "deny"


# -- how calls arrive ------------------------------------------------------------------------------

WIPE = "Remove-Item -Recurse -Force C:\\Users\\me"


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(
            SHELL, "powershell", {"command": WIPE}, cwd=ROOT, roots=(ROOT,), platform="windows"
        ),
        ToolCall(
            "other", "powershell", {"command": WIPE}, cwd=ROOT, roots=(ROOT,), platform="windows"
        ),
        ToolCall(
            SHELL,
            "shell",
            {"command": ["powershell.exe", "-Command", WIPE]},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "shell",
            {"command": ["pwsh", "-c", WIPE]},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "shell",
            {"command": ["cmd.exe", "/c", "rd /s /q C:\\Users\\me"]},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "exec_command",
            {"cmd": WIPE, "shell": "powershell"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "exec_command",
            {"cmd": WIPE, "shell": "C:\\Program Files\\PowerShell\\7\\pwsh.exe"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "run_shell_command",
            {"command": WIPE},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
            shell="powershell",
        ),
        ToolCall(
            SHELL,
            "run_shell_command",
            {"command": WIPE},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "run_shell_command",
            {"command": "rd /s /q C:\\Users\\me"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "run_shell_command",
            {"command": "rd /s /q %USERPROFILE%"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
            shell="cmd",
        ),
        ToolCall(
            SHELL,
            "Bash",
            {"command": f"powershell -c '{WIPE}'"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "Bash",
            {"command": 'cmd.exe //c "rd /s /q C:\\\\Users\\\\me"'},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "Bash",
            {"command": "rm -rf /c/Users/me"},
            cwd=ROOT,
            roots=(ROOT,),
            platform="windows",
        ),
        ToolCall(
            SHELL,
            "Bash",
            {"command": f"powershell.exe -Command '{WIPE}'"},
            cwd="/home/u/p",
            roots=("/home/u/p",),
        ),
    ],
    ids=lambda call: f"{call.name} {call.shell} {call.platform} {str(call.input)[:60]}",
)
def test_whoever_reads_the_text(call: ToolCall) -> None:
    """The same deletion is denied by whatever tool, word list, field or wrapper it comes."""
    assert str(decided(call, facts=Recorded(HOME)).action) == "deny"


@pytest.mark.parametrize(
    "command",
    ["npm test", "dir", "git status", "echo %PATH%", "Get-ChildItem -Recurse | Select-String x", "cd src && dotnet build", "rd /s /q node_modules",
     "if exist a.txt (del a.txt)", "for %i in (1 2) do echo %i", "if (Test-Path a.txt) { Remove-Item a.txt }", 'git commit -m "it is"',
     "Get-ChildItem -Recurse -Filter *.pyc | Remove-Item", "Remove-Item .\\bin -Recurse; dotnet build"],
)  # fmt: skip
def test_either_shell_lets_ordinary_work_through(command: str) -> None:
    """Where nobody says which shell of Windows reads the text, ordinary work of both is let
    through.
    """
    assert on_windows(command, "").action <= WARN


def test_either_shell_is_stricter_than_each() -> None:
    """Where nobody says which shell reads the text, the answer is as strict as of the one that fits
    it.
    """
    assert not [
        command for _, command in STOPPED_ROWS if on_windows(command, "").action < action(command)
    ]
    assert not [
        command
        for _, command in rows(CMD_STOPPED)
        if on_windows(command, "").action < action(command, "cmd")
    ]


def test_a_python_word_list_is_no_shell_text() -> None:
    """``["python", "-c", TEXT]`` is Python, though ``["bash", "-c", TEXT]`` is shell."""
    deletes = "import shutil; shutil.rmtree('/home/user')"
    call = ToolCall(
        SHELL,
        "shell",
        {"command": ["python3", "-c", deletes]},
        cwd="/home/user/project",
        roots=("/home/user/project",),
    )
    assert str(decided(call).action) == "deny"


def test_spans_lie_in_their_texts() -> None:
    """Every effect of a row says where in its text it stands."""
    for _, command in STOPPED_ROWS:
        found = reading(command)
        for effect in found.effects:
            if effect.span is not None:
                assert (
                    0
                    <= effect.span.start
                    <= effect.span.end
                    <= len(found.texts[effect.span.text].text)
                )
