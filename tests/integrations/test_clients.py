"""What every client says and hears: recorded payloads with golden answers, and the laws of every
answer, for each client of the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.protocol import (
    CARRIES,
    CHECK,
    KINDS,
    OTHER,
    OUTCOME,
    PERMISSION,
    PROMPT,
    SESSION,
    ClientEvent,
    Reply,
    UnreadableEventError,
    denial,
    effective_verdict,
)
from interlock.model.action import (
    ALLOW,
    ASK,
    DENY,
    VERDICT_ALLOW,
    VERDICT_ASK,
    VERDICT_DENY,
    WARN,
    Action,
    Verdict,
)
from interlock.model.call import TOOLS, ToolCall
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision, Finding, Obligation, Settled
from interlock.model.effect import Deletes, Effect, Span
from interlock.model.radius import Radius

if TYPE_CHECKING:
    from interlock.integrations.dialect import Adapter

HERE = Path(__file__).parent
CASES = sorted(
    (folder.name, path.name.removesuffix(".in.json"))
    for folder in HERE.iterdir()
    if folder.name in CLIENTS
    for path in folder.glob("*.in.json")
)
NAMES = st.sampled_from(sorted(CLIENTS))


def answered(client: str, case: dict[str, Any]) -> dict[str, Any]:
    """Read a case's payload and, where it holds a decision, answer it; errors are answered too."""
    adapter = adapter_of(client)
    try:
        event = adapter.read(case["payload"], case["variables"], "linux")
    except UnreadableEventError as error:
        return {"error": str(error), "reply": shown(adapter.on_error(str(error)))}
    reply = Reply()
    if case["decision"] is not None:
        reply = adapter.write(decode(Decision, case["decision"]), event)
    elif event.kind == PERMISSION:
        reply = adapter.permit(event, approved=True)
    elif event.kind == SESSION:
        reply = adapter.greet(event)
    return {"event": encode(event), "reply": shown(reply)}


def shown(reply: Reply) -> dict[str, Any]:
    """Lay a reply out so that a person can read the golden file."""
    assert reply.stdout == "" or reply.stdout.count("\n") == 1 == reply.stdout.endswith("\n")
    return {
        "stdout": json.loads(reply.stdout) if reply.stdout else "",
        "stderr": reply.stderr.splitlines(),
        "exit_code": reply.exit_code,
    }


@pytest.mark.parametrize(("client", "name"), CASES)
def test_golden(client: str, name: str) -> None:
    """A recorded payload is read and answered as the golden file says. Rewrite them with: python -m
    tests.integrations.test_clients.
    """
    case = json.loads((HERE / client / f"{name}.in.json").read_text())
    assert answered(client, case) == json.loads((HERE / client / f"{name}.out.json").read_text())


def test_every_answer_has_a_golden_file() -> None:
    """Allowed, warned, asked, denied and failed are all among each client's golden files; and each
    has a page for its user.
    """
    for client in CLIENTS:
        names = {name for folder, name in CASES if folder == client}
        missing = {
            "warn",
            "ask",
            "deny",
            "proven",
            "wrong-input",
            "unknown-event",
            "SessionStart",
        } - names
        assert not missing, (
            f"tests/integrations/{client}/ has no {sorted(missing)}.in.json: take another client's, with a payload of this one"
        )
        page = HERE.parents[1] / f"docs/{client}.md"
        assert page.exists(), f"{client} has no page for its user: docs/{client}.md"
        assert f"interlock install {client}" in page.read_text(), client


# -- laws of the answers ---------------------------------------------------------------------------

