"""Qwen Code as a row: where its hooks are written, and its words.

Measured with 0.24.4: ``ask`` is a denial with the reason where nobody sits there; exit 2 without
words lets the call run. ``additionalContext`` before a call is lost: what a warning says reaches
the user, not the model. A tool that was looked up (``tool_call``) comes under its own name. The
event of a prompt comes again after every call, without words. The client asks its user before the
hook judges the call, and an ``allow`` of that hook comes too late: its ``PermissionRequest`` is
answered.
"""

from __future__ import annotations

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import (
    CHECK,
    OTHER,
    OUTCOME,
    PERMISSION,
    PROMPT,
    SESSION,
    HookedEvent,
    ServerFile,
    Settings,
)
from interlock.model import call as tools

NAME = "qwen"

SETTINGS = Settings(
    folder=".qwen",
    variable="QWEN_HOME",
    file="settings.json",
    files=("settings.json",),
    key="hooks",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PermissionRequest", "*", note=True),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("PostToolUseFailure", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=60_000,
    block=(),
    switches=(("disableAllHooks", True),),
    package="@qwen-code/qwen-code",
    program="qwen",
    oldest=(0, 24, 4),
    shell_tool="run_shell_command",
    servers=(
        ServerFile("settings.json", ("mcpServers",)),
        ServerFile(".qwen/settings.json", ("mcpServers",), project=True),
        ServerFile(".mcp.json", ("mcpServers",), project=True),
    ),
)

DIALECT = Dialect(
    agent="qwen-code",
    asks="native",
    kinds={
        "PreToolUse": CHECK,
        "PermissionRequest": PERMISSION,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(
            (
                "SessionEnd Stop SubagentStart SubagentStop Notification PreCompact PostToolBatch"
            ).split(),
            OTHER,
        ),
    },
    tools={
        "run_shell_command": tools.SHELL,
        "read_file": tools.READ,
        "read_many_files": tools.READ,
        "write_file": tools.WRITE,
        "edit": tools.EDIT,
        "notebook_edit": tools.EDIT,
        "replace": tools.EDIT,
        "list_directory": tools.GLOB,
        "glob": tools.GLOB,
        "grep_search": tools.GREP,
        "search_file_content": tools.GREP,
        "web_fetch": tools.FETCH,
        "web_search": tools.SEARCH,
        "tool_search": tools.TASK,
        "agent": tools.TASK,
        "task": tools.TASK,
    },
    failed=("PostToolUseFailure",),
    project="QWEN_PROJECT_DIR",
    moving=("directory", "dir_path"),
    context=False,
    approving=("default", "auto-edit", "auto"),
    first=True,
)

asks, asks_first = DIALECT.asks, DIALECT.first
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
