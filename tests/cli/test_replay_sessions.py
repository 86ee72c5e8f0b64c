"""Recorded sessions through the real guard: each call answered in the state that the calls before it left, and the figures at the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.cli.main import main
from tests.sessions import SESSIONS, tool_call

PLACES = {
    "linux": ("linux", "/home/user/project"),
    "mac": ("darwin", "/Users/user/project"),
    "a worktree on a mac": ("darwin", "/Users/user/work/project-x"),
}


def events(session: str, calls: list[tuple[str, dict[str, str]]], where: str = "linux", *, ran: bool = True) -> list[dict[str, Any]]:
    """Return the events of a session in which every call runs."""
    platform, root = PLACES[where]
    lines = []
    for number, (tool, given) in enumerate(calls):
        told = {
            "session_id": session,
            "cwd": root,
            "root": root,
            "platform": platform,
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": f"c{number}",
        }
        lines.append({**told, "hook_event_name": "PreToolUse"})
        if ran:
            lines.append({**told, "hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}})
    return lines


def replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the answers and the figures."""
    file = tmp_path / "events.jsonl"
    file.write_text("".join([line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines]), encoding="utf-8")
    assert main(["replay-sessions", str(file)]) == 0
    *answers, figures = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return answers, figures


def bash(*commands: str) -> list[tuple[str, dict[str, str]]]:
    """Return shell calls."""
    return [("Bash", {"command": command}) for command in commands]


def test_calls_are_answered_in_their_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a session made is its own, and nobody else's; two sessions may stand in one file."""
    calls = bash("mkdir -p /tmp/mine && echo x > /tmp/mine/a", "rm -rf /tmp/mine", "rm -rf ~")
    answers, figures = replayed(tmp_path, capsys, [*events("a", calls), *events("b", bash("ls -la /tmp/mine", "rm -rf /tmp/mine"))])
    assert [answer["verdict"] for answer in answers] == ["allow", "allow", "deny", "allow", "ask"]
    assert answers[2]["rules"]
    assert figures["sessions"] == 2
    assert figures["calls"] == 5
    assert figures["pooled"] == 20.0
    assert figures["quiet"] == 0.0
    assert figures["denied_that_ran"] == 1


@pytest.mark.parametrize("where", PLACES)
def test_a_session_on_any_platform(tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str) -> None:
    """A Mac's temporary folders are temporary folders, and its home is home."""
    temp = "/var/folders/ab/cd/T/x" if "mac" in where else "/var/tmp/x"
    calls = [
        *bash(f"mkdir {temp}", f"rm -rf {temp}", "make test", "cat ~/.ssh/id_rsa"),
        ("Write", {"file_path": f"{PLACES[where][1]}/a.py", "content": "x"}),
    ]
    answers, _ = replayed(tmp_path, capsys, events("a", calls, where))
    assert [answer["verdict"] for answer in answers] == ["allow", "allow", "allow", "ask", "allow"]


def test_a_persons_yes_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that was asked about and ran was approved; one that did not run was not."""
    calls = [("Write", {"file_path": f"/home/user/work/other/{name}.md", "content": "x"}) for name in "abc"]
    assert [one["verdict"] for one in replayed(tmp_path, capsys, events("a", calls))[0]] == ["ask", "allow", "allow"]
    assert [one["verdict"] for one in replayed(tmp_path, capsys, events("a", calls, ran=False))[0]] == ["ask", "ask", "ask"]


def test_what_is_no_event_is_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that cannot be read stops nothing, and is counted."""
    answers, figures = replayed(tmp_path, capsys, ["{\n", "[]\n", *events("a", bash("ls"))])
    assert [answer["verdict"] for answer in answers] == ["ask", "ask", "allow"]
    assert figures["broken"] == 2


def test_no_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing, and what to do."""
    assert main(["replay-sessions", str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_our_own_sessions_are_hardly_interrupted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sixteen sessions of fifty calls, on Linux and on a Mac, with what deserves a question among them."""
    lines = []
    for number, session in enumerate(SESSIONS):
        for where in ("linux", "mac"):
            root = Path(PLACES[where][1])
            lines += events(f"{number} {where}", [tool_call(call, root) for call in session["calls"]], where)
    _, figures = replayed(tmp_path, capsys, lines)
    assert figures["sessions"] == 32
    assert figures["pooled"] <= 2.5
    assert figures["proven_shell"] >= 0.4
