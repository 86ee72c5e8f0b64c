"""Laws of reading what clients send."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.protocol import (
    CHECK,
    KINDS,
    OTHER,
    OUTCOME,
    PERMISSION,
    PROMPT,
    SESSION,
    UnreadableEventError,
)
from interlock.model.call import TOOLS

if TYPE_CHECKING:
    from interlock.integrations.dialect import Adapter
from tests.integrations.test_clients import CASES, HERE, NAMES, answered

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = [
    "session_id",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "agent_id",
    "prompt",
    "tool_response",
    "tool_result",
    "mcp_context",
    "error",
    "duration_ms",
]


@given(
    NAMES,
    ANYTHING | st.dictionaries(st.sampled_from(KEYS), ANYTHING),
    st.none() | st.integers(0, 9),
)
def test_any_payload_is_an_event_or_unreadable(
    client: str, payload: Any, number: int | None
) -> None:
    """No payload brings anything but an event that is whole, or ``UnreadableEventError`` with
    words.
    """
    adapter = adapter_of(client)
    if isinstance(payload, dict) and number is not None:
        payload["hook_event_name"] = adapter.SETTINGS.events[
            number % len(adapter.SETTINGS.events)
        ].event
    try:
        event = adapter.read(payload, {}, "linux")
    except UnreadableEventError:
        return
    assert event.kind in KINDS
    assert (event.call is not None) is (event.kind in (CHECK, PERMISSION, OUTCOME))
    assert event.call is None or event.call.tool in TOOLS


def _told(adapter: Adapter, event: str) -> dict[str, object]:
    """Return an event without much in it, as the client writes it."""
    made: dict[str, object] = {
        "hook_event_name": event,
        "tool_name": "x",
        "tool_input": {},
        "prompt": "do it",
    }
    return adapter.DIALECT.shape.told(made) if adapter.DIALECT.shape is not None else made


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_events_that_are_installed(client: str) -> None:
    """Every client has exactly one event that asks us, it comes first and guards every tool, and
    its name is the table's.
    """
    adapter = adapter_of(client)
    first, *others = adapter.SETTINGS.events
    assert (first.matcher, first.note, adapter.NAME) == ("*", False, client)
    assert all(hooked.note for hooked in others)
    kinds = [
        adapter.read(_told(adapter, hooked.event), {}, "linux").kind
        for hooked in adapter.SETTINGS.events
    ]
    assert kinds[0] == CHECK
    assert set(kinds[1:]) - {PERMISSION} == {OUTCOME, PROMPT, SESSION}
    assert adapter.asks in ("native", "never")


@pytest.mark.parametrize(
    ("client", "name", "tool"),
    [
        ("codex", "Bash", "shell"), ("codex", "apply_patch", "edit"), ("codex", "mcp__db__query", "mcp"), ("codex", "spawn_agent", "task"),
        ("codex", "exec", "other"), ("gemini", "run_shell_command", "shell"), ("gemini", "replace", "edit"), ("gemini", "write_file", "write"),
        ("gemini", "mcp_db_query", "mcp"), ("gemini", "Bash", "other"), ("qwen", "run_shell_command", "shell"), ("qwen", "edit", "edit"),
        ("qwen", "agent", "task"), ("qwen", "mcp__db__query", "mcp"), ("qwen", "mcp_db", "other"), ("copilot", "Bash", "shell"),
        ("copilot", "Write", "write"), ("copilot", "db-query", "mcp"), ("copilot", "write_bash", "other"), ("copilot", "bash", "other"),
        ("claude-code", "Bash", "shell"), ("claude-code", "Read", "read"), ("claude-code", "Write", "write"), ("claude-code", "Edit", "edit"),
        ("claude-code", "MultiEdit", "edit"), ("claude-code", "NotebookEdit", "edit"), ("claude-code", "Glob", "glob"),
        ("claude-code", "Grep", "grep"), ("claude-code", "WebFetch", "fetch"), ("claude-code", "WebSearch", "search"),
        ("claude-code", "Task", "task"), ("claude-code", "Agent", "task"), ("claude-code", "mcp__db__query", "mcp"),
        ("claude-code", "mcp__", "mcp"), ("claude-code", "bash", "other"), ("claude-code", "Skill", "other"), ("claude-code", "a-b", "other"),
    ],
)  # fmt: skip
def test_tools(client: str, name: str, tool: str) -> None:
    """Tools have our words; what we do not know is ``other``, never something harmless."""
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": name,
        "tool_input": {},
    }
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.tool == tool


@pytest.mark.parametrize(
    ("moved", "cwd"),
    [
        ("", "/w/p"),
        ("src", "/w/p/src"),
        ("../other/./x", "/w/other/x"),
        ("/etc", "/etc"),
        ("../../../..", "/"),
    ],
)
@pytest.mark.parametrize(("client", "key"), [("gemini", "dir_path"), ("qwen", "directory")])
def test_a_shell_that_runs_elsewhere(client: str, key: str, moved: str, cwd: str) -> None:
    """The folder that the shell tool's input names is where the command is read; the workspace
    stays where the session is.
    """
    given = {"command": "ls", **({key: moved} if moved else {})}
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": "run_shell_command",
        "tool_input": given,
        "cwd": "/w/p",
    }
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.cwd == cwd
    assert call.roots == (("/w/p",) if moved else ())


@pytest.mark.parametrize(
    ("entrypoint", "headless"), [("sdk-cli", True), ("cli", False), ("", False)]
)
def test_headless(entrypoint: str, *, headless: bool) -> None:
    """Claude Code's own word tells whether a person sits there; others have none."""
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    for client in ("claude-code", "codex"):
        call = (
            adapter_of(client).read(payload, {"CLAUDE_CODE_ENTRYPOINT": entrypoint}, "linux").call
        )
        assert call is not None
        assert call.headless is (headless and client == "claude-code")


