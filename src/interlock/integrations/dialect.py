"""What clients with hooks of Claude Code's kind have in common: an event is one JSON object, and a
client is a row of words.

A refusal is said in every word that was measured to be needed: ``permissionDecision`` alone lets
the call run on Gemini CLI, whatever the exit code; exit 2 without words does on three clients;
Copilot reads the reason from the top of the JSON, and loses it beside a ``hookSpecificOutput``. An
allow is silence: an explicit one skips the user's own permission prompts, so it is said only of
what is proven harmless and only where the policy says so; on Codex it is an error of the hook,
which answers the question itself (``PermissionRequest``) instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from interlock.guard.workspace import may_be_root
from interlock.integrations.event_shape import Shape
from interlock.integrations.protocol import (
    CARRIES,
    CHECK,
    EXCERPT,
    OTHER,
    OUTCOME,
    PERMISSION,
    PROMPT,
    ClientEvent,
    HookProtocol,
    Reply,
    Settings,
    UnreadableEventError,
    clip,
    denial,
    effective_verdict,
    question,
    undoing,
    warning,
)
from interlock.model import call as tools
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Decision
from interlock.model.jsontext import dumps
from interlock.model.record import Record

APPROVAL = "interlock: proven harmless"
GREETING = (
    "# Safety guard\nEvery tool call of this session is judged by interlock before it runs. If a"
    " call is blocked, you receive an error that says why. Do not retry a blocked call, and do not"
    " reach for the same end by another way, unless the user approved it. Instead, explain to the"
    " user what you wanted to do and suggest alternatives; the error names a safer way where there"
    " is one."
)
_NO_WORKSPACE = (
    "\nThis session runs in a folder that is too wide to be a workspace (a home folder, a system"
    " folder or a shared one), so every change to a file counts as one outside the workspace."
)


class Dialect(Record):
    """The words of one client.

    ``agent``: its name in records and in the table of transcripts. ``asks``: ``native`` where it
    can ask a person, else ``never``. ``kinds``: its events, by name, to ours; ``tools``: its tools
    to ours. ``mcp``: how names of MCP tools begin; ``joint``: what stands between a server's name
    and its tool's where nothing tells where a name begins; ``origin``: the key of what keeps the
    two apart. ``failed``: the events of calls that failed. ``project``: the variable of a hook that
    names the project's folder; ``unattended``: a variable and what it says where nobody sits there.
    ``own``: how prompts begin that the client itself wrote; ``given``: how that begins and ends
    what hooks told the model, where the client puts it before a prompt. ``moving``: keys of the
    shell tool's input that name the folder it runs in.
    ``transcript``: a variable that moves the client's folder, that folder below HOME, and the
    session's transcript in it, where an event names none.
    ``context``: what a warning says before a call reaches the model; else it is said to the user.
    ``flat``: answers stand at the top, not in ``hookSpecificOutput``. ``typed``: what is typed into
    a running command later is told to no hook. ``env_file``: the variable of a hook at a session's
    start that names the file of variables for the commands the client runs. ``attended``: the key
    of what is true in an event where a person sits there to be asked; where it is not, the client
    asks nobody. ``approving``: the client's modes in which a hook's yes spares its user a question
    (``""`` for one that names no mode); in others a person chose to be asked less, or to have less
    done. ``first``: the client asks before its hook judges the call. ``shape``: where in an event
    what stands, for a client whose events are not of Claude Code's shape.
    """

    agent: str
    asks: str
    kinds: Mapping[str, str]
    tools: Mapping[str, str]
    mcp: str = "mcp__"
    joint: str = ""
    origin: str = ""
    failed: tuple[str, ...] = ()
    project: str = ""
    unattended: tuple[str, str] = ("", "")
    own: tuple[str, ...] = ()
    given: tuple[str, str] = ("", "")
    moving: tuple[str, ...] = ()
    transcript: tuple[str, str, str] = ("", "", "")
    context: bool = True
    flat: bool = False
    typed: bool = False
    env_file: str = ""
    attended: str = ""
    approving: tuple[str, ...] = ()
    first: bool = False
    shape: Shape | None = None

    def tool_of(self, name: str) -> str:
        """Return our word for one of the client's tools; ``other`` for what we do not know."""
        known = self.tools.get(name)
        return known or (
            tools.MCP
            if name.startswith(self.mcp) or (self.joint and self.joint in name)
            else tools.OTHER
        )

    def read(
        self, payload: object, variables: Mapping[str, str], platform: str = "linux"
    ) -> ClientEvent:
        """Turn a hook payload into an event; of the hook's ``variables`` only ``HOME`` and those of
        this row count. Raises ``UnreadableEventError``.
        """
        return _read(
            self.shape.to_dialect(payload, variables) if self.shape is not None else payload,
            variables,
            platform,
            self,
        )

    def write(self, decision: Decision, event: ClientEvent) -> Reply:
        """Say a decision: nothing for an allow, words for a warning, the client's own prompt for an
        ask where it has one, else a refusal.
        """
        verdict = effective_verdict(decision, CARRIES)
        if verdict == VERDICT_ALLOW:
            words = warning(decision, event)
            if not words:
                return (
                    self._make_approval()
                    if decision.approves and self._is_heard(event)
                    else Reply()
                )
            return (
                self._context(event.name, words, undoing(decision))
                if self.context
                else notice(words)
            )
        if verdict == VERDICT_ASK and (event.asks or self.asks) == "native":
            return Reply(
                line(
                    self._own(
                        "PreToolUse",
                        permissionDecision="ask",
                        permissionDecisionReason=question(decision, event),
                    )
                )
            )
        return self._refused(denial(decision, event))

    def permit(self, event: ClientEvent, *, approved: bool) -> Reply:
        """Answer the client's own question with yes, or leave it to the user."""
        given = approved and event.mode in self.approving
        return (
            Reply(line(self._own(event.name, decision={"behavior": "allow"}))) if given else Reply()
        )

    def greet(self, event: ClientEvent) -> Reply:
        """Tell the model about the guard."""
        return self._context(event.name, GREETING + _NO_WORKSPACE if event.wide else GREETING)

    def on_error(self, message: str, kind: str = CHECK) -> Reply:
        """Refuse a check; for everything else tell the user, and let the session go on."""
        if kind != CHECK:
            return notice(f"interlock: {clip(message, 1200)}")
        return self._refused(
            f"interlock could not judge this call, so it did not run: {clip(message, 400)}. Tell"
            " the user; `interlock doctor` may say more."
        )

    def _refused(self, why: str) -> Reply:
        """Refuse a call, in every word that a client needs: each alone is lost somewhere."""
        return Reply(
            line(
                {
                    "decision": "block",
                    "reason": why,
                    **self._own(
                        "PreToolUse", permissionDecision="deny", permissionDecisionReason=why
                    ),
                }
            ),
            why + "\n",
            2,
        )

    def _is_heard(self, event: ClientEvent) -> bool:
        """Whether a yes before the call spares the user a question and has no event of its own."""
        return event.mode in self.approving and PERMISSION not in self.kinds.values()

    def _make_approval(self) -> Reply:
        """Spare the user the client's own question."""
        return Reply(
            line(
                self._own(
                    "PreToolUse", permissionDecision="allow", permissionDecisionReason=APPROVAL
                )
            )
        )

    def _context(self, name: str, words: str, shown: str = "") -> Reply:
        """Tell the model something, at the event ``name``, and the user what is ``shown``; decide
        nothing.
        """
        return Reply(
            line(
                {
                    **self._own(name, additionalContext=words),
                    **({"systemMessage": f"interlock: {shown}"} if shown else {}),
                }
            )
        )

    def _own(self, name: str, **said: object) -> dict[str, object]:
        return dict(said) if self.flat else {"hookSpecificOutput": {"hookEventName": name, **said}}


