"""An interlock out of a cache is installed for good before hooks name it; one that stays is left as
it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.cli import ephemeral
from interlock.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

PREFIXES = [
    ("/home/sam/.cache/uv/archive-v0/q6z_umnn", "uv"),
    ("/cache/environments-v2/interlock-1a2b", "uv"),
    ("/home/sam/.cache/pipx/0f1e2d3c", "pipx"),
    ("/home/sam/.local/share/pipx/.cache/0f1e2d3c", "pipx"),
    ("/home/sam/.local/share/pipx/venvs/interlock", ""),
    ("/home/sam/.local/share/uv/tools/interlock", ""),
    ("/home/sam/.local/share/interlock", ""),
    ("/usr", ""),
]


@pytest.mark.parametrize(("prefix", "tool"), PREFIXES)
def test_a_cache_is_told_from_an_installation(prefix: str, tool: str) -> None:
    """By where uv and pipx keep what they run once."""
    found = ephemeral.keeping(prefix)
    assert (found.tool if found else "") == tool


TOOL = """#!/bin/sh
echo "$*" >> "{log}"
[ "$1 $2 $3" = "tool dir --bin" ] && echo "{place}"
[ "$1 $2" = "tool install" ] && exit {code}
exit 0
"""


def put(path: Path, text: str) -> None:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("code", [0, 3])
def test_init_installs_for_good_and_goes_on_there(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same words go to the program that stays; where the tool fails nothing else is done."""
    log, place = tmp_path / "log", tmp_path / "bin"
    put(tmp_path / "tools/uv", TOOL.format(log=log, place=place, code=code))
    put(place / "interlock", f'#!/bin/sh\necho "went on: $*" >> "{log}"\n')
    monkeypatch.setenv("PATH", f"{tmp_path}/tools:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    keeping = ephemeral.PermanentInstall("uv", ("uv", "tool", "install", "--force", "/src"))
    monkeypatch.setattr(ephemeral, "keeping", lambda: keeping)
    words = ["init", "--yes", "--agent", "claude-code"]
    monkeypatch.setattr("sys.argv", ["interlock", *words])
    assert main(words) == (1 if code else 0)
    done = log.read_text().splitlines()
    assert done[0] == "tool install --force /src"
    assert ("went on: init --yes --agent claude-code" in done) is not bool(code)
    told = capfd.readouterr()
    assert "uv tool install --force /src" in told.out
    assert ("that failed (3); nothing else was done" in told.err) is bool(code)
    assert not (tmp_path / ".claude").exists()


def test_a_tool_that_is_not_there_is_said_before_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A yes could not be carried out, so nobody is asked for one; the command stands by itself, on
    a line that no terminal breaks.
    """
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    keeping = ephemeral.PermanentInstall("uv", ("uv", "tool", "install", "--force", "/src"))
    monkeypatch.setattr(ephemeral, "keeping", lambda: keeping)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
    assert main(["init", "--agent", "claude-code"]) == 1
    told = capfd.readouterr()
    assert told.out.splitlines().count("  uv tool install --force /src") == 1
    assert "uv is not on the PATH" in told.err
    assert all(len(line) <= 80 for line in told.out.splitlines())
