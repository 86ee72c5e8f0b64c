"""Whatever a client sends is answered, and never by an allow that is an accident."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.cli import build
from interlock.cli import hook as hook_command
from interlock.integrations import claude_code
from interlock.store.database import Store
from tests.hostile import DENY, payload, verdict_of

if TYPE_CHECKING:
    from interlock.integrations.protocol import Reply


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["rm -rf /", "/etc/passwd", "~/.ssh/id_rsa"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=10,
)
TOOLS = st.sampled_from(
    [
        "Bash",
        "Read",
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Glob",
        "Grep",
        "WebFetch",
        "WebSearch",
        "Task",
        "mcp__a__b",
        "New",
        "",
    ]
)
INPUTS = st.dictionaries(
    st.sampled_from(
        ["command", "file_path", "path", "url", "content", "edits", "pattern", "prompt", "query"]
    ),
    ANYTHING,
    max_size=3,
)
CALLS = st.fixed_dictionaries(
    {
        "hook_event_name": st.just("PreToolUse"),
        "tool_name": TOOLS | ANYTHING,
        "tool_input": INPUTS | ANYTHING,
    },
    optional={
        "cwd": ANYTHING | st.just("/home/dev/project"),
        "session_id": ANYTHING,
        "tool_use_id": ANYTHING,
        "agent_id": ANYTHING,
    },
)


def answered(raw: bytes, home: str) -> Reply:
    """Answer bytes in this process, and close the stores that the end of a hook's process would
    close.
    """
    opened: list[Store] = []

    def opening(folder: str) -> Store:
        opened.append(Store(folder))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "Store", opening)
        reply = hook_command.answer(
            claude_code, lambda: raw, {"HOME": home, "CLAUDE_PROJECT_DIR": "/home/dev/project"}
        )
    for store in opened:
        store.close()
    return reply


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(CALLS | ANYTHING)
def test_any_call_has_an_answer(tmp_path: Path, given_payload: Any) -> None:
    """Any payload gets an answer of the protocol, and what is not a whole call is never allowed."""
    reply = answered(json.dumps(given_payload).encode("utf-8", "surrogatepass"), str(tmp_path))
    verdict = verdict_of(reply.stdout, reply.stderr, reply.exit_code)
    whole = (
        isinstance(given_payload, dict)
        and isinstance(given_payload.get("tool_name"), str)
        and isinstance(given_payload.get("tool_input"), dict)
    )
    assert whole or verdict == DENY


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=80), st.integers(0, 300), st.integers(0, 300))
def test_any_bytes_in_a_dangerous_call_never_allow_it(
    tmp_path: Path, noise: bytes, start: int, length: int
) -> None:
    """A dangerous call with any part of its bytes overwritten by noise is refused unless it became
    another call.
    """
    raw = json.dumps(payload("rm -rf / --no-preserve-root")).encode()
    mixed = raw[:start] + noise + raw[start + length :]
    reply = answered(mixed, str(tmp_path))
    verdict = verdict_of(reply.stdout, reply.stderr, reply.exit_code)
    if b'"command": "rm -rf / --no-preserve-root"' in mixed and b'"Bash"' in mixed:
        assert verdict == DENY


@pytest.mark.parametrize(
    "failure",
    [
        RecursionError("deep"),
        MemoryError(),
        OSError(5, "no disk"),
        ValueError("x\ny"),
        ImportError("gone"),
        AssertionError(),
    ],
)
def test_a_failure_inside_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: Exception
) -> None:
    """Whatever the parts raise, a call is refused, and a note goes by with a word."""

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("interlock.cli.build.guard", fail)
    reply = answered(json.dumps(payload()).encode(), str(tmp_path))
    assert verdict_of(reply.stdout, reply.stderr, reply.exit_code) == DENY
    prompt = json.dumps(
        {"hook_event_name": "UserPromptSubmit", "prompt": "hello", "session_id": "s"}
    ).encode()
    note = hook_command.answer(claude_code, lambda: prompt, {}, note=True)
    assert note.exit_code == 0
    assert "interlock" in json.loads(note.stdout)["systemMessage"]
