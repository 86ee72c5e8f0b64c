"""Pi as a row: where its extension is put, and its words. The extension (``plugins/pi.js``) tells
of events as Claude Code's hooks do.

Measured with 0.87.1: an extension that throws before a call blocks it, one that cannot be loaded
ends Pi, one that is missing lets everything run. Pi asks nobody about a call by itself; the
extension does, in Pi's terminal. It has neither sub-agents nor MCP servers of its own; the calls of
tools that extensions bring come like any other. From 0.99 on Pi has MCP servers and a mode in which
scripts call tools, whose calls come with ``mcp__server__tool`` and their own names (its
documentation).
"""

from __future__ import annotations

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import (
    CHECK,
    EXCLUDED,
    OUTCOME,
    PROMPT,
    SESSION,
    HookedEvent,
    Plugin,
    Settings,
)
from interlock.model import call as tools

NAME = "pi"

SETTINGS = Settings(
    folder=".pi/agent",
    variable="PI_CODING_AGENT_DIR",
    project=".pi",
    file="settings.json",
    files=("settings.json",),
    key="extensions",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("PostToolUseFailure", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=25_000,
    block=(),
    switches=(("extensions", EXCLUDED),),
    package="@earendil-works/pi-coding-agent",
    program="pi",
    oldest=(0, 74, 2),
    shell_tool="bash",
    plugin=Plugin("extensions/interlock.js", "pi.js"),
)

DIALECT = Dialect(
    agent=NAME,
    asks="never",
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
    },
    tools={
        "bash": tools.SHELL,
        "powershell": tools.SHELL,
        "read": tools.READ,
        "write": tools.WRITE,
        "edit": tools.EDIT,
        "find": tools.GLOB,
        "ls": tools.GLOB,
        "grep": tools.GREP,
        # what their scripts and finds call comes by itself
        **dict.fromkeys(("codemode", "tool_search"), tools.TASK),
    },
    failed=("PostToolUseFailure",),
    attended="attended",
)

asks, asks_first, tool_of = DIALECT.asks, DIALECT.first, DIALECT.tool_of
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
