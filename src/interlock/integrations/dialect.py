"""What clients with hooks of Claude Code's kind have in common: an event is one JSON object, and a client is a row of words."""

from __future__ import annotations

from interlock.guard.workspace import may_be_root
from interlock.integrations.protocol import CHECK, OTHER, OUTCOME, PROMPT, Event, Reply, UnreadableError, clip
from interlock.model import call as tools
from interlock.model.call import Outcome, ToolCall
from interlock.model.jsontext import dumps
from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EXCERPT = 4000
DENIED = "interlock blocked this call; it did not run. Do not retry it, in this or another form, unless the user approved it."
THROTTLED = "interlock held this call back; it did not run. Wait before you try again, and do not reach for the same end by another way."
ASKED = "interlock asks for the user's approval of this call."
WARNED = "interlock let this call pass, with a warning."
GREETING = (
    "# Safety guard\n"
    "Every tool call of this session is judged by interlock before it runs. If a call is blocked, you receive an error that says why. "
    "Do not retry a blocked call, and do not reach for the same end by another way, unless the user approved it. "
    "Instead, explain to the user what you wanted to do and suggest alternatives; the error names a safer way where there is one."
)
_NO_WORKSPACE = (
    "\nThis session runs in a folder that is too wide to be a workspace (a home folder, a system folder or a shared one), "
    "so every change to a file counts as one outside the workspace."
)


class Dialect(Record):
    """The words of one client.

    ``agent``: its name in records and in the table of transcripts. ``kinds``: its events, by name, to ours; ``tools``: its tools to ours.
    ``mcp``: how names of MCP tools begin; ``failed``: the events of calls that failed. ``project``: the variable that names the
    project's folder, where there is one. ``moving``: keys of the shell tool's input that name the folder it runs in.
    """

    agent: str
    kinds: Mapping[str, str]
    tools: Mapping[str, str]
    mcp: str = "mcp__"
    failed: tuple[str, ...] = ()
    project: str = ""
    moving: tuple[str, ...] = ()

    def tool_of(self, name: str) -> str:
        """Return our word for one of the client's tools; ``other`` for what we do not know."""
        known = self.tools.get(name)
        return known or (tools.MCP if name.startswith(self.mcp) else tools.OTHER)


# -- reading ---------------------------------------------------------------------------------------


def read(payload: object, variables: Mapping[str, str], platform: str, dialect: Dialect) -> Event:
    """Turn a hook payload into an event; of ``variables`` only ``HOME`` and the dialect's ``project`` count. Raises ``UnreadableError``."""
    if not isinstance(payload, dict):
        raise UnreadableError(f"the payload is {_kind_of(payload)}, not an object")
    name = text(payload, "hook_event_name", needed=True)
    kind = dialect.kinds.get(name)
    if kind is None:
        raise UnreadableError(f"the event {clip(name, 60)!r} is unknown")
    project, cwd = variables.get(dialect.project, "") if dialect.project else "", text(payload, "cwd")
    event = Event(
        kind,
        name,
        session=text(payload, "session_id"),
        cwd=cwd,
        roots=(project,) if project else (),
        wide=not may_be_root(project or cwd, variables.get("HOME", "")),
    )
    if kind == PROMPT:
        prompt = text(payload, "prompt")  # what the model asks of a sub-agent is no wish of the person, and neither is nothing
        return event.replace(kind=OTHER) if payload.get("agent_id") or not prompt else event.replace(prompt=prompt)
    if kind not in (CHECK, OUTCOME):
        return event
    call = _call(payload, event, platform, dialect)
    return event.replace(call=call, outcome=_outcome(payload, call, failed=name in dialect.failed) if kind == OUTCOME else None)


def _call(payload: Mapping[str, object], event: Event, platform: str, dialect: Dialect) -> ToolCall:
    name = text(payload, "tool_name", needed=True)
    given = payload.get("tool_input", {})
    if not isinstance(given, dict):
        raise UnreadableError(f"tool_input is {_kind_of(given)}, not an object")
    tool = dialect.tool_of(name)
    moved = next((given[key] for key in dialect.moving if given.get(key)), "") if tool == tools.SHELL else ""
    if not isinstance(moved, str):
        raise UnreadableError(f"the folder to run in is {_kind_of(moved)}, not a text")
    return ToolCall(
        tool,
        name,
        given,
        cwd=_below(event.cwd, moved) if moved else event.cwd,
        roots=event.roots or ((event.cwd,) if moved else ()),
        platform=platform,
        session=event.session,
        agent=dialect.agent,
        agent_id=text(payload, "agent_id"),
        call_id=text(payload, "tool_use_id"),
        transcript=text(payload, "transcript_path"),
    )


def _below(folder: str, path: str) -> str:
    """Return a path as seen from a folder, without ``.`` and ``..``."""
    if path[1:2] == ":" or "\\" in path:
        return path  # Windows': read as it is
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{folder}/{path}").split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _outcome(payload: Mapping[str, object], call: ToolCall, *, failed: bool) -> Outcome:
    response = payload.get("tool_response", payload.get("error"))
    interrupted = isinstance(response, dict) and response.get("interrupted") is True
    duration = payload.get("duration_ms")
    return Outcome(
        call,
        "failed" if interrupted or failed else "ran",
        excerpt=_excerpt(response),
        duration_ms=int(duration) if isinstance(duration, int | float) and 0 <= duration < 1e12 else 0,
    )


def _excerpt(response: object) -> str:
    """Return what the tool said, bounded: the text of its usual shapes, else its JSON."""
    if isinstance(response, dict) and "llmContent" in response:
        response = response["llmContent"]
    if isinstance(response, str):
        return clip(response, EXCERPT)
    if isinstance(response, list):
        texts = [part["text"] for part in response if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return clip("\n".join(texts), EXCERPT)
    if isinstance(response, dict):
        said = [response[key] for key in ("stdout", "stderr") if isinstance(response.get(key), str)]
        return clip("\n".join(filter(None, said)) if said else dumps(response), EXCERPT)
    return ""


def text(payload: Mapping[str, object], key: str, *, needed: bool = False) -> str:
    """Return the text at a key, ``""`` where it is missing and not needed; raises ``UnreadableError``."""
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


def decided(word: str, why: str) -> Reply:
    """Answer a check with ``ask`` or ``deny``; a denial is said in all three ways, because each alone is lost somewhere."""
    said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": why}}
    return Reply(line(said), why + "\n", 2) if word == "deny" else Reply(line(said))


def context(name: str, words: str) -> Reply:
    """Tell the model something, at the event ``name``, and decide nothing."""
    return Reply(line({"hookSpecificOutput": {"hookEventName": name, "additionalContext": words}}))


def greet(event: Event) -> Reply:
    """Tell the model about the guard."""
    return context(event.name, GREETING + _NO_WORKSPACE if event.wide else GREETING)


def failure(message: str) -> str:
    """Say, as the reason of a refusal, that the guard failed."""
    return f"interlock could not judge this call, so it did not run: {clip(message, 400)}. Tell the user; `interlock doctor` may say more."


def on_error(message: str, kind: str = CHECK) -> Reply:
    """Refuse a check; for everything else tell the user, and let the session go on."""
    return decided("deny", failure(message)) if kind == CHECK else Reply(line({"systemMessage": f"interlock: {clip(message, 400)}"}))


def line(value: object) -> str:
    """Write a value as one line of JSON."""
    return dumps(value) + "\n"
