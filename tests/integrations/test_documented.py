"""Clients known from their pages: payloads as the pages show them, a bad call and its permitted
twin for each, through the real hook.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.integrations.clients import CLIENTS, DOCUMENTED, answers_of
from interlock.integrations.documented import CLIENTS as ROWS
from interlock.integrations.install import line_for
from interlock.integrations.protocol import CHECK, PROMPT, UnreadableEventError
from interlock.model import call as tools

SOURCE = Path(__file__).resolve().parents[2] / "src"
FOLDER = "/home/user/project"


def _cursor(name: str, **more: object) -> dict[str, object]:
    about = {
        "conversation_id": "c1",
        "generation_id": "g1",
        "model": "m",
        "hook_event_name": name,
        "cursor_version": "2.0",
    }
    return {
        **about,
        "workspace_roots": [FOLDER],
        "user_email": None,
        "transcript_path": None,
        **more,
    }


def _windsurf(name: str, **info: object) -> dict[str, object]:
    return {
        "agent_action_name": name,
        "trajectory_id": "t1",
        "execution_id": "e1",
        "timestamp": "2026-01-01T00:00:00Z",
        "tool_info": info,
    }


def _cline(tool: str, **given: object) -> dict[str, object]:
    about = {
        "clineVersion": "3.40.0",
        "hookName": "PreToolUse",
        "timestamp": "1767225600000",
        "taskId": "t1",
        "workspaceRoots": [FOLDER],
    }
    return {**about, "userId": "u", "preToolUse": {"toolName": tool, "parameters": given}}


def _grouped(tool: str, **given: object) -> dict[str, object]:
    return {
        "session_id": "s1",
        "cwd": FOLDER,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
    }


def _kiro(tool: str, **given: object) -> dict[str, object]:
    return {"hook_event_name": "preToolUse", "cwd": FOLDER, "tool_name": tool, "tool_input": given}


SHELLS: dict[str, Any] = {
    "amp": lambda command: {"command": command, "cwd": FOLDER},
    "cline": lambda command: _cline("execute_command", command=command, requires_approval="false"),
    "cursor": lambda command: _cursor(
        "preToolUse", tool_name="Shell", tool_input={"command": command}, cwd=FOLDER
    ),
    "droid": lambda command: _grouped("Execute", command=command),
    "goose": lambda command: _grouped("developer__shell", command=command),
    "kiro": lambda command: _kiro("execute_bash", command=command),
    "windsurf": lambda command: _windsurf("pre_run_command", command_line=command, cwd=FOLDER),
}


def test_every_row_is_named_and_tried() -> None:
    """The names that a hook may be called with, the rows and the tests are the same, and none is a
    client that was tried.
    """
    assert set(ROWS) == set(DOCUMENTED) == set(SHELLS)
    assert not set(ROWS) & set(CLIENTS)


def shell(client: str, command: str) -> object:
    """Return a client's event for a shell command."""
    assert client in SHELLS, (
        f"there is no payload of {client} in SHELLS: write what its page shows for a shell command"
    )
    return SHELLS[client](command)


