"""What commands say to programs: one JSON value on standard output, whatever is said to people."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli import build
from interlock.cli.main import main
from interlock.doctor import client_context
from interlock.integrations.clients import adapter_of
from interlock.model.call import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Told = Callable[..., tuple[int, Any]]


@pytest.fixture
def told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Told:
    """Run a command with ``--json`` in a home of its own; return its code and what it told."""
    project = tmp_path / "home/project"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(project)

    def go(*argv: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main([argv[0], "--json", *argv[1:]])  # the words of a command come last
        out = capsys.readouterr().out
        return code, json.loads(out) if out else None

    return go


@pytest.mark.parametrize("command", ["pins", "servers", "stop", "resume"])
def test_a_list_of_nothing_is_an_empty_one(told: Told, command: str) -> None:
    """No sentence for people stands in its place."""
    assert told(command) == (0, [])


def test_a_rule_and_a_command_are_explained(told: Told) -> None:
    """A rule with its reasons and examples; a command with what was read, and why it is not
    proven.
    """
    code, rule = told("explain", "git.force-push-main")
    assert (code, rule["id"], bool(rule["why"] and rule["catches"])) == (
        0,
        "git.force-push-main",
        True,
    )
    code, call = told("explain", "--tool", "Read", "--input", '{"file_path": "/etc/hosts"}')
    assert (code, call["verdict"], call["reading"]["effects"] != []) == (0, "allow", True)
    assert call["proven"] is not bool(call["doubts"])


def test_a_recorded_decision_is_explained(told: Told) -> None:
    """The row, whether it is intact, and what today's policy says."""
    here = os.getcwd()
    call = ToolCall("shell", "Bash", {"command": "rm -rf /"}, here, (here,), session="s")
    decision = build.guard(os.environ, folder=here).check(call)
    code, one = told("explain", decision.id)
    assert (code, one["recorded"]["decision_id"], one["intact"]) == (0, decision.id, True)
    assert (one["today"], one["changed"]) == ("deny", [])


def test_what_is_installed_is_told(told: Told, tmp_path: Path) -> None:
    """Which files, and whether anything was done; a dry run does nothing."""
    path = str(tmp_path / "home/.claude/settings.json")
    code, dry = told("install", "claude-code", "--dry-run")
    assert (code, dry["done"], dry["files"]) == (0, False, [{"path": path, "changed": True}])
    assert not os.path.exists(path)
    code, done = told("init", "--agent", "claude-code", "--yes")
    assert (code, done["done"], done["agents"][0]["files"][0]["path"]) == (0, True, path)
    assert {"client": "claude-code", "what": "refuses"}.items() <= next(
        row for row in done["checks"] if row["what"] == "refuses"
    ).items()
    code, again = told("install", "claude-code")
    assert (code, again["files"]) == (0, [{"path": path, "changed": False}])


def test_a_stop_is_told(told: Told) -> None:
    """What is stopped; a decision that nobody knows stops nothing."""
    code, one = told("stop", "--session", "s-1", "--reason", "a test")
    assert (code, one["scope"], one["ended"]) == (4, "session:s-1", 0)
    code, flags = told("stop")
    assert (code, [flag["scope"] for flag in flags]) == (0, ["session:s-1"])
    assert told("stop", "--call", "d-nobody") == (1, None)


def test_an_undo_is_told(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    """What would come back, what came back, and how that is undone."""
    here = os.getcwd()
    with open("notes.txt", "w", encoding="utf-8") as file:
        file.write("a week of work\n")
    assert main(["checkpoints", "take"]) == 0
    name = capsys.readouterr().out.split()[0]
    os.remove("notes.txt")
    code, dry = told("undo", name, "--dry-run")
    assert (code, dry["done"], dry["brought_back"]) == (0, False, [f"{here}/notes.txt"])
    assert not os.path.exists("notes.txt")
    code, done = told("undo", name)
    assert (code, done["done"], done["brought_back"]) == (0, True, [f"{here}/notes.txt"])
    assert os.path.exists("notes.txt")
    assert done["undo_of_this"].startswith("c-")


def test_where_no_agent_is_the_doctor_says_what_status_says(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    """It finds no fault with the settings of a client that is not there."""
    code, rows = told("doctor")
    assert (code, rows[0]["what"], rows[0]["mend"]) == (1, "agents", "interlock init")
    assert [row for row in rows if row["colour"] == "red"] == []
    assert main(["status"]) == 0
    assert "-> interlock init" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("version", "mend"),
    [
        ("v20.11.0", "install Node 22 or newer (here is 20), then: npm install -g"),
        ("v22.1.0", "npm install -g"),
        ("", "npm install -g"),
    ],
)
def test_an_old_client_beside_an_old_node(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, mend: str
) -> None:
    """Npm takes the newest version that this Node can run, so a newer Node comes first."""
    for name, said in (("claude", "2.1.1 (Claude Code)"), ("node", version)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{said}'\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    row = client_context.version(adapter_of("claude-code").SETTINGS)
    assert (row.colour, row.mend.startswith(mend)) == ("red", True), row
