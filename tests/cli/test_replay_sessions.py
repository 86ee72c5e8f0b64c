"""Recorded sessions through the real guard: each call answered in the state that the calls before
it left, and the figures at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.cli.main import main
from tests.sessions import SESSIONS, SHORT, tool_call

PLACES = {
    "linux": ("linux", "/home/user/project"),
    "mac": ("darwin", "/Users/user/project"),
    "a worktree on a mac": ("darwin", "/Users/user/work/project-x"),
}


def events(
    session: str, calls: list[tuple[str, dict[str, str]]], where: str = "linux", *, ran: bool = True
) -> list[dict[str, Any]]:
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
            lines.append(
                {**told, "hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}}
            )
    return lines


def replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the answers and the figures."""
    file = tmp_path / "events.jsonl"
    file.write_text(
        "".join([line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines]),
        encoding="utf-8",
    )
    assert main(["replay-sessions", str(file)]) == 0
    *answers, figures = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return answers, figures


def bash(*commands: str) -> list[tuple[str, dict[str, str]]]:
    """Return shell calls."""
    return [("Bash", {"command": command}) for command in commands]


def test_calls_are_answered_in_their_sessions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a session made is its own, and nobody else's; two sessions may stand in one file."""
    calls = bash("mkdir -p /tmp/mine && echo x > /tmp/mine/a", "rm -rf /tmp/mine", "rm -rf ~")
    answers, figures = replayed(
        tmp_path,
        capsys,
        [*events("a", calls), *events("b", bash("ls -la /tmp/mine", "rm -rf /tmp/mine"))],
    )
    assert [answer["verdict"] for answer in answers] == ["allow", "allow", "deny", "allow", "ask"]
    assert answers[2]["rules"]
    assert figures["sessions"] == 2
    assert figures["calls"] == 5
    assert figures["pooled"] == 20.0
    assert figures["quiet"] == 0.0
    assert figures["denied_that_ran"] == 1


@pytest.mark.parametrize("where", PLACES)
def test_a_session_on_any_platform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
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
    calls = [
        ("Write", {"file_path": f"/home/user/work/other/{name}.md", "content": "x"})
        for name in "abc"
    ]
    assert [one["verdict"] for one in replayed(tmp_path, capsys, events("a", calls))[0]] == [
        "ask",
        "allow",
        "allow",
    ]
    assert [
        one["verdict"] for one in replayed(tmp_path, capsys, events("a", calls, ran=False))[0]
    ] == ["ask", "ask", "ask"]


def test_what_is_no_event_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that cannot be read stops nothing, and is counted."""
    answers, figures = replayed(tmp_path, capsys, ["{\n", "[]\n", *events("a", bash("ls"))])
    assert [answer["verdict"] for answer in answers] == ["ask", "ask", "allow"]
    assert figures["broken"] == 2


def test_no_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing, and what to do."""
    assert main(["replay-sessions", str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err


HOME, PROJECT = "/home/user", "/home/user/work/project"
BEGUN = {
    "in a project on Linux": ("linux", PROJECT, PROJECT, "", 0.5),
    "in a project on a Mac": (
        "darwin",
        "/Users/user/work/project",
        "/Users/user/work/project",
        "",
        0.5,
    ),
    "in a work tree on a Mac": (
        "darwin",
        "/Users/user/work/project-fix",
        "/Users/user/work/project-fix",
        "",
        0.5,
    ),
    "in the home folder": ("linux", PROJECT, HOME, "cd ~/work/project && ", 0.5),
    "in a part of a project": ("linux", PROJECT, f"{PROJECT}/app", f"cd {PROJECT} && ", 0.875),
}
"""The platform, the project, the folder a session begins in, how its commands go to the project,
and how often at most it is interrupted in fifty calls. Half an interruption is what deserves one; a
session that begins in the home folder is asked once more, for the project.
"""


SOON = ("in a project on a Mac", "in the home folder")


@pytest.mark.parametrize(
    "begun",
    [
        # another folder, or a Mac, is all that they have beside these two
        pytest.param(begun, marks=[] if begun in SOON else [pytest.mark.long])
        for begun in BEGUN
    ],
)
def test_our_own_sessions_are_hardly_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], begun: str
) -> None:
    """Forty sessions of as many kinds of project, wherever they begin: sixteen of fifty calls, and
    twenty-four shorter ones. One of the home folder is asked once for its project, whatever its
    length.
    """
    platform, project, folder, first, most = BEGUN[begun]
    lines: list[dict[str, Any]] = []
    for number, session in enumerate(SESSIONS + SHORT):
        for at, call in enumerate(session["calls"]):
            tool, given = tool_call(call, Path(project))
            if tool == "Bash":
                given = {"command": first + given["command"]}
            told = {
                "session_id": f"{number}",
                "cwd": folder,
                "root": folder,
                "platform": platform,
                "tool_name": tool,
                "tool_input": given,
            }
            lines.append({**told, "tool_use_id": f"c{at}", "hook_event_name": "PreToolUse"})
            lines.append(
                {
                    **told,
                    "tool_use_id": f"c{at}",
                    "hook_event_name": "PostToolUse",
                    "tool_response": {"stdout": ""},
                }
            )
    _, figures = replayed(tmp_path, capsys, lines)
    assert len(SESSIONS + SHORT) == 40
    assert figures["calls"] == sum(len(session["calls"]) for session in SESSIONS + SHORT)
    once = 50 * len(SESSIONS + SHORT) / figures["calls"] if folder == HOME else 0
    assert figures["pooled"] <= most + once
    assert figures["proven_shell"] >= 0.5


def test_what_a_session_started_is_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A process whose number a call that ran wrote to a file; a number that somebody else wrote
    there is not.
    """
    calls = bash(
        "npm start > /tmp/a.log 2>&1 & echo $! > /tmp/a.pid",
        "kill $(cat /tmp/a.pid)",
        "kill $(cat /tmp/b.pid)",
        "kill 4242",
    )
    answers, _ = replayed(tmp_path, capsys, events("a", calls))
    assert [one["verdict"] for one in answers] == ["allow", "allow", "ask", "ask"]


def test_a_folder_is_there_once_a_command_went_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes after a ``cd`` that may fail would run where the command began."""
    calls = bash(
        "cd ~/work/x && ls; rm -rf *.o",
        "cd ~/work/y && ls",
        "cd ~/work/y && ls; find . -name '*.o' -delete",
    )
    lines = [{**line, "cwd": "/home/user", "root": "/home/user"} for line in events("a", calls)]
    answers, _ = replayed(tmp_path, capsys, lines)
    assert [one["verdict"] for one in answers] == ["ask", "allow", "ask"]