# -- reading ---------------------------------------------------------------------------------------


def _read(
    payload: object, variables: Mapping[str, str], platform: str, dialect: Dialect
) -> ClientEvent:
    if not isinstance(payload, dict):
        raise UnreadableEventError(f"the payload is {_kind_of(payload)}, not an object")
    name = text(payload, "hook_event_name", needed=True)
    kind = dialect.kinds.get(name)
    if kind is None:
        raise UnreadableEventError(f"the event {clip(name, 60)!r} is unknown")
    project, cwd = (
        variables.get(dialect.project, "") if dialect.project else "",
        text(payload, "cwd"),
    )
    event = ClientEvent(
        kind,
        name,
        session=text(payload, "session_id"),
        cwd=cwd,
        roots=(project,) if project else (),
        wide=not may_be_root(project or cwd, variables.get("HOME", "")),
        env_file=variables.get(dialect.env_file, "") if dialect.env_file else "",
        mode=text(payload, "permission_mode"),
        asks=(
            ("native" if payload.get(dialect.attended) is True else "never")
            if dialect.attended
            else ""
        ),
    )
    if kind == PROMPT:
        # what the model asks of a sub-agent is no wish of the person, neither is nothing, or a
        # client's own note
        prompt = _strip_hook_text(text(payload, "prompt"), *dialect.given)
        said = (
            prompt and not payload.get("agent_id") and not prompt.lstrip().startswith(dialect.own)
        )
        return event.replace(prompt=prompt) if said else event.replace(kind=OTHER)
    if kind not in (CHECK, PERMISSION, OUTCOME):
        return event
    call = _call(payload, event, variables, platform, dialect)
    return event.replace(
        call=call,
        outcome=_outcome(payload, call, failed=name in dialect.failed) if kind == OUTCOME else None,
    )


