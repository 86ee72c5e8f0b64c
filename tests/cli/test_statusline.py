"""The line in an agent's status bar: whether the guard is on, and what it did in the session."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from interlock.cli.main import main
from interlock.stop.flags import ALL, Flag, engage
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Return a home with a store, in whose project an agent shows a status bar."""
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(made.project)
    monkeypatch.setattr("interlock.cli.install.compile_package", lambda: None)
    return made


def bar(said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the line for what an agent says of its session, without its colours."""
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert main(["statusline"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[90m"):
        out = out.replace(code, "")
    return out.strip()


def test_it_says_whether_the_guard_is_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Off without a hook, on with one, what it asked and refused in this session alone, and that it
    is stopped.
    """
    session = json.dumps({"session_id": "s", "cwd": str(desk.project)})
    assert (
        bar(session, monkeypatch, capsys)
        == "interlock: off, no hook is installed; run interlock init"
    )
    (desk.home / ".claude").mkdir()
    assert main(["install", "claude-code"]) == 0
    capsys.readouterr()
    assert bar(session, monkeypatch, capsys) == "interlock: on"
    desk.check("rm -rf ~/photos")
    desk.check("rm -rf /")
    assert "2 refused" in bar(session, monkeypatch, capsys)
    assert bar(json.dumps({"session_id": "another"}), monkeypatch, capsys) == "interlock: on"
    engage(desk.store.folder, Flag(ALL, "enough", "bob", 0.0))
    assert "stopped; interlock resume lets it go on" in bar(session, monkeypatch, capsys)


@pytest.mark.parametrize("said", ["", "no json", "[]", '{"session_id": 7}'])
def test_nonsense_is_no_error(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    """A status bar is no place for an error."""
    assert desk.store is not None
    assert bar(said, monkeypatch, capsys).startswith("interlock: ")


def test_the_setup_is_what_the_agent_reads(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed for the settings is JSON."""
    assert main(["statusline", "--setup"]) == 0
    line = capsys.readouterr().out.strip().splitlines()[-1]
    assert json.loads("{" + line + "}")["statusLine"]["command"] == "interlock statusline"
