"""Completion, in the shells themselves: what the parser takes is what they offer."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import interlock
from interlock.cli import build, completion_names
from interlock.cli.completion import SHELLS, commands
from interlock.cli.main import COMMANDS, parser
from interlock.model.call import ToolCall
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

FOUND = list(commands(parser()))
SOURCE = str(Path(interlock.__file__).resolve().parents[1])

# what stands on the line; what has to be offered; what must not be
ROWS: list[tuple[str, set[str], set[str]]] = [
    ("interlock che", {"check", "checkpoints"}, {"log"}),
    ("interlock check --pro", {"--profile", "--prompt"}, {"--json"}),
    ("interlock check --profile ca", {"careful"}, {"strict"}),
    ("interlock check --json --profile ca", {"careful"}, set()),
    ("interlock approvals ", {"list", "watch", "token"}, {"check"}),
    ("interlock approvals list --", {"--all", "--json"}, {"--token"}),
    ("interlock audit --", set(), {"--anchored"}),
    ("interlock completion z", {"zsh"}, {"bash"}),
    ("interlock install cod", {"codex"}, {"claude-code"}),
    ("interlock code own", {"own.py"}, {"check"}),
    ("interlock run --root fol", {"folder"}, {"own.py"}),
    (
        "interlock explain git.force",
        {"git.force-push", "git.force-push-main"},
        {"fs.delete-system"},
    ),
    ("interlock log --rule secret.r", {"secret.read"}, {"fs.delete-system"}),
    ("interlock undo --", {"--dry-run"}, {"git.force-push"}),
]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with something to complete, and every script."""
    (tmp_path / "own.py").write_text("")
    (tmp_path / "folder").mkdir()
    program = tmp_path / "bin/interlock"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(SOURCE)} exec {shlex.quote(sys.executable)} -m interlock "$@"\n'
    )
    program.chmod(0o755)
    for name, made in SHELLS.items():
        (tmp_path / f"complete.{name}").write_text("\n".join(made(FOUND)) + "\n")
    return tmp_path


def shell(name: str) -> str:
    """Return a shell's path; the test is skipped where there is none."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(argv: list[str], folder: Path, given: str = "") -> str:
    """Run a shell in a folder with a home of its own."""
    environment = {
        "HOME": str(folder),
        "PATH": f"{folder}/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    }
    done = subprocess.run(
        argv,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_bash(folder: Path, lines: list[str]) -> list[set[str]]:
    """Ask bash what it offers at the end of each line, in one process."""
    asked = [f"COMP_WORDS=({line}{' ' + chr(39) * 2 if line[-1:] == ' ' else ''}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=(); "
             '_interlock 2>/dev/null; printf "%s " "${COMPREPLY[@]}"; echo' for line in lines]  # fmt: skip
    said = run(
        [shell("bash"), "--norc", "--noprofile", "-s"],
        folder,
        "source ./complete.bash\n" + "\n".join([*asked, "exit 0"]),
    )
    return [set(line.split()) for line in said.splitlines()]


def in_fish(folder: Path, lines: list[str]) -> list[set[str]]:
    """Ask fish the same."""
    asked = [f"complete -C '{line}' | string replace -r '\\t.*' ''; echo =" for line in lines]
    said = run(
        [shell("fish"), "--no-config", "-c", "source ./complete.fish; " + "; ".join(asked)], folder
    )
    return [set(part.replace("/\n", "\n").split()) for part in said.split("=\n")[:-1]]


@pytest.mark.parametrize("ask", [in_bash, in_fish], ids=["bash", "fish"])
def test_a_shell_offers_what_may_follow(
    ask: Callable[[Path, list[str]], list[set[str]]], here: Path
) -> None:
    """Commands, subcommands, options, their values, files and folders, each where it may stand."""
    for (line, wanted, unwanted), offered in zip(
        ROWS, ask(here, [line for line, _, _ in ROWS]), strict=True
    ):
        assert wanted <= offered, (line, offered)
        assert not offered & unwanted, (line, offered)


def test_zsh_offers_what_may_follow(here: Path) -> None:
    """The same at zsh's own prompt, where the one that fits is written out."""
    terminal = Terminal(
        [shell("zsh"), "-f", "-i"],
        {
            "HOME": str(here),
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "TERM": "vt100",
            "PS1": "$ ",
        },
        here,
    )
    try:
        terminal.type(
            "autoload -U compinit && compinit -D -u && source ./complete.zsh && echo rea''dy\r"
        )
        terminal.until("ready")
        for typed, whole in (("interlock expl", "explain"), ("interlock check --profile ca", "careful"), ("interlock approvals w", "watch"),
                             ("interlock check --sar", "--sarif"), ("interlock code ow", "own.py")):  # fmt: skip
            terminal.text = ""
            terminal.type(f"echo {typed}"[5:] + "\t")
            assert whole in terminal.until(whole)
            terminal.type("\x15")
    finally:
        terminal.kill()


def test_every_option_of_every_command_is_offered(here: Path) -> None:
    """Nothing that the parser takes is left out."""
    assert {command.name for command in FOUND} >= {"", *COMMANDS}
    offered = in_bash(
        here, [f"interlock {command.name} --".replace("  ", " ") for command in FOUND]
    )
    for command, said in zip(FOUND, offered, strict=True):
        assert said == {option for option, _ in command.options if option[:2] == "--"}, command.name


@pytest.mark.parametrize("name", sorted(SHELLS))
def test_a_script_is_one_that_its_shell_reads(name: str, here: Path) -> None:
    """The whole script is well formed."""
    assert run([shell(name), "-n", f"complete.{name}"], here) == ""


def test_what_the_record_holds_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are asked for while a line is completed, and where nothing was recorded there are none
    and no store is made.
    """
    for name, value in (("HOME", tmp_path), ("XDG_STATE_HOME", tmp_path / "state")):
        monkeypatch.setenv(name, str(value))
    assert completion_names.names([completion_names.REQUEST, completion_names.SESSION]) == []
    assert not (tmp_path / "state").exists()
    guard = build.guard(os.environ, str(tmp_path))
    call = ToolCall("shell", "Bash", {"command": "ls"}, str(tmp_path), session="s-1")
    decision = guard.check(call)
    assert completion_names.names([completion_names.DECISION, completion_names.SESSION]) == [
        decision.id,
        "s-1",
    ]
