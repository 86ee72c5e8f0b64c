"""Edits of a client's settings: what leaves our entry alone is asked about, what takes it away or
switches hooks off is denied.
"""

from __future__ import annotations

import json

import pytest

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import ToolCall
from interlock.policy.builtin import builtin

HOME = "/home/user"
PATH = f"{HOME}/.claude/settings.json"
OURS = {
    "matcher": "*",
    "hooks": [{"type": "command", "command": "/x/python -I -S /x/interlock/hook.py claude-code"}],
}
OWN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./notify.sh"}]}
BEFORE = {
    "model": "a",
    "permissions": {"allow": ["Bash(ls)"], "defaultMode": "default"},
    "hooks": {"PreToolUse": [OURS]},
}


def verdict(tool: str, given: dict[str, str], before: object = BEFORE) -> str:
    """Return the answer to an edit of settings that hold ``before``."""
    texts = {PATH: json.dumps(before)} if before is not None else {}
    call = ToolCall(
        tool, tool.title(), {"file_path": PATH, **given}, f"{HOME}/project", (f"{HOME}/project",)
    )
    return str(
        decide(call, read(call, Recorded(home=HOME, texts=texts)), builtin(), "test").verdict
    )


ASKED = {
    "a hook of one's own": {**BEFORE, "hooks": {"PreToolUse": [OURS, OWN], "Stop": [OWN]}},
    "a permission": {
        **BEFORE,
        "permissions": {"allow": ["Bash(ls)", "Bash(make)"], "defaultMode": "default"},
    },
    "another model": {**BEFORE, "model": "b"},
}
DENIED = {
    "our hook gone": {**BEFORE, "hooks": {"PreToolUse": [OWN]}},
    "no hooks": {"model": "a"},
    "all hooks switched off": {**BEFORE, "disableAllHooks": True},
    "our hook changed": {**BEFORE, "hooks": {"PreToolUse": [{**OURS, "matcher": "Read"}]}},
    "our hook for another event": {**BEFORE, "hooks": {"Stop": [OURS]}},
    "nobody is asked any more": {**BEFORE, "permissions": {"defaultMode": "bypassPermissions"}},
    "other variables": {**BEFORE, "env": {"X": "1"}},
    "another helper": {**BEFORE, "apiKeyHelper": "./x.sh"},
}


@pytest.mark.parametrize("name", ASKED)
def test_what_leaves_the_guard_alone_is_asked_about(name: str) -> None:
    """Written as a whole, or edited."""
    assert verdict("write", {"content": json.dumps(ASKED[name])}) == "ask"
    assert (
        verdict("edit", {"old_string": json.dumps(BEFORE), "new_string": json.dumps(ASKED[name])})
        == "ask"
    )


@pytest.mark.parametrize("name", DENIED)
def test_what_takes_the_guard_away_is_denied(name: str) -> None:
    """Written as a whole, or edited."""
    assert verdict("write", {"content": json.dumps(DENIED[name])}) == "deny"
    assert (
        verdict("edit", {"old_string": json.dumps(BEFORE), "new_string": json.dumps(DENIED[name])})
        == "deny"
    )


def test_what_nobody_can_compare_is_denied() -> None:
    """Text that is no settings, and a whole file over one that nobody knows."""
    assert verdict("write", {"content": "{"}) == "deny"
    assert verdict("write", {"content": "{}"}, None) == "deny"
    assert verdict("edit", {"old_string": "interlock", "new_string": "x"}, None) == "deny"
    assert (
        verdict("edit", {"old_string": '"a"', "new_string": '"disableAllHooks": true'}, None)
        == "deny"
    )
    assert verdict("edit", {"old_string": '"Stop": []', "new_string": '"Stop": [1]'}, None) == "ask"
