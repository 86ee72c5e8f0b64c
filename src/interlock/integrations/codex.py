"""Codex: its hook events read into ours, our decisions said in its words.

Measured with 0.169.0: ``ask`` is an error of the hook and lets the call run, and so does a bare ``allow``; so an allow is silence, and
whatever is not allowed is refused, by JSON on stdout, the reason on stderr and exit 2 together. ``exec_command`` comes as ``Bash``
with its working folder as ``cwd``; a hook that was not trusted is not run, and nothing says so (``interlock doctor codex`` does).
"""

from __future__ import annotations

from interlock.integrations import dialect
from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import CHECK, OTHER, OUTCOME, PROMPT, SESSION, Event, Hooked, Reply, Settings, reason, standing
from interlock.model import call as tools
from interlock.model.action import THROTTLE, VERDICT_ALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.decision import Decision

NAME = "codex"
asks = "never"
CARRIES = frozenset({"notify"})
"""Obligations that need nothing of this client."""

SETTINGS = Settings(
    folder=".codex",
    variable="CODEX_HOME",
    file="hooks.json",
    files=("hooks.json", "config.toml"),
    key="hooks",
    events=(
        Hooked("PreToolUse", "*"),
        Hooked("PostToolUse", "*", note=True),
        Hooked("UserPromptSubmit", note=True),
        Hooked("SessionStart", note=True),
    ),
    timeout=60,
    block=(),
    switches=(("features.hooks", False), ("features.codex_hooks", False)),
    package="@openai/codex",
    program="codex",
    oldest=(0, 169, 0),
    trusting=("app-server",),
)

DIALECT = Dialect(
    agent=NAME,
    kinds={
        "PreToolUse": CHECK,
        "PostToolUse": OUTCOME,
        "UserPromptSubmit": PROMPT,
        "SessionStart": SESSION,
        **dict.fromkeys(("SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Interrupt"), OTHER),
    },
    tools={
        "Bash": tools.SHELL,
        "apply_patch": tools.EDIT,
        "view_image": tools.READ,
        "web_search": tools.SEARCH,
        "spawn_agent": tools.TASK,
    },
)

tool_of = DIALECT.tool_of
greet = dialect.greet
on_error = dialect.on_error


def read(payload: object, variables: Mapping[str, str], platform: str = "linux") -> Event:
    """Turn a hook payload into an event; of the hook's environment only ``HOME`` is read. Raises ``UnreadableError``."""
    return dialect.read(payload, variables, platform, DIALECT)


def write(decision: Decision, event: Event) -> Reply:
    """Say a decision: nothing for an allow, context for a warning, a refusal for everything else, for this client cannot ask."""
    if standing(decision, CARRIES) != VERDICT_ALLOW:
        return dialect.decided("deny", reason(decision, event, dialect.THROTTLED if decision.action == THROTTLE else dialect.DENIED))
    if decision.warned and not decision.observed:
        return dialect.context(event.name, reason(decision, event, dialect.WARNED))
    return Reply()