TEXT = st.text(max_size=40) | st.text(max_size=40).map(lambda text: text + "\x1b[2J\n\u202e\ud800")
ACTIONS = st.sampled_from([Action(rank) for rank in range(6)])
SPANS = st.none() | st.builds(Span, st.integers(0, 2), st.integers(-3, 50), st.integers(-3, 50))
EFFECTS = st.none() | st.builds(Effect, kind=st.just(Deletes), target=TEXT, span=SPANS, by=TEXT)
FINDINGS = st.builds(
    Finding,
    rule=TEXT,
    action=ACTIONS,
    message=TEXT | st.just("long " * 900),
    instead=TEXT,
    effect=EFFECTS,
    settled=st.none() | st.builds(Settled, ACTIONS, TEXT),
    retry_after=st.integers(0, 100),
)
DUTIES = st.builds(
    Obligation, st.sampled_from(["approver", "checkpoint", "sandbox", "notify", "redact"]), TEXT
)
RADII = st.none() | st.builds(
    Radius,
    files=st.integers(0, 10**12),
    size=st.integers(0, 2**70),
    untracked=st.integers(0, 9),
    commits=st.integers(0, 9),
    examples=st.lists(TEXT, max_size=3).map(tuple),
    unknown=st.lists(TEXT, max_size=4).map(tuple),
    complete=st.booleans(),
)
DECISIONS = st.builds(
    Decision,
    id=TEXT,
    findings=st.lists(FINDINGS, max_size=5).map(tuple),
    obligations=st.lists(DUTIES, max_size=2).map(tuple),
    observed=st.booleans(),
    radius=RADII,
)
EVENTS = st.fixed_dictionaries({"command": TEXT | st.integers()}).map(
    lambda given: ClientEvent(CHECK, "PreToolUse", call=ToolCall("shell", "Bash", given))
)


def meant(client: str, reply: Reply) -> Verdict:
    """Read a reply as the client does; fails on what is not an answer of its protocol, or says
    different things in different words.
    """
    said = json.loads(reply.stdout) if reply.stdout else {}
    assert reply.stdout.isascii()
    own = said.get("hookSpecificOutput", {})
    assert not own or "permissionDecision" not in said
    word, why = (
        (said | own).get("permissionDecision"),
        (said | own).get("permissionDecisionReason", ""),
    )
    assert len(why) <= 1500
    if reply.exit_code == 2:
        assert (word, said["decision"], said["reason"]) == ("deny", "block", why)
        assert why.strip()
        assert reply.stderr == why + "\n"
        return VERDICT_DENY
    assert (reply.exit_code, reply.stderr, "decision" in said) == (0, "", False)
    assert word is None or (word == "ask" and adapter_of(client).asks == "native" and why.strip())
    return VERDICT_ASK if word else VERDICT_ALLOW


@given(NAMES, DECISIONS, EVENTS)
def test_every_decision_has_its_answer(client: str, decision: Decision, event: ClientEvent) -> None:
    """The mapping is total: a client that can ask hears exactly what was decided, one that cannot
    hears a refusal for all that is no allow.
    """
    verdict = meant(client, adapter_of(client).write(decision, event))
    wanted = effective_verdict(decision, CARRIES)
    assert wanted >= decision.verdict
    assert wanted == VERDICT_ALLOW or not decision.observed
    assert verdict == (
        wanted if adapter_of(client).asks == "native" or wanted == VERDICT_ALLOW else VERDICT_DENY
    )


@pytest.mark.parametrize(
    ("action", "duty", "verdict"),
    [
        (ALLOW, "", VERDICT_ALLOW),
        (WARN, "", VERDICT_ALLOW),
        (ASK, "", VERDICT_ASK),
        (DENY, "", VERDICT_DENY),
        (ALLOW, "notify", VERDICT_ALLOW),
        (ALLOW, "sandbox", VERDICT_ASK),
        (ASK, "checkpoint", VERDICT_ASK),
        (ASK, "approver", VERDICT_DENY),
        (DENY, "notify", VERDICT_DENY),
    ],
)
def test_obligations(action: Action, duty: str, verdict: Verdict) -> None:
    """An obligation that the client cannot carry out makes an allow an ask; a role's approval
    cannot be given at its prompt.
    """
    decision = Decision("d", (Finding("r", action),), (Obligation(duty),) if duty else ())
    assert (
        meant(
            "claude-code",
            adapter_of("claude-code").write(decision, ClientEvent(CHECK, "PreToolUse")),
        )
        == verdict
    )