def asked(client: str, payload: object, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the line that a person writes into the client's settings."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "PWD": FOLDER,
        **({"AGENT_TOOL_NAME": "Bash"} if client == "amp" else {}),
    }
    command = ["sh", "-c", line_for(client).command(note=False)]
    return subprocess.run(
        command,
        env=environment,
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("client", sorted(ROWS))
def test_a_bad_call_is_refused_in_its_clients_words_and_its_twin_is_not(
    client: str, tmp_path: Path
) -> None:
    """The refusal has the form of the client's page and says why; the permitted call is answered by
    silence and 0.
    """
    bad = asked(client, shell(client, "rm -rf /"), tmp_path)
    assert "fs.delete-system" in bad.stderr, (
        "the command was not read: is the key of the tool's input one that the row's `calls` gives our name?"
    )
    assert bad.returncode == (0 if client == "cline" else 2)
    said = json.loads(bad.stdout) if bad.stdout.strip() else {}
    if client == "cursor":
        assert (said["permission"], "fs.delete-system" in said["agent_message"]) == ("deny", True)
    elif client == "cline":
        assert (said["cancel"], "fs.delete-system" in said["errorMessage"]) == (True, True)
    else:
        assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    good = asked(client, shell(client, "echo hello"), tmp_path)
    assert (good.returncode, good.stdout.strip(), good.stderr) == (0, "", "")


def test_cursor_is_asked_natively(tmp_path: Path) -> None:
    """What is to be asked about is its own question; the others hear a refusal."""
    payload = _cursor("beforeShellExecution", command="git push --force origin topic", cwd=FOLDER)
    done = asked("cursor", payload, tmp_path)
    assert (done.returncode, json.loads(done.stdout)["permission"]) == (0, "ask")
    assert asked("kiro", SHELLS["kiro"]("git push --force origin topic"), tmp_path).returncode == 2


CALLS = [
    (
        "cursor",
        _cursor("beforeReadFile", file_path="/etc/shadow", content="x"),
        tools.READ,
        {"file_path": "/etc/shadow"},
    ),
    (
        "cursor",
        _cursor("preToolUse", tool_name="Write", tool_input={"file_path": "a"}, cwd=FOLDER),
        tools.WRITE,
        {"file_path": "a"},
    ),
    (
        "cursor",
        _cursor("beforeMCPExecution", tool_name="MCP:drop", tool_input='{"table": "users"}'),
        tools.MCP,
        {"table": "users"},
    ),
    (
        "windsurf",
        _windsurf("pre_write_code", file_path="a.py", edits=[]),
        tools.WRITE,
        {"file_path": "a.py"},
    ),
    ("windsurf", _windsurf("pre_read_code", file_path="a.py"), tools.READ, {"file_path": "a.py"}),
    (
        "windsurf",
        _windsurf(
            "pre_mcp_tool_use",
            mcp_server_name="db",
            mcp_tool_name="query",
            mcp_tool_arguments={"sql": "x"},
        ),
        tools.MCP,
        {"sql": "x"},
    ),
    (
        "cline",
        _cline("write_to_file", path="a", content="x"),
        tools.WRITE,
        {"path": "a", "content": "x"},
    ),
    (
        "kiro",
        _kiro("fs_write", command="create", path="a"),
        tools.EDIT,
        {"command": "create", "path": "a"},
    ),
    ("kiro", _kiro("@git/push", branch="main"), tools.MCP, {"branch": "main"}),
    ("goose", _grouped("github__delete_repository", name="x"), tools.MCP, {"name": "x"}),
    ("droid", _grouped("Edit", file_path="a"), tools.EDIT, {"file_path": "a"}),
]


@pytest.mark.parametrize(("client", "payload", "tool", "given"), CALLS)
def test_other_tools_are_read(
    client: str, payload: object, tool: str, given: dict[str, object]
) -> None:
    """Files, MCP tools and the rest come as the tool they are, with what they are given."""
    event = answers_of(client).read(payload, {"HOME": "/home/user", "PWD": FOLDER}, "linux")
    assert event.kind == CHECK
    assert event.call is not None
    assert (event.call.tool, dict(event.call.input)) == (tool, given)
    assert event.call.cwd == FOLDER or client == "windsurf"


@pytest.mark.parametrize(
    ("client", "payload"),
    [
        ("cursor", _cursor("beforeSubmitPrompt", prompt="Tidy up.", attachments=[])),
        ("windsurf", _windsurf("pre_user_prompt", user_prompt="Tidy up.")),
        ("kiro", {"hook_event_name": "userPromptSubmit", "cwd": FOLDER, "prompt": "Tidy up."}),
        (
            "droid",
            {
                "session_id": "s",
                "cwd": FOLDER,
                "hook_event_name": "UserPromptSubmit",
                "prompt": "Tidy up.",
            },
        ),
    ],
)
def test_a_prompt_is_read(client: str, payload: object) -> None:
    """What the person asked for is taken down."""
    event = answers_of(client).read(payload, {"HOME": "/home/user"}, "linux")
    assert (event.kind, event.prompt) == (PROMPT, "Tidy up.")


@pytest.mark.parametrize("client", sorted(ROWS))
@pytest.mark.parametrize(
    "payload", [[], "x", None, 3, {}, {"hook_event_name": "made-up"}, {"hookName": 3}]
)
def test_nonsense_is_refused(client: str, payload: object) -> None:
    """Whatever else comes is an error in words, and the error is a refusal of the client's form."""
    answers = answers_of(client)
    with pytest.raises(UnreadableEventError):
        answers.read(payload, {}, "linux")
    reply = answers.on_error("x")
    assert reply.stderr
    assert reply.exit_code == 2 or json.loads(reply.stdout)["cancel"] is True
    assert answers.on_error("x", "other").exit_code == 0


def test_a_mark_of_the_byte_order_is_no_error(tmp_path: Path) -> None:
    """Cursor may begin its event with one."""
    command = ["sh", "-c", line_for("cursor").command(note=False)]
    payload = "\ufeff" + json.dumps(SHELLS["cursor"]("rm -rf /"))
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        command,
        env=environment,
        input=payload.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"fs.delete-system" in done.stderr


def _texts(value: object) -> list[str]:
    """Return every text in a value."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("client", sorted(ROWS))
def test_what_is_written_holds_the_whole_line(client: str) -> None:
    """Settings in JSON hold the line as one text; Cline's is a file of its own; Amp's names a
    program that holds it.
    """
    command = line_for(client).command(note=False)
    written = ROWS[client].written(command)
    held = [written] if client == "cline" else [*_texts(json.loads(written))]
    assert any(command in text for text in held) is (client != "amp")


def test_installing_prints_and_writes_nothing(tmp_path: Path) -> None:
    """A person gets what to write and where, and is told that nobody tried it."""
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "interlock", "install", "cursor"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert "was not tried" in done.stdout
    assert line_for("cursor").command(note=False) in _texts(
        json.loads(done.stdout.split("\n\n")[1])
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("client", "event", "tool"), [("cline", "PreToolUse", "execute_command"), ("cursor", "preToolUse", "Shell"),
    ("cursor", "beforeShellExecution", "Shell"), ("windsurf", "pre_run_command", "run_command"), ("kiro", "preToolUse", "execute_bash")])  # fmt: skip
def test_a_shape_leads_both_ways(client: str, event: str, tool: str) -> None:
    """What is written in a client's shape is read as what it was: the doctor asks a hook in it."""
    shape = ROWS[client].words.shape
    assert shape is not None
    made = {
        "hook_event_name": event,
        "session_id": "s",
        "cwd": FOLDER,
        "tool_name": tool,
        "tool_input": {"command": "ls"},
    }
    assert {
        "tool_use_id": "",
        "tool_response": "",
        **shape.to_dialect(shape.told(made), {"PWD": FOLDER}),
    }.items() >= made.items()