def _strip_hook_text(prompt: str, begin: str, end: str) -> str:
    """Return a person's words, without what hooks told the model (our own greeting among it), which
    may stand before them.
    """
    while begin and prompt.startswith(begin) and end in prompt:
        prompt = prompt.partition(end)[2].lstrip("\n")
    return prompt


def _call(
    payload: Mapping[str, object],
    event: ClientEvent,
    variables: Mapping[str, str],
    platform: str,
    dialect: Dialect,
) -> ToolCall:
    name = _name(payload, dialect)
    given = payload.get("tool_input", {})
    if not isinstance(given, dict):
        raise UnreadableEventError(f"tool_input is {_kind_of(given)}, not an object")
    tool = dialect.tool_of(name)
    moved = (
        next((given[key] for key in dialect.moving if given.get(key)), "")
        if tool == tools.SHELL
        else ""
    )
    if not isinstance(moved, str):
        raise UnreadableEventError(f"the folder to run in is {_kind_of(moved)}, not a text")
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
        transcript=text(payload, "transcript_path")
        or _transcript(event.session, variables, dialect),
        typed=dialect.typed and tool == tools.SHELL,
        headless=bool(dialect.unattended[0])
        and variables.get(dialect.unattended[0]) == dialect.unattended[1],
    )


def _name(payload: Mapping[str, object], dialect: Dialect) -> str:
    """Return a tool's name; that of an MCP tool, where the client keeps its parts, as policies
    spell it: ``mcp__db__query``.
    """
    origin = payload.get(dialect.origin) if dialect.origin else None
    if not isinstance(origin, dict):
        return text(payload, "tool_name", needed=True)
    return (
        f"mcp__{text(origin, 'server_name', needed=True)}__{text(origin, 'tool_name', needed=True)}"
    )


def _transcript(session: str, variables: Mapping[str, str], dialect: Dialect) -> str:
    """Return where a session's transcript is by the client's custom; a session's name that is none
    of a file leads nowhere.
    """
    variable, folder, file = dialect.transcript
    if not file or not session or "/" in session or session.startswith("."):
        return ""
    home = variables.get("HOME", "")
    top = variables.get(variable) or (f"{home}/{folder}" if home else "")
    return f"{top}/{file.format(session=session)}" if top else ""


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
    response = next((payload[key] for key in _RESULTS if key in payload), None)
    ill = isinstance(response, dict) and (
        response.get("interrupted") is True or response.get("result_type", "success") != "success"
    )
    duration = payload.get("duration_ms")
    return Outcome(
        call,
        "failed" if ill or failed else "ran",
        excerpt=_excerpt(response),
        duration_ms=(
            int(duration) if isinstance(duration, int | float) and 0 <= duration < 1e12 else 0
        ),
    )


_RESULTS = ("tool_response", "tool_result", "error")
_TEXTS = ("llmContent", "text_result_for_llm")


def _excerpt(response: object) -> str:
    """Return what the tool said, bounded: the text of its usual shapes, else its JSON."""
    if isinstance(response, dict):
        response = next((response[key] for key in _TEXTS if key in response), response)
    if isinstance(response, str):
        return clip(response, EXCERPT)
    if isinstance(response, list):
        texts = [
            part["text"]
            for part in response
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        return clip("\n".join(texts), EXCERPT)
    if isinstance(response, dict):
        said = [response[key] for key in ("stdout", "stderr") if isinstance(response.get(key), str)]
        return clip("\n".join(filter(None, said)) if said else dumps(response), EXCERPT)
    return ""


def text(payload: Mapping[str, object], key: str, *, needed: bool = False) -> str:
    """Return the text at a key, ``""`` where it is missing and not needed; raises
    ``UnreadableEventError``.
    """
    value = payload.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise UnreadableEventError(
            f"{key} is {_kind_of(value)}, not a text" if value != "" else f"{key} is empty"
        )
    return value


_WORDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "missing",
}


def _kind_of(value: object) -> str:
    return _WORDS.get(type(value), "something else")


# -- answering -------------------------------------------------------------------------------------


def notice(words: str) -> Reply:
    """Tell the user something, and decide nothing."""
    return Reply(line({"systemMessage": words}))


def line(value: object) -> str:
    """Write a value as one line of JSON."""
    return dumps(value) + "\n"


class Adapter(HookProtocol, Protocol):
    """What a module of ``integrations`` offers for one client that can be installed."""

    NAME: str
    SETTINGS: Settings
    DIALECT: Dialect