def test_the_reason_says_what_matched_and_a_safer_way() -> None:
    """The reason names the rule, quotes the words that matched and says the safer way."""
    finding = Finding(
        "fs.x",
        DENY,
        message="deletes /etc",
        instead="Ask the user.",
        effect=Effect(Deletes, "/etc", span=Span(0, 3, 14)),
    )
    event = ClientEvent(
        CHECK, "PreToolUse", call=ToolCall("shell", "Bash", {"command": "ls;rm -rf /etc;ls"})
    )
    said = adapter_of("claude-code").write(Decision("d-9", (finding,)), event).stderr
    for part in (
        "deletes /etc",
        "`rm -rf /etc`",
        "Instead: Ask the user.",
        "rule: fs.x",
        "decision: d-9",
    ):
        assert part in said
    assert (
        "What matched: `/etc`"
        in adapter_of("claude-code")
        .write(Decision("d", (finding,)), ClientEvent(CHECK, "PreToolUse"))
        .stderr
    )


def test_a_refusal_begins_with_its_reason() -> None:
    """The first line is why, the second what a person can do; what the agent is told stands last,
    and no length of what comes before cuts it.
    """
    asking = Finding(
        "fs.x", ASK, message="deletes /etc. " + "It is large. " * 40, effect=Effect(Deletes, "/etc")
    )
    queued = Finding("approval.requested", DENY, "approval", "Run `interlock approve a-1`.")
    limit = Finding("limits.spend", DENY, "limits", "The limit of 5 USD is used up.")
    denied = Decision("d-9", (asking, queued))
    first, second, *_, advice, last = denial(denied, ClientEvent(CHECK, "PreToolUse")).split("\n")
    assert first.startswith("Blocked by interlock: deletes /etc. It is large.")
    assert second == queued.message
    assert advice.startswith("For the agent: do not retry it")
    assert last == "rule: fs.x, approval.requested; decision: d-9"
    # what made it a refusal comes before what would only have been asked about
    said = denial(Decision("d-9", (asking, limit)), ClientEvent(CHECK, "PreToolUse")).split("\n")
    assert said[0] == "Blocked by interlock: The limit of 5 USD is used up."
    assert said[1].startswith("Also: deletes /etc.")
    long = asking.replace(message="x" * 3000)
    said = denial(Decision("d-9", (long, queued)), ClientEvent(CHECK, "PreToolUse")).split("\n")
    assert said[-2:] == [advice, last]


@given(NAMES, TEXT | st.text(max_size=3000), st.sampled_from(KINDS))
def test_every_failure_has_its_answer(client: str, message: str, kind: str) -> None:
    """A failed check is a denial; any other failure is said to the user and blocks nobody."""
    reply = adapter_of(client).on_error(message, kind)
    assert meant(client, reply) == (VERDICT_DENY if kind == CHECK else VERDICT_ALLOW)
    assert kind == CHECK or json.loads(reply.stdout)["systemMessage"].startswith("interlock")


# -- laws of reading -------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = [
    "session_id",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "agent_id",
    "prompt",
    "tool_response",
    "tool_result",
    "mcp_context",
    "error",
    "duration_ms",
]


@given(
    NAMES,
    ANYTHING | st.dictionaries(st.sampled_from(KEYS), ANYTHING),
    st.none() | st.integers(0, 9),
)
def test_any_payload_is_an_event_or_unreadable(
    client: str, payload: Any, number: int | None
) -> None:
    """No payload brings anything but an event that is whole, or ``UnreadableEventError`` with
    words.
    """
    adapter = adapter_of(client)
    if isinstance(payload, dict) and number is not None:
        payload["hook_event_name"] = adapter.SETTINGS.events[
            number % len(adapter.SETTINGS.events)
        ].event
    try:
        event = adapter.read(payload, {}, "linux")
    except UnreadableEventError:
        return
    assert event.kind in KINDS
    assert (event.call is not None) is (event.kind in (CHECK, PERMISSION, OUTCOME))
    assert event.call is None or event.call.tool in TOOLS


def _told(adapter: Adapter, event: str) -> dict[str, object]:
    """Return an event without much in it, as the client writes it."""
    made: dict[str, object] = {
        "hook_event_name": event,
        "tool_name": "x",
        "tool_input": {},
        "prompt": "do it",
    }
    return adapter.DIALECT.shape.told(made) if adapter.DIALECT.shape is not None else made


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_events_that_are_installed(client: str) -> None:
    """Every client has exactly one event that asks us, it comes first and guards every tool, and
    its name is the table's.
    """
    adapter = adapter_of(client)
    first, *others = adapter.SETTINGS.events
    assert (first.matcher, first.note, adapter.NAME) == ("*", False, client)
    assert all(hooked.note for hooked in others)
    kinds = [
        adapter.read(_told(adapter, hooked.event), {}, "linux").kind
        for hooked in adapter.SETTINGS.events
    ]
    assert kinds[0] == CHECK
    assert set(kinds[1:]) - {PERMISSION} == {OUTCOME, PROMPT, SESSION}
    assert adapter.asks in ("native", "never")


