"""Codex as a row: where its hooks are written, and its words.

Measured with 0.169.0: ``ask`` is an error of the hook and lets the call run, and so does a bare
``allow``. ``exec_command`` comes as ``Bash`` with its working folder as ``cwd``, while the hook
itself runs in the session's folder; what ``write_stdin`` types into a running command later is told
to no hook. A hook that was not trusted is not run, and nothing says so (``interlock doctor codex``
does).
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

NAME = "codex"

SETTINGS = Settings(
    folder=".codex",
    variable="CODEX_HOME",
    file="hooks.json",
    files=("hooks.json", "config.toml"),
    key="hooks",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PermissionRequest", "*", note=True),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=60,
    block=(),
    switches=(("features.hooks", False), ("features.codex_hooks", False)),
    package="@openai/codex",
    program="codex",
    oldest=(0, 169, 0),
    trusting=("app-server",),
    servers=(
        ServerFile("config.toml", ("mcp_servers",)),
        ServerFile(".codex/config.toml", ("mcp_servers",), project=True),
    ),
)

DIALECT = Dialect(
    agent=NAME,
    asks="never",
    kinds={
        "PreToolUse": CHECK,
        "PermissionRequest": PERMISSION,
        "PostToolUse": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(
            "SessionEnd Stop SubagentStart SubagentStop PreCompact PostCompact Interrupt".split(),
            OTHER,
        ),
    },
    tools={
        "Bash": tools.SHELL,
        "apply_patch": tools.EDIT,
        "view_image": tools.READ,
        "web_search": tools.SEARCH,
        "spawn_agent": tools.TASK,
    },
    project="PWD",
    typed=True,
    approving=("default", "acceptEdits"),
)

asks, asks_first = DIALECT.asks, DIALECT.first
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
