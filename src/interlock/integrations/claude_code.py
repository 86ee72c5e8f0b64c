"""Claude Code: its hook events read into ours, our decisions said in its words.

Measured with 2.1.329: a deny is JSON on stdout, the reason on stderr and exit 2 together, because each of them alone is lost
somewhere; an allow is silence, because an explicit one would skip the user's own permission prompts; ``ask`` opens the
client's prompt and is a denial with the reason in ``-p``; ``additionalContext`` without a decision reaches the model.
"""

from __future__ import annotations

from interlock.guard.workspace import may_be_root
from interlock.integrations.protocol import (
    CHECK,
    OTHER,
    OUTCOME,
    PROMPT,
    SESSION,
    Event,
    Hooked,
    Reply,
    Settings,
    UnreadableError,
    clip,
    reason,
    standing,
)
from interlock.model import call as tools
from interlock.model.action import THROTTLE, VERDICT_ALLOW, VERDICT_ASK
from interlock.model.call import Outcome, ToolCall
from interlock.model.jsontext import dumps

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

_TOOLS = {
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
}
_KINDS = {
    "PreToolUse": CHECK,
    "PostToolUse": OUTCOME,
    "PostToolUseFailure": OUTCOME,
    "UserPromptSubmit": PROMPT,
    "SessionStart": SESSION,
    **dict.fromkeys(("SessionEnd", "Stop", "SubagentStart", "SubagentStop", "Notification", "PreCompact"), OTHER),
}
_EXCERPT = 4000
_DENIED = "interlock blocked this call; it did not run. Do not retry it, in this or another form, unless the user approved it."
_THROTTLED = "interlock held this call back; it did not run. Wait before you try again, and do not reach for the same end by another way."
_ASKED = "interlock asks for the user's approval of this call."
_WARNED = "interlock let this call pass, with a warning."
_GREETING = (
    "# Safety guard\n"
    "Every tool call of this session is judged by interlock before it runs. If a call is blocked, you receive an error that says why. "
    "Do not retry a blocked call, and do not reach for the same end by another way, unless the user approved it. "
    "Instead, explain to the user what you wanted to do and suggest alternatives; the error names a safer way where there is one."
)
_NO_WORKSPACE = (
    "\nThis session runs in a folder that is too wide to be a workspace (a home folder, a system folder or a shared one), "
    "so every change to a file counts as one outside the workspace."
)


def tool_of(name: str) -> str:
    """Return our word for one of the client's tools; ``other`` for what we do not know."""
    if name.startswith("mcp__"):
        return tools.MCP
    return _TOOLS.get(name, tools.OTHER)


# -- reading ---------------------------------------------------------------------------------------


def read(payload: object, variables: Mapping[str, str], platform: str = "linux") -> Event:
    """Turn a hook payload into an event.

    ``variables``: the hook's environment; of it only ``CLAUDE_PROJECT_DIR`` (the client's project folder, which stays the
    same for the session), ``HOME`` and whether the client runs without a person are read. Raises ``UnreadableError``.
    """
    if not isinstance(payload, dict):
        raise UnreadableError(f"the payload is {_kind_of(payload)}, not an object")
    name = _text(payload, "hook_event_name", needed=True)
    kind = _KINDS.get(name)
    if kind is None:
        raise UnreadableError(f"the event {clip(name, 60)!r} is unknown")
    project = variables.get("CLAUDE_PROJECT_DIR", "")
    event = Event(
        kind,
        name,
        session=_text(payload, "session_id"),
        cwd=_text(payload, "cwd"),
        roots=(project,) if project else (),
        wide=not may_be_root(project or _text(payload, "cwd"), variables.get("HOME", "")),
    )
    if kind == PROMPT and payload.get("agent_id"):
        return event.replace(kind=OTHER)  # what the model asks of a sub-agent is no wish of the person
    if kind == PROMPT:
        return event.replace(prompt=_text(payload, "prompt"))
    if kind not in (CHECK, OUTCOME):
        return event
    call = _call(payload, event, platform, headless=variables.get("CLAUDE_CODE_ENTRYPOINT") == "sdk-cli")
    return event.replace(call=call, outcome=_outcome(payload, name, call) if kind == OUTCOME else None)