@pytest.mark.parametrize(
    ("client", "name", "tool"),
    [
        ("codex", "Bash", "shell"), ("codex", "apply_patch", "edit"), ("codex", "mcp__db__query", "mcp"), ("codex", "spawn_agent", "task"),
        ("codex", "exec", "other"), ("gemini", "run_shell_command", "shell"), ("gemini", "replace", "edit"), ("gemini", "write_file", "write"),
        ("gemini", "mcp_db_query", "mcp"), ("gemini", "Bash", "other"), ("qwen", "run_shell_command", "shell"), ("qwen", "edit", "edit"),
        ("qwen", "agent", "task"), ("qwen", "mcp__db__query", "mcp"), ("qwen", "mcp_db", "other"), ("copilot", "Bash", "shell"),
        ("copilot", "Write", "write"), ("copilot", "db-query", "mcp"), ("copilot", "write_bash", "other"), ("copilot", "bash", "other"),
        ("claude-code", "Bash", "shell"), ("claude-code", "Read", "read"), ("claude-code", "Write", "write"), ("claude-code", "Edit", "edit"),
        ("claude-code", "MultiEdit", "edit"), ("claude-code", "NotebookEdit", "edit"), ("claude-code", "Glob", "glob"),
        ("claude-code", "Grep", "grep"), ("claude-code", "WebFetch", "fetch"), ("claude-code", "WebSearch", "search"),
        ("claude-code", "Task", "task"), ("claude-code", "Agent", "task"), ("claude-code", "mcp__db__query", "mcp"),
        ("claude-code", "mcp__", "mcp"), ("claude-code", "bash", "other"), ("claude-code", "Skill", "other"), ("claude-code", "a-b", "other"),
    ],
)  # fmt: skip
def test_tools(client: str, name: str, tool: str) -> None:
    """Tools have our words; what we do not know is ``other``, never something harmless."""
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": name,
        "tool_input": {},
    }
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.tool == tool


@pytest.mark.parametrize(
    ("moved", "cwd"),
    [
        ("", "/w/p"),
        ("src", "/w/p/src"),
        ("../other/./x", "/w/other/x"),
        ("/etc", "/etc"),
        ("../../../..", "/"),
    ],
)
@pytest.mark.parametrize(("client", "key"), [("gemini", "dir_path"), ("qwen", "directory")])
def test_a_shell_that_runs_elsewhere(client: str, key: str, moved: str, cwd: str) -> None:
    """The folder that the shell tool's input names is where the command is read; the workspace
    stays where the session is.
    """
    given = {"command": "ls", **({key: moved} if moved else {})}
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": "run_shell_command",
        "tool_input": given,
        "cwd": "/w/p",
    }
    call = adapter_of(client).read(payload, {}, "linux").call
    assert call is not None
    assert call.cwd == cwd
    assert call.roots == (("/w/p",) if moved else ())


@pytest.mark.parametrize(
    ("entrypoint", "headless"), [("sdk-cli", True), ("cli", False), ("", False)]
)
def test_headless(entrypoint: str, *, headless: bool) -> None:
    """Claude Code's own word tells whether a person sits there; others have none."""
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    for client in ("claude-code", "codex"):
        call = (
            adapter_of(client).read(payload, {"CLAUDE_CODE_ENTRYPOINT": entrypoint}, "linux").call
        )
        assert call is not None
        assert call.headless is (headless and client == "claude-code")