@pytest.mark.parametrize(
    ("client", "variable"),
    [
        ("claude-code", "CLAUDE_PROJECT_DIR"), ("codex", "PWD"), ("copilot", "COPILOT_PROJECT_DIR"), ("gemini", "GEMINI_PROJECT_DIR"),
        ("qwen", "QWEN_PROJECT_DIR"),
    ],
)  # fmt: skip
def test_the_workspace_is_the_clients_project(client: str, variable: str) -> None:
    """The folder that the client calls its project is the workspace, wherever a call works; another
    client's variable tells nothing.
    """
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": "x",
        "tool_input": {},
        "cwd": "/tmp/elsewhere",
    }
    event = adapter_of(client).read(payload, {variable: "/w/p", "OTHER_PROJECT_DIR": "/"}, "linux")
    assert event.call is not None
    assert (event.roots, event.call.roots, event.call.cwd) == (
        ("/w/p",),
        ("/w/p",),
        "/tmp/elsewhere",
    )
    without = adapter_of(client).read(payload, {"OTHER_PROJECT_DIR": "/w/p"}, "linux")
    assert without.roots == ()


@pytest.mark.parametrize(
    ("client", "prompt", "more", "kind"),
    [
        ("copilot", "delete old.txt", {}, PROMPT),
        (
            "copilot",
            '<system_notification>\nShell command "delete all" has completed\n</system_notification>',
            {},
            OTHER,
        ),
        ("copilot", "delete old.txt", {"agent_id": "a"}, OTHER),
        ("qwen", "", {}, OTHER),
        ("qwen", "<system_notification> is a word of another client", {}, PROMPT),
    ],
)
def test_only_a_persons_words_are_a_prompt(
    client: str, prompt: str, more: dict[str, str], kind: str
) -> None:
    """What the client notes itself, what a model asks of a sub-agent and what has no words is no
    wish of the person.
    """
    event = adapter_of(client).read(
        {"hook_event_name": "UserPromptSubmit", "prompt": prompt, **more}, {}, "linux"
    )
    assert (event.kind, event.prompt) == (kind, prompt if kind == PROMPT else "")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (
            "<hook_context># Safety guard\nexplain the error</hook_context>\n\ndelete old.txt",
            "delete old.txt",
        ),
        (
            "<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n\ndelete old.txt",
            "delete old.txt",
        ),
        (
            "delete <hook_context>a</hook_context> old.txt",
            "delete <hook_context>a</hook_context> old.txt",
        ),
        ("<hook_context>never ends", "<hook_context>never ends"),
        ("<hook_context>a</hook_context>", ""),
    ],
)
def test_what_hooks_said_is_no_persons_wish(prompt: str, words: str) -> None:
    """Gemini CLI puts what hooks told the model, our own greeting among it, before the prompt: it
    is taken off, and nothing else.
    """
    event = adapter_of("gemini").read(
        {"hook_event_name": "BeforeAgent", "prompt": prompt}, {}, "linux"
    )
    assert (event.kind, event.prompt) == (PROMPT if words else OTHER, words)
    assert (
        adapter_of("qwen")
        .read({"hook_event_name": "UserPromptSubmit", "prompt": prompt}, {}, "linux")
        .prompt
        == prompt
    )


@pytest.mark.parametrize(
    ("session", "variables", "path"),
    [
        ("s-1", {"HOME": "/home/dev"}, "/home/dev/.copilot/session-state/s-1/events.jsonl"),
        ("s-1", {"HOME": "/home/dev", "COPILOT_HOME": "/c"}, "/c/session-state/s-1/events.jsonl"),
        ("../../etc", {"HOME": "/home/dev"}, ""),
        ("..", {"HOME": "/home/dev"}, ""),
        ("", {"HOME": "/home/dev"}, ""),
        ("s-1", {}, ""),
    ],
)
def test_a_transcript_that_no_event_names(
    session: str, variables: dict[str, str], path: str
) -> None:
    """Where Copilot keeps a session's events follows from its name; a name that leads elsewhere
    leads nowhere.
    """
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {},
        "session_id": session,
    }
    call = adapter_of("copilot").read(payload, variables, "linux").call
    assert call is not None
    assert call.transcript == path


if __name__ == "__main__":
    for one, label in CASES:
        made = answered(one, json.loads((HERE / one / f"{label}.in.json").read_text()))
        (HERE / one / f"{label}.out.json").write_text(json.dumps(made, indent=2) + "\n")
