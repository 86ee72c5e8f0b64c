"""What a client sends, and what is answered, in the words of both."""

from __future__ import annotations

import json

ALLOW, ASK, DENY = "allow", "ask", "deny"


def payload(command: object = "ls", **more: object) -> dict[str, object]:
    """Return a call of the shell tool as the client sends it."""
    base = {
        "session_id": "hostile",
        "cwd": "/tmp/x",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t",
    }
    return {**base, "tool_input": {"command": command}, **more}


def verdict_of(out: str, err: str, code: int) -> str:
    """Read an answer as the client does; fails on what is none of its protocol."""
    assert "Traceback" not in err + out
    assert out == "" or (out.endswith("\n") and out.count("\n") == 1)
    whole = json.loads(out) if out else {}
    said = whole.get("hookSpecificOutput", whole)
    word = said.get("permissionDecision", ALLOW)
    assert word in (ALLOW, ASK, DENY)
    assert said.get("hookEventName", "PreToolUse") == "PreToolUse"
    assert code == (2 if word == DENY else 0)
    assert (word == ALLOW) is not bool(said.get("permissionDecisionReason", "").strip())
    assert bool(err.strip()) is (word == DENY)
    return str(word)
