"""Claude Code as a row: where its hooks are written, and its words.

Measured with 2.1.329: ``ask`` opens the client's prompt and is a denial with the reason in ``-p``;
``additionalContext`` without a decision reaches the model; a guard that fails lets the call run but
for ``onFailure``. ``CLAUDE_PROJECT_DIR`` stays the same for the session.
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

NAME = "claude-code"

SETTINGS = Settings(
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
    file="settings.json",
    files=("settings.json", "settings.local.json"),
    key="hooks",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("PostToolUseFailure", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=60,
    block=(("onFailure", "block"),),
    switches=(("disableAllHooks", True), ("allowManagedHooksOnly", True)),
    package="@anthropic-ai/claude-code",
    program="claude",
    oldest=(2, 1, 295),
    servers=(
        ServerFile("~/.claude.json", ("mcpServers",)),
        ServerFile("~/.claude.json", ("projects", "{project}", "mcpServers")),
        ServerFile(".mcp.json", ("mcpServers",), project=True),
    ),
)

DIALECT = Dialect(
    agent=NAME,
    asks="native",
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(
            (
                "SessionEnd Stop SubagentStart SubagentStop Notification PreCompact"
                " PermissionRequest"
            ).split(),
            OTHER,
        ),
    },
    tools={
        "Bash": tools.SHELL,
        "Read": tools.READ,
        "Write": tools.WRITE,
        "Edit": tools.EDIT,
        "MultiEdit": tools.EDIT,
        "NotebookEdit": tools.EDIT,
        "Glob": tools.GLOB,
        "Grep": tools.GREP,
        "WebFetch": tools.FETCH,
        "WebSearch": tools.SEARCH,
        "Task": tools.TASK,
        "Agent": tools.TASK,
    },
    failed=("PostToolUseFailure",),
    project="CLAUDE_PROJECT_DIR",
    unattended=("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"),
    env_file="CLAUDE_ENV_FILE",
    approving=("default", "acceptEdits"),
)

asks, asks_first, tool_of = DIALECT.asks, DIALECT.first, DIALECT.tool_of
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
