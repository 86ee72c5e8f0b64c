"""GitHub Copilot CLI as a row: where its hooks are written, and its words.

Measured with 1.0.102: event names in Claude Code's spelling (``PreToolUse``) bring Claude Code's
payloads and names of tools, whole folders of files are read for hooks, so ours is a file of its
own. ``ask`` opens the client's prompt and is a denial with the reason where nobody sits there, also
under ``--yolo``. Answers are read at the top; with exit 2 the reason is lost beside a
``hookSpecificOutput``. Calls have no number. The name of an MCP tool is ``server-tool``. Prompts
that the client writes itself, such as that a command in the background has ended, are marked
``<system_notification>``; the model's own words stand in them.
"""

from __future__ import annotations

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import (
    CHECK,
    OTHER,
    OUTCOME,
    PROMPT,
    SESSION,
    HookedEvent,
    ServerFile,
    Settings,
)
from interlock.model import call as tools

NAME = "copilot"

SETTINGS = Settings(
    folder=".copilot",
    variable="COPILOT_HOME",
    file="hooks/interlock.json",
    files=tuple(
        (
            "hooks/interlock.json settings.json config.json copilot/settings.json"
            " copilot/settings.local.json"
        ).split()
    ),
    key="hooks",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("PostToolUseFailure", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=60,
    block=(),
    switches=(("disableAllHooks", True),),
    package="@github/copilot",
    program="copilot",
    oldest=(1, 0, 102),
    project=".github",
    servers=(
        ServerFile("mcp-config.json", ("mcpServers",)),
        ServerFile(".mcp.json", ("mcpServers",), project=True),
        ServerFile(".github/mcp.json", ("mcpServers",), project=True),
    ),
    commented=True,
)

DIALECT = Dialect(
    agent="copilot-cli",
    asks="native",
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(
            (
                "SessionEnd Stop SubagentStart SubagentStop Notification PreCompact ErrorOccurred"
            ).split(),
            OTHER,
        ),
    },
    tools={
        "Bash": tools.SHELL,
        "Read": tools.READ,
        "Write": tools.WRITE,
        "Edit": tools.EDIT,
        "Glob": tools.GLOB,
        "Grep": tools.GREP,
        "WebFetch": tools.FETCH,
        "web_fetch": tools.FETCH,
        "web_search": tools.SEARCH,
        "Agent": tools.TASK,
        # the session's own: its notes, its past, its shells and sub-agents
        **dict.fromkeys(
            (
                "sql session_store_sql skill read_bash list_bash stop_bash read_agent list_agents"
                " write_agent"
            ).split(),
            tools.TASK,
        ),
    },
    joint="-",
    failed=("PostToolUseFailure",),
    project="COPILOT_PROJECT_DIR",
    own=("<system_notification>",),
    transcript=("COPILOT_HOME", ".copilot", "session-state/{session}/events.jsonl"),
    flat=True,
    approving=("",),
)

asks, asks_first = DIALECT.asks, DIALECT.first
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
