"""Qwen Code: its hook events read into ours, our decisions said in its words.

Measured with 0.24.4: ``ask`` is a denial with the reason where nobody sits there; exit 2 without words lets the call run, so a refusal is
JSON on stdout, the reason on stderr and exit 2 together. ``additionalContext`` before a call is lost: what a warning says reaches the user,
not the model. The event of a prompt comes twice, the second time without words.
"""

from __future__ import annotations

from interlock.integrations import dialect
from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import CHECK, OTHER, OUTCOME, PROMPT, SESSION, Event, Hooked, Reply, Settings, reason, standing
from interlock.model import call as tools
from interlock.model.action import THROTTLE, VERDICT_ALLOW, VERDICT_ASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.decision import Decision

NAME = "qwen"
asks = "native"
CARRIES = frozenset({"notify"})
"""Obligations that need nothing of this client."""

SETTINGS = Settings(
    folder=".qwen",
    variable="QWEN_HOME",
    file="settings.json",
    files=("settings.json",),
    key="hooks",
    events=(
        Hooked("PreToolUse", "*"),
        Hooked("PostToolUse", "*", note=True),
        Hooked("PostToolUseFailure", "*", note=True),
        Hooked("UserPromptSubmit", note=True),
        Hooked("SessionStart", note=True),
    ),
    timeout=60_000,
    block=(),
    switches=(("disableAllHooks", True),),
    package="@qwen-code/qwen-code",
    program="qwen",
    oldest=(0, 24, 4),
    shell_tool="run_shell_command",
)

DIALECT = Dialect(
    agent="qwen-code",
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(("SessionEnd", "Stop", "SubagentStart", "SubagentStop", "Notification", "PreCompact", "PostToolBatch"), OTHER),
    },
    tools={
        "run_shell_command": tools.SHELL,
        "read_file": tools.READ,
        "read_many_files": tools.READ,
        "write_file": tools.WRITE,
        "edit": tools.EDIT,
        "replace": tools.EDIT,
        "list_directory": tools.GLOB,
        "glob": tools.GLOB,
        "grep_search": tools.GREP,
        "search_file_content": tools.GREP,
        "web_fetch": tools.FETCH,
        "web_search": tools.SEARCH,
        "agent": tools.TASK,
        "task": tools.TASK,
    },
    failed=("PostToolUseFailure",),
    moving=("directory", "dir_path"),
)

tool_of = DIALECT.tool_of
greet = dialect.greet
on_error = dialect.on_error


def read(payload: object, variables: Mapping[str, str], platform: str = "linux") -> Event:
    """Turn a hook payload into an event; of the hook's environment only ``HOME`` is read. Raises ``UnreadableError``."""
    return dialect.read(payload, variables, platform, DIALECT)


def write(decision: Decision, event: Event) -> Reply:
    """Say a decision: nothing for an allow, words for the user for a warning, the client's own prompt for an ask, a refusal for a deny."""
    verdict = standing(decision, CARRIES)
    if verdict == VERDICT_ALLOW:
        warned = decision.warned and not decision.observed
        return Reply(dialect.line({"systemMessage": reason(decision, event, dialect.WARNED)})) if warned else Reply()
    if verdict == VERDICT_ASK:
        return dialect.decided("ask", reason(decision, event, dialect.ASKED))
    return dialect.decided("deny", reason(decision, event, dialect.THROTTLED if decision.action == THROTTLE else dialect.DENIED))
