"""Gemini CLI as a row: where its hooks are written, and its words.

Measured with 0.61.0: an undocumented ``ask`` hangs for ever where nobody sits there, and the
payload does not say whether somebody does. Of a refusal only ``decision`` counts, whatever the exit
code; exit 2 without words lets the call run. Calls have no number, and nothing tells a sub-agent's
from others. What hooks say at a session's start comes again before the words of the prompt, as
``<hook_context>``. What a warning says reaches the user, not the model. The name of an MCP tool is
made of its server's and its own with one underscore (``mcp_db_query``); only ``mcp_context`` keeps
them apart.
"""

from __future__ import annotations

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import (
    ANY,
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

NAME = "gemini"

SETTINGS = Settings(
    folder=".gemini",
    variable="",
    file="settings.json",
    files=("settings.json",),
    key="hooks",
    events=(
        HookedEvent("BeforeTool", "*"),
        HookedEvent("AfterTool", "*", note=True),
        HookedEvent("BeforeAgent", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=60_000,
    block=(),
    switches=(("hooksConfig.enabled", False), ("hooksConfig.disabled", ANY)),
    package="@google/gemini-cli",
    program="gemini",
    oldest=(0, 61, 0),
    shell_tool="run_shell_command",
    servers=(
        ServerFile("settings.json", ("mcpServers",)),
        ServerFile(".gemini/settings.json", ("mcpServers",), project=True),
    ),
)

DIALECT = Dialect(
    agent="gemini-cli",
    asks="never",
    kinds={
        "BeforeTool": CHECK,
        "AfterTool": OUTCOME,
        "BeforeAgent": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(
            (
                "AfterAgent SessionEnd Notification PreCompress BeforeModel AfterModel"
                " BeforeToolSelection"
            ).split(),
            OTHER,
        ),
    },
    tools={
        "run_shell_command": tools.SHELL,
        "read_file": tools.READ,
        "read_many_files": tools.READ,
        "write_file": tools.WRITE,
        "replace": tools.EDIT,
        "list_directory": tools.GLOB,
        "glob": tools.GLOB,
        "grep_search": tools.GREP,
        "search_file_content": tools.GREP,
        "web_fetch": tools.FETCH,
        "google_web_search": tools.SEARCH,
        "invoke_agent": tools.TASK,
    },
    mcp="mcp_",
    origin="mcp_context",
    project="GEMINI_PROJECT_DIR",
    given=("<hook_context>", "</hook_context>"),
    moving=("dir_path", "directory"),
    context=False,
)

asks, asks_first = DIALECT.asks, DIALECT.first
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