def _call(payload: Mapping[str, object], event: Event, platform: str, *, headless: bool) -> ToolCall:
    name = _text(payload, "tool_name", needed=True)
    given = payload.get("tool_input", {})
    if not isinstance(given, dict):
        raise UnreadableError(f"tool_input is {_kind_of(given)}, not an object")
    return ToolCall(
        tool_of(name),
        name,
        given,
        cwd=event.cwd,
        roots=event.roots,
        platform=platform,
        session=event.session,
        agent=NAME,
        agent_id=_text(payload, "agent_id"),
        call_id=_text(payload, "tool_use_id"),
        transcript=_text(payload, "transcript_path"),
        headless=headless,
    )


def _outcome(payload: Mapping[str, object], name: str, call: ToolCall) -> Outcome:
    response = payload.get("tool_response", payload.get("error"))
    interrupted = isinstance(response, dict) and response.get("interrupted") is True
    duration = payload.get("duration_ms")
    return Outcome(
        call,
        "failed" if interrupted or name == "PostToolUseFailure" else "ran",
        excerpt=_excerpt(response),
        duration_ms=int(duration) if isinstance(duration, int | float) and 0 <= duration < 1e12 else 0,
    )


def _excerpt(response: object) -> str:
    """Return what the tool said, bounded: the text of its usual shapes, else its JSON."""
    if isinstance(response, str):
        return clip(response, _EXCERPT)
    if isinstance(response, list):
        texts = [part["text"] for part in response if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return clip("\n".join(texts), _EXCERPT)
    if isinstance(response, dict):
        said = [response[key] for key in ("stdout", "stderr") if isinstance(response.get(key), str)]
        return clip("\n".join(filter(None, said)) if said else dumps(response), _EXCERPT)
    return ""


def _text(payload: Mapping[str, object], key: str, *, needed: bool = False) -> str:
    value = payload.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise UnreadableError(f"{key} is {_kind_of(value)}, not a text" if value != "" else f"{key} is empty")
    return value


_WORDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "missing"}


def _kind_of(value: object) -> str:
    return _WORDS.get(type(value), "something else")


# -- answering -------------------------------------------------------------------------------------


def write(decision: Decision, event: Event) -> Reply:
    """Say a decision: nothing for an allow, context for a warning, the client's own prompt for an ask, a refusal for a deny."""
    verdict = standing(decision, CARRIES)
    if verdict == VERDICT_ALLOW:
        if decision.warned and not decision.observed:
            return _context(event.name, reason(decision, event, _WARNED))
        return Reply()
    if verdict == VERDICT_ASK:
        return Reply(_decided("ask", reason(decision, event, _ASKED)))
    return _refusal(reason(decision, event, _THROTTLED if decision.action == THROTTLE else _DENIED))


def greet(event: Event) -> Reply:
    """Tell the model about the guard."""
    return _context(event.name, _GREETING + _NO_WORKSPACE if event.wide else _GREETING)


def on_error(message: str, kind: str = CHECK) -> Reply:
    """Refuse a check; for everything else tell the user, and let the session go on."""
    said = clip(message, 400)
    if kind == CHECK:
        return _refusal(f"interlock could not judge this call, so it did not run: {said}. Tell the user; `interlock doctor` may say more.")
    return Reply(_line({"systemMessage": f"interlock: {said}"}))


def _refusal(why: str) -> Reply:
    return Reply(_decided("deny", why), why + "\n", 2)


def _decided(word: str, why: str) -> str:
    return _line({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": why}})


def _context(name: str, text: str) -> Reply:
    return Reply(_line({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}))


def _line(value: object) -> str:
    return dumps(value) + "\n"
