"""Claude Code: its hook events read into ours, our decisions said in its words.

Measured with 2.1.329: a deny is JSON on stdout, the reason on stderr and exit 2 together, because each of them alone is lost
somewhere; an allow is silence, because an explicit one would skip the user's own permission prompts; ``ask`` opens the
client's prompt and is a denial with the reason in ``-p``; ``additionalContext`` without a decision reaches the model.
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

NAME = "claude-code"
asks = "native"
CARRIES = frozenset({"notify"})
"""Obligations that need nothing of this client."""

SETTINGS = Settings(
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
    file="settings.json",
    files=("settings.json", "settings.local.json"),
    key="hooks",
    events=(
        Hooked("PreToolUse", "*"),
        Hooked("PostToolUse", "*", note=True),
        Hooked("PostToolUseFailure", "*", note=True),
        Hooked("UserPromptSubmit", note=True),
        Hooked("SessionStart", note=True),
    ),
    timeout=60,
    block=(("onFailure", "block"),),
    switches=(("disableAllHooks", True), ("allowManagedHooksOnly", True)),
    package="@anthropic-ai/claude-code",
    program="claude",
    oldest=(2, 1, 295),
)

DIALECT = Dialect(
    agent=NAME,
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "PostToolUseFailure": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(("SessionEnd", "Stop", "SubagentStart", "SubagentStop", "Notification", "PreCompact"), OTHER),
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
)

tool_of = DIALECT.tool_of
greet = dialect.greet
on_error = dialect.on_error


def read(payload: object, variables: Mapping[str, str], platform: str = "linux") -> Event:
    """Turn a hook payload into an event.

    ``variables``: the hook's environment; of it only ``CLAUDE_PROJECT_DIR`` (the client's project folder, which stays the
    same for the session), ``HOME`` and whether the client runs without a person are read. Raises ``UnreadableError``.
    """
    event = dialect.read(payload, variables, platform, DIALECT)
    if event.call is None or variables.get("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli":
        return event
    call = event.call.replace(headless=True)
    return event.replace(call=call, outcome=event.outcome.replace(call=call) if event.outcome is not None else None)


def write(decision: Decision, event: Event) -> Reply:
    """Say a decision: nothing for an allow, context for a warning, the client's own prompt for an ask, a refusal for a deny."""
    verdict = standing(decision, CARRIES)
    if verdict == VERDICT_ALLOW:
        if decision.warned and not decision.observed:
            return dialect.context(event.name, reason(decision, event, dialect.WARNED))
        return Reply()
    if verdict == VERDICT_ASK:
        return dialect.decided("ask", reason(decision, event, dialect.ASKED))
    return dialect.decided("deny", reason(decision, event, dialect.THROTTLED if decision.action == THROTTLE else dialect.DENIED))
