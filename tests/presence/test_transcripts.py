"""What each client's transcript notes is read as calls, in the form that was seen of the real
client.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from interlock.audit.log import Audit
from interlock.cli import build
from interlock.model.call import OTHER, SHELL, ToolCall
from interlock.presence.transcripts import FORMS, iso
from interlock.presence.unjudged_calls import Gap, calls, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from interlock.store.protocol import Storage

AT = "2026-01-01T10:00:00.500Z"
GIVEN = {"command": "touch x"}


def copilot(number: str, given: Mapping[str, object] = GIVEN, at: str = AT) -> object:
    """Return a line of Copilot's (1.0.102)."""
    data = {"toolCallId": number, "toolName": "bash", "arguments": given, "turnId": "0"}
    return {"type": "tool.execution_start", "data": data, "id": "e", "timestamp": at}


def gemini(number: str, given: Mapping[str, object] = GIVEN, at: str = AT) -> object:
    """Return a line of Gemini CLI's (0.61.0)."""
    call = {"id": number, "name": "run_shell_command", "args": given, "status": "success"}
    return {"id": "m", "timestamp": at, "type": "gemini", "content": "", "toolCalls": [call]}


def pi(number: str, given: Mapping[str, object] = GIVEN, at: str = AT) -> object:
    """Return a line of Pi's (0.87.1)."""
    call = {"type": "toolCall", "id": number, "name": "bash", "arguments": given}
    message = {"role": "assistant", "content": [{"type": "text", "text": "so"}, call]}
    return {"type": "message", "id": "9", "timestamp": at, "message": message}


def qwen(number: str, given: Mapping[str, object] = GIVEN, at: str = AT) -> object:
    """Return a line of Qwen Code's (0.24.4)."""
    call = {"functionCall": {"id": number, "name": "run_shell_command", "args": given}}
    message = {"role": "model", "parts": [{"text": "so"}, call]}
    return {"sessionId": "s1", "timestamp": at, "type": "assistant", "message": message}


LINES = {"copilot-cli": copilot, "gemini-cli": gemini, "pi": pi, "qwen-code": qwen}
FILES = {
    "copilot-cli": "session-state/s1/events.jsonl",
    "gemini-cli": "tmp/p/chats/s1.jsonl",
    "pi": "sessions/--p--/2026-01-01T10-00-00-000Z_s1.jsonl",
    "qwen-code": "projects/p/chats/s1.jsonl",
}
AROUND = {
    "copilot-cli": "session-state/s2/events.jsonl",
    "gemini-cli": "tmp/p/chats/s1/s2.jsonl",
    "pi": "sessions/--p--/2026-01-01T10-00-00-000Z_s2.jsonl",
    "qwen-code": "projects/p/subagents/s1/agent-a.jsonl",
}
"""Where another session's transcript, or a sub-agent's, lies beside it."""