@pytest.mark.parametrize(
    ("client", "variable"),
    [
        ("claude-code", "CLAUDE_PROJECT_DIR"), ("codex", "PWD"), ("copilot", "COPILOT_PROJECT_DIR"), ("gemini", "GEMINI_PROJECT_DIR"),
        ("qwen", "QWEN_PROJECT_DIR"),
    ],
)  # fmt: skip
def test_the_workspace_is_the_clients_project(client: str, variable: str) -> None:
    """The folder that the client calls its project is the workspace, wherever a call works; another
    client's variable tells nothing.
    """
    payload = {
        "hook_event_name": adapter_of(client).SETTINGS.events[0].event,
        "tool_name": "x",
        "tool_input": {},
        "cwd": "/tmp/elsewhere",
    }
    event = adapter_of(client).read(payload, {variable: "/w/p", "OTHER_PROJECT_DIR": "/"}, "linux")
    assert event.call is not None
    assert (event.roots, event.call.roots, event.call.cwd) == (
        ("/w/p",),
        ("/w/p",),
        "/tmp/elsewhere",
    )
    without = adapter_of(client).read(payload, {"OTHER_PROJECT_DIR": "/w/p"}, "linux")
    assert without.roots == ()


@pytest.mark.parametrize(
    ("client", "prompt", "more", "kind"),
    [
        ("copilot", "delete old.txt", {}, PROMPT),
        (
            "copilot",
            '<system_notification>\nShell command "delete all" has completed\n</system_notification>',
            {},
            OTHER,
        ),
        ("copilot", "delete old.txt", {"agent_id": "a"}, OTHER),
        ("qwen", "", {}, OTHER),
        ("qwen", "<system_notification> is a word of another client", {}, PROMPT),
    ],
)
def test_only_a_persons_words_are_a_prompt(
    client: str, prompt: str, more: dict[str, str], kind: str
) -> None:
    """What the client notes itself, what a model asks of a sub-agent and what has no words is no
    wish of the person.
    """
    event = adapter_of(client).read(
        {"hook_event_name": "UserPromptSubmit", "prompt": prompt, **more}, {}, "linux"
    )
    assert (event.kind, event.prompt) == (kind, prompt if kind == PROMPT else "")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (
            "<hook_context># Safety guard\nexplain the error</hook_context>\n\ndelete old.txt",
            "delete old.txt",
        ),
        (
            "<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n\ndelete old.txt",
            "delete old.txt",
        ),
        (
            "delete <hook_context>a</hook_context> old.txt",
            "delete <hook_context>a</hook_context> old.txt",
        ),
        ("<hook_context>never ends", "<hook_context>never ends"),
        ("<hook_context>a</hook_context>", ""),
    ],
)
def test_what_hooks_said_is_no_persons_wish(prompt: str, words: str) -> None:
    """Gemini CLI puts what hooks told the model, our own greeting among it, before the prompt: it
    is taken off, and nothing else.
    """
    event = adapter_of("gemini").read(
        {"hook_event_name": "BeforeAgent", "prompt": prompt}, {}, "linux"
    )
    assert (event.kind, event.prompt) == (PROMPT if words else OTHER, words)
    assert (
        adapter_of("qwen")
        .read({"hook_event_name": "UserPromptSubmit", "prompt": prompt}, {}, "linux")
        .prompt
        == prompt
    )


@pytest.mark.parametrize(
    ("session", "variables", "path"),
    [
        ("s-1", {"HOME": "/home/dev"}, "/home/dev/.copilot/session-state/s-1/events.jsonl"),
        ("s-1", {"HOME": "/home/dev", "COPILOT_HOME": "/c"}, "/c/session-state/s-1/events.jsonl"),
        ("../../etc", {"HOME": "/home/dev"}, ""),
        ("..", {"HOME": "/home/dev"}, ""),
        ("", {"HOME": "/home/dev"}, ""),
        ("s-1", {}, ""),
    ],
)
def test_a_transcript_that_no_event_names(
    session: str, variables: dict[str, str], path: str
) -> None:
    """Where Copilot keeps a session's events follows from its name; a name that leads elsewhere
    leads nowhere.
    """
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {},
        "session_id": session,
    }
    call = adapter_of("copilot").read(payload, variables, "linux").call
    assert call is not None
    assert call.transcript == path


if __name__ == "__main__":
    for one, label in CASES:
        made = answered(one, json.loads((HERE / one / f"{label}.in.json").read_text()))
        (HERE / one / f"{label}.out.json").write_text(json.dumps(made, indent=2) + "\n")
