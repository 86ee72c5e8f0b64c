"""What every client says and hears: recorded payloads with golden answers, and the laws of every answer, for each client of the table.

Claude Code's golden files and the shapes of its answers have a file of their own (``test_claude_code.py``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.protocol import CHECK, KINDS, OUTCOME, SESSION, Event, Reply, UnreadableError, standing
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY, Verdict
from interlock.model.call import TOOLS
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision
from tests.integrations.test_claude_code import ANYTHING, DECISIONS, EVENTS, KEYS, TEXT, shown

HERE = Path(__file__).parent
CASES = sorted(
    (folder.name, path.name.removesuffix(".in.json")) for folder in HERE.iterdir() if folder.name in CLIENTS for path in folder.glob("*.in.json")
)
NAMES = st.sampled_from(sorted(CLIENTS))


def answered(client: str, case: dict[str, Any]) -> dict[str, Any]:
    """Read a case's payload and, where it holds a decision, answer it; errors are answered too."""
    adapter = adapter_of(client)
    try:
        event = adapter.read(case["payload"], case["variables"], "linux")
    except UnreadableError as error:
        return {"error": str(error), "reply": shown(adapter.on_error(str(error)))}
    reply = Reply()
    if case["decision"] is not None:
        reply = adapter.write(decode(Decision, case["decision"]), event)
    elif event.kind == SESSION:
        reply = adapter.greet(event)
    return {"event": encode(event), "reply": shown(reply)}


@pytest.mark.parametrize(("client", "name"), CASES)
def test_golden(client: str, name: str) -> None:
    """A recorded payload is read and answered as the golden file says. Rewrite them with: python -m tests.integrations.test_clients."""
    case = json.loads((HERE / client / f"{name}.in.json").read_text())
    assert answered(client, case) == json.loads((HERE / client / f"{name}.out.json").read_text())


def meant(client: str, reply: Reply) -> Verdict:
    """Read a reply as the client does; fails on what is not an answer of its protocol."""
    said = json.loads(reply.stdout) if reply.stdout else {}
    assert reply.stdout.isascii()
    own = said.get("hookSpecificOutput", {})
    word, why = (
        (said.get("decision"), said.get("reason")) if client == "gemini" else (own.get("permissionDecision"), own.get("permissionDecisionReason"))
    )
    if reply.exit_code == 2:
        assert word == "deny"
        assert isinstance(why, str)
        assert why.strip()
        assert reply.stderr.strip()
        return VERDICT_DENY
    assert (reply.exit_code, reply.stderr) == (0, "")
    assert word is None or (word == "ask" and adapter_of(client).asks == "native")
    return VERDICT_ASK if word else VERDICT_ALLOW


@given(NAMES, DECISIONS, EVENTS)
def test_every_decision_has_its_answer(client: str, decision: Decision, event: Event) -> None:
    """The mapping is total: a client that can ask hears exactly what was decided, one that cannot hears a refusal for all that is no allow."""
    verdict = meant(client, adapter_of(client).write(decision, event))
    wanted = standing(decision, frozenset({"notify"}))
    native = adapter_of(client).asks == "native"
    assert verdict == (wanted if native or wanted == VERDICT_ALLOW else VERDICT_DENY)


@given(NAMES, TEXT | st.text(max_size=3000), st.sampled_from(KINDS))
def test_every_failure_has_its_answer(client: str, message: str, kind: str) -> None:
    """A failed check is a denial; any other failure is said to the user and blocks nobody."""
    reply = adapter_of(client).on_error(message, kind)
    assert meant(client, reply) == (VERDICT_DENY if kind == CHECK else VERDICT_ALLOW)
    assert kind == CHECK or json.loads(reply.stdout)["systemMessage"].startswith("interlock")


@given(NAMES, ANYTHING | st.dictionaries(st.sampled_from([*KEYS, "mcp_context"]), ANYTHING), st.none() | st.integers(0, 9))
def test_any_payload_is_an_event_or_unreadable(client: str, payload: Any, number: int | None) -> None:
    """No payload brings anything but an event that is whole, or ``UnreadableError`` with words."""
    adapter = adapter_of(client)
    if isinstance(payload, dict) and number is not None:
        payload["hook_event_name"] = adapter.SETTINGS.events[number % len(adapter.SETTINGS.events)].event
    try:
        event = adapter.read(payload, {}, "linux")
    except UnreadableError:
        return
    assert event.kind in KINDS
    assert (event.call is not None) is (event.kind in (CHECK, OUTCOME))
    assert event.call is None or event.call.tool in TOOLS


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_events_that_are_installed(client: str) -> None:
    """Every client has exactly one event that asks, it comes first and guards every tool, and its name is the table's."""
    adapter = adapter_of(client)
    first, *others = adapter.SETTINGS.events
    assert (first.matcher, first.note, adapter.NAME) == ("*", False, client)
    assert all(hooked.note for hooked in others)
    assert adapter.asks in ("native", "never")


@pytest.mark.parametrize(
    ("client", "name", "tool"),
    [
        ("codex", "Bash", "shell"), ("codex", "apply_patch", "edit"), ("codex", "mcp__db__query", "mcp"), ("codex", "spawn_agent", "task"),
        ("codex", "exec", "other"), ("gemini", "run_shell_command", "shell"), ("gemini", "replace", "edit"), ("gemini", "write_file", "write"),
        ("gemini", "mcp_db_query", "mcp"), ("gemini", "Bash", "other"), ("qwen", "run_shell_command", "shell"), ("qwen", "edit", "edit"),
        ("qwen", "agent", "task"), ("qwen", "mcp__db__query", "mcp"), ("qwen", "mcp_db", "other"),
    ],
)  # fmt: skip
def test_tools(client: str, name: str, tool: str) -> None:
    """Tools have our words; what we do not know is ``other``, never something harmless."""
    payload = {"hook_event_name": adapter_of(client).SETTINGS.events[0].event, "tool_name": name, "tool_input": {}}
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.tool == tool


@pytest.mark.parametrize(
    ("moved", "cwd"), [("", "/w/p"), ("src", "/w/p/src"), ("../other/./x", "/w/other/x"), ("/etc", "/etc"), ("../../../..", "/")]
)
@pytest.mark.parametrize(("client", "key"), [("gemini", "dir_path"), ("qwen", "directory")])
def test_a_shell_that_runs_elsewhere(client: str, key: str, moved: str, cwd: str) -> None:
    """The folder that the shell tool's input names is where the command is read; the workspace stays where the session is."""
    given = {"command": "ls", **({key: moved} if moved else {})}
    payload = {"hook_event_name": adapter_of(client).SETTINGS.events[0].event, "tool_name": "run_shell_command", "tool_input": given, "cwd": "/w/p"}
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.cwd == cwd
    assert call.roots == (("/w/p",) if moved else ())


if __name__ == "__main__":
    for one, label in CASES:
        made = answered(one, json.loads((HERE / one / f"{label}.in.json").read_text()))
        (HERE / one / f"{label}.out.json").write_text(json.dumps(made, indent=2) + "\n")