def put(path: Path, *lines: object) -> Path:
    """Write a transcript."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("agent", LINES)
def test_a_call_is_read_as_it_was_seen(tmp_path: Path, agent: str) -> None:
    """When, which session, which tool, its id and what it was given; beside lines that are none."""
    torn = ["{", '"functionCall" toolCalls', {"toolCalls": 3}, {"message": {"content": "toolCall"}}]
    path = put(tmp_path / FILES[agent], *torn, LINES[agent]("c1"), ["toolCalls", '"toolCall"'])
    found = list(FORMS[agent].noted(str(path), 0.0))
    assert [(at, session, number, given) for at, session, _, number, given in found] == [
        (AT, "s1", "c1", GIVEN)
    ]
    assert found[0][2] in ("bash", "run_shell_command")


@pytest.mark.parametrize("agent", LINES)
def test_transcripts_beside_a_known_one_are_found(tmp_path: Path, agent: str) -> None:
    """Other sessions and sub-agents have their own files, and no record may tell of them."""
    known = put(tmp_path / FILES[agent], LINES[agent]("c1"))
    other = put(tmp_path / AROUND[agent], LINES[agent]("c2"))
    assert str(other) in FORMS[agent].others([str(known)], 0.0)


@pytest.mark.parametrize("agent", LINES)
def test_a_result_is_no_call(tmp_path: Path, agent: str) -> None:
    """What a tool answered holds the same id, and so do words about a call."""
    results: list[dict[str, Any]] = [
        {"type": "tool.execution_complete", "data": {"toolCallId": "c1", "result": {}}},
        {"type": "user", "content": [{"functionResponse": {"id": "c1"}}]},
        {"type": "message", "message": {"role": "toolResult", "toolCallId": "c1", "content": []}},
        {"type": "tool_result", "message": {"parts": [{"functionResponse": {"id": "c1"}}]}},
    ]
    path = put(tmp_path / FILES[agent], *[{**line, "timestamp": AT} for line in results])
    assert list(FORMS[agent].noted(str(path), 0.0)) == []


def database(path: Path, *parts: tuple[float, object]) -> Path:
    """Make a database as OpenCode 1.18.33 has it, of parts and when each was made."""
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE part (id, session_id, time_created, time_updated, data)")
        rows = [
            ("p", "s1", int(at * 1000), 0, json.dumps(part, separators=(",", ":")))
            for at, part in parts
        ]
        base.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?)", rows)
    return path


def test_calls_of_opencode_are_in_a_database(tmp_path: Path) -> None:
    """Those since a time; a text is none, and a file that is no such database has none."""
    state = {"status": "completed", "input": GIVEN}
    tool = {"type": "tool", "tool": "bash", "callID": "c1", "state": state}
    parts = [(50.0, tool), (200.5, {**tool, "callID": "c2"}), (201.0, {"type": "text"})]
    base = database(tmp_path / "a #1?.db", *parts)
    noted = FORMS["opencode"].noted
    assert list(noted(str(base), 100.0)) == [(iso(200.5), "s1", "bash", "c2", GIVEN)]
    (tmp_path / "b.db").write_text('"type":"tool"', encoding="utf-8")
    assert list(noted(str(tmp_path / "b.db"), 0.0)) == []
    assert list(noted(str(tmp_path / "none.db"), 0.0)) == []
    assert not (tmp_path / "none.db").exists()


def told(store: Storage, given: Mapping[str, object]) -> str:
    """Return what a record says that a tool was given."""
    from interlock.audit.entry import parameters

    return parameters(ToolCall(OTHER, "", given), Audit(store).redactor)


@pytest.mark.parametrize(
    ("judged", "shown"),
    [
        ([], ["c1", "c2", "c3"]),
        ([0.4, 60.2, 120.1], []),
        ([60.2], ["c1", "c3"]),
        ([0.4], ["c2", "c3"]),
        ([119.0], ["c1", "c2"]),
        ([0.4, 0.5], ["c3"]),
        ([3000.0], ["c1", "c2", "c3"]),
    ],
)
def test_without_ids_a_record_is_of_the_nearest_call(
    tmp_path: Path, judged: list[float], shown: list[str]
) -> None:
    """Three equal calls a minute apart, of which records tell at some seconds: each of one."""
    start = seconds(AT)
    lines = [gemini(f"c{n + 1}", at=iso(start + 60 * n)) for n in range(3)]
    path = put(tmp_path / FILES["gemini-cli"], *lines)
    home = {"HOME": str(tmp_path / "home")}
    guard, store = build.guard(home, "native"), build.store(home)
    for word in ["touch first", *[GIVEN["command"]] * len(judged)]:
        given = {"command": word}
        guard.check(
            ToolCall(SHELL, "run_shell_command", given, agent="gemini-cli", transcript=str(path))
        )
    with closing(sqlite3.connect(f"{store.folder}/interlock.db")) as base, base:
        for number, after in enumerate([-100.0, *judged], 1):
            moved = (iso(start + after), number)
            base.execute("UPDATE guardrail_audit_log SET timestamp = ? WHERE id = ?", moved)
    gap = Gap(start - 10, start + 130, "gemini-cli")
    found = calls(store, [gap], lambda given: told(store, given))
    assert [one.id for one in found] == shown
