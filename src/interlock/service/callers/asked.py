"""What is asked: a tool call as JSON, with what the caller claims and carries out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.integrations.claude_code import tool_of
from interlock.model.call import PROVING, TOOLS, ToolCall
from interlock.model.record import Record
from interlock.service.callers.claims import ABSOLUTE, CLAIMS, MOST_PATH, PATH
from interlock.service.json_shape import YES, Shape, close_shape, some, text_up_to, thing

MOST_WORD, MOST_ROOTS, MOST_CALLS = 500, 20, 100
HINTS = ("destructive", "changes", "changed", "secret")
CARRIED = ("checkpoint", "notify", "redact", "sandbox")
"""Obligations that a caller may say it carries out."""
WORD = text_up_to(MOST_WORD)
WORDS = ("agent", "agent_id", "call_id", "environment", "intent", "parent_id", "project", "scope",
         "user")  # fmt: skip
CONTEXT: Mapping[str, Shape] = {
    **dict.fromkeys(WORDS, WORD),
    "session": {**WORD, "pattern": f"^(?!{PROVING}$)"},
    "cwd": {"type": "string", "maxLength": MOST_PATH, "pattern": f"{ABSOLUTE}|^$"},
    "roots": some(PATH, maxItems=MOST_ROOTS),
    "platform": {"type": "string", "enum": ["linux", "darwin", "windows"]},
    "shell": {"type": "string", "enum": ["", "sh", "powershell", "cmd"]},
    "headless": YES,
    "typed": YES,
    "hints": some({"type": "string", "enum": list(HINTS)}, maxItems=len(HINTS)),
    "carries": some({"type": "string", "enum": list(CARRIED)}, maxItems=len(CARRIED)),
    "facts": CLAIMS,
}
"""What may be said of a call besides what it is. No path of a transcript: that would be read."""
CALL = close_shape(
    thing(
        {"name": text_up_to(MOST_WORD, minLength=1), "input": {"type": "object"}},
        {"tool": {"type": "string", "enum": list(TOOLS)}, **CONTEXT},
    )
)
CALLS = close_shape(thing({"calls": some(CALL, minItems=1, maxItems=MOST_CALLS)}))


class AskedCall(Record):
    """A call that is asked about. ``claims``: of the shape ``claims.CLAIMS``; ``carries``: the
    obligations that the caller says it carries out.
    """

    call: ToolCall
    claims: Mapping[str, Any]
    carries: frozenset[str]


def read_call(given: Mapping[str, Any]) -> AskedCall:
    """Return what an object of the shape ``CALL`` asks."""
    name = given["name"]
    words = {field: given[field] for field in (*WORDS, "session", "cwd", "shell") if field in given}
    call = ToolCall(
        given.get("tool") or find_tool(name), name, given["input"],
        roots=tuple(given.get("roots", ())), platform=given.get("platform", "linux"),
        hints=tuple(given.get("hints", ())), headless=given.get("headless", False),
        typed=given.get("typed", False), **words,
    )  # fmt: skip
    return AskedCall(call, given.get("facts", {}), frozenset(given.get("carries", ())))


def find_tool(name: str) -> str:
    """Return the kind of a tool by its name: one of ``TOOLS``, as itself or as Claude Code calls
    it, else ``mcp`` or ``other``.
    """
    return name if name in TOOLS else tool_of(name)
