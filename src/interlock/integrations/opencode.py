"""OpenCode as a row: where its plugin is put, and its words. The plugin (``plugins/opencode.js``)
tells of events as Claude Code's hooks do.

Measured with 1.18.33: a plugin that throws before a call blocks it, and the model reads why; one
that hangs holds the call for as long as it hangs; one that is missing, or throws while it is
loaded, lets everything run, silently. Its ``config`` hook changes the settings before they count,
so a line in ``permission`` denies every tool where the plugin is not there to lift it, also under
``--pure`` and ``--auto``. A sub-agent's call bears the sub-agent's session; the plugin finds the
person's. An MCP tool is called ``server_tool``.
"""

from __future__ import annotations

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import (
    CHECK,
    OUTCOME,
    PROMPT,
    SESSION,
    HookedEvent,
    Plugin,
    ServerFile,
    Settings,
)
from interlock.model import call as tools

NAME = "opencode"

SETTINGS = Settings(
    folder=".config/opencode",
    variable="XDG_CONFIG_HOME",
    below="opencode",
    project=".opencode",
    file="opencode.json",
    files=("opencode.json", "config.json"),
    key="permission",
    events=(
        HookedEvent("PreToolUse", "*"),
        HookedEvent("PostToolUse", "*", note=True),
        HookedEvent("PostToolUseFailure", "*", note=True),
        HookedEvent("UserPromptSubmit", note=True),
        HookedEvent("SessionStart", note=True),
    ),
    timeout=25_000,
    block=(),
    switches=(),
    package="opencode-ai",
    program="opencode",
    oldest=(1, 18, 33),
    shell_tool="bash",
    plugin=Plugin("plugin/interlock.js", "opencode.js", line=("permission", "**", "deny")),
    servers=(
        ServerFile("opencode.json", ("mcp",)),
        ServerFile("config.json", ("mcp",)),
        ServerFile("opencode.json", ("mcp",), project=True),
        ServerFile(".opencode/opencode.json", ("mcp",), project=True),
    ),
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
        "read": tools.READ,
        "write": tools.WRITE,
        "edit": tools.EDIT,
        "multiedit": tools.EDIT,
        "apply_patch": tools.EDIT,
        "list": tools.GLOB,
        "glob": tools.GLOB,
        "grep": tools.GREP,
        "webfetch": tools.FETCH,
        "websearch": tools.SEARCH,
        "codesearch": tools.SEARCH,
        "task": tools.TASK,
        # the session's own: its notes, its plans, its skills, what its servers offer
        **dict.fromkeys(
            (
                "todowrite todoread plan_enter plan_exit list_mcp_resources"
                " list_mcp_resource_templates"
            ).split(),
            tools.TASK,
        ),
    },
    joint="_",
    failed=("PostToolUseFailure",),
    moving=("workdir",),
    approving=("",),
    transcript=("XDG_DATA_HOME", ".local/share", "opencode/opencode.db"),
)

asks, asks_first, tool_of = DIALECT.asks, DIALECT.first, DIALECT.tool_of
read, write, permit, greet, on_error = (
    DIALECT.read,
    DIALECT.write,
    DIALECT.permit,
    DIALECT.greet,
    DIALECT.on_error,
)
