"""Gemini CLI: its hook events read into ours, our decisions said in its words.

Measured with 0.61.0: an undocumented ``ask`` hangs for ever where nobody sits there, and the payload does not say whether somebody does; so
whatever is not allowed is refused, by ``decision`` on stdout, the reason on stderr and exit 2 together. Exit 2 without words lets the call
run. Calls have no number, and nothing tells a sub-agent's from others. What a warning says reaches the user, not the model.
"""

from __future__ import annotations

from interlock.integrations import dialect
from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import ANY, CHECK, OTHER, OUTCOME, PROMPT, SESSION, Event, Hooked, Reply, Settings, reason, standing
from interlock.model import call as tools
from interlock.model.action import THROTTLE, VERDICT_ALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.decision import Decision

NAME = "gemini"
asks = "never"
CARRIES = frozenset({"notify"})
"""Obligations that need nothing of this client."""

SETTINGS = Settings(
    folder=".gemini",
    variable="",
    file="settings.json",
    files=("settings.json",),
    key="hooks",
    events=(
        Hooked("BeforeTool", "*"),
        Hooked("AfterTool", "*", note=True),
        Hooked("BeforeAgent", note=True),
        Hooked("SessionStart", note=True),
    ),
    timeout=60_000,
    block=(),
    switches=(("hooksConfig.enabled", False), ("hooksConfig.disabled", ANY)),
    package="@google/gemini-cli",
    program="gemini",
    oldest=(0, 61, 0),
    shell_tool="run_shell_command",
)

DIALECT = Dialect(
    agent="gemini-cli",
    kinds={
        "BeforeTool": CHECK,
        "AfterTool": OUTCOME,
        "BeforeAgent": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(("AfterAgent", "SessionEnd", "Notification", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection"), OTHER),
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
    moving=("dir_path", "directory"),
)

tool_of = DIALECT.tool_of
greet = dialect.greet


def read(payload: object, variables: Mapping[str, str], platform: str = "linux") -> Event:
    """Turn a hook payload into an event; of the hook's environment only ``HOME`` is read. Raises ``UnreadableError``.

    The name of an MCP tool is made of its server's and its own (``mcp__db__query``), which only ``mcp_context`` keeps apart.
    """
    if isinstance(payload, dict):
        origin = payload.get("mcp_context")
        if isinstance(origin, dict):
            server, tool = dialect.text(origin, "server_name", needed=True), dialect.text(origin, "tool_name", needed=True)
            payload = {**payload, "tool_name": f"mcp__{server}__{tool}"}
    return dialect.read(payload, variables, platform, DIALECT)


def write(decision: Decision, event: Event) -> Reply:
    """Say a decision: nothing for an allow, words for the user for a warning, a refusal for everything else."""
    if standing(decision, CARRIES) != VERDICT_ALLOW:
        return _refusal(reason(decision, event, dialect.THROTTLED if decision.action == THROTTLE else dialect.DENIED))
    if decision.warned and not decision.observed:
        return Reply(dialect.line({"systemMessage": reason(decision, event, dialect.WARNED)}))
    return Reply()


def on_error(message: str, kind: str = CHECK) -> Reply:
    """Refuse a check; for everything else tell the user, and let the session go on."""
    return _refusal(dialect.failure(message)) if kind == CHECK else dialect.on_error(message, kind)


def _refusal(why: str) -> Reply:
    return Reply(dialect.line({"decision": "deny", "reason": why}), why + "\n", 2)
