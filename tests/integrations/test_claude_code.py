"""What Claude Code says and hears: recorded payloads with golden answers, and the laws of every answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations import claude_code
from interlock.integrations.protocol import CHECK, KINDS, OTHER, OUTCOME, PROMPT, SESSION, Event, Reply, UnreadableError, standing
from interlock.model.action import ALLOW, ASK, DENY, VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY, WARN, Action, Verdict
from interlock.model.call import TOOLS, ToolCall
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision, Finding, Obligation, Settled
from interlock.model.effect import Deletes, Effect, Span
from interlock.model.radius import Radius

GOLDEN = Path(__file__).parent / "claude_code"
NAMES = sorted(path.name.removesuffix(".in.json") for path in GOLDEN.glob("*.in.json"))


def answered(case: dict[str, Any]) -> dict[str, Any]:
    """Read a case's payload and, where it holds a decision, answer it; errors are answered too."""
    try:
        event = claude_code.read(case["payload"], case["variables"])
    except UnreadableError as error:
        return {"error": str(error), "reply": shown(claude_code.on_error(str(error)))}
    reply = Reply()
    if case["decision"] is not None:
        reply = claude_code.write(decode(Decision, case["decision"]), event)
    elif event.kind == SESSION:
        reply = claude_code.greet(event)
    return {"event": encode(event), "reply": shown(reply)}


def shown(reply: Reply) -> dict[str, Any]:
    """Lay a reply out so that a person can read the golden file."""
    assert reply.stdout == "" or reply.stdout.count("\n") == 1 == reply.stdout.endswith("\n")
    return {"stdout": json.loads(reply.stdout) if reply.stdout else "", "stderr": reply.stderr.splitlines(), "exit_code": reply.exit_code}


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    """A recorded payload is read and answered as the golden file says. Rewrite them with: python tests/integrations/test_claude_code.py."""
    case = json.loads((GOLDEN / f"{name}.in.json").read_text())
    assert answered(case) == json.loads((GOLDEN / f"{name}.out.json").read_text())


def test_every_answer_has_a_golden_file() -> None:
    """Allowed, warned, asked, denied, throttled and failed are all among the golden files."""
    seen = set()
    for name in NAMES:
        reply = json.loads((GOLDEN / f"{name}.out.json").read_text())["reply"]
        said = reply["stdout"]["hookSpecificOutput"] if reply["stdout"] else {}
        seen.add((said.get("permissionDecision"), "additionalContext" in said, reply["exit_code"]))
    assert seen == {(None, False, 0), (None, True, 0), ("ask", False, 0), ("deny", False, 2)}


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
DUTIES = st.builds(Obligation, st.sampled_from(["approver", "checkpoint", "sandbox", "notify", "redact"]), TEXT)
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
COMMANDS = st.fixed_dictionaries({"command": TEXT | st.integers()})
EVENTS = COMMANDS.map(lambda given: Event(CHECK, "PreToolUse", call=ToolCall("shell", "Bash", given)))


def meant(reply: Reply) -> Verdict:
    """Read a reply as the client does; fails on what is not an answer of its protocol."""
    said = json.loads(reply.stdout)["hookSpecificOutput"] if reply.stdout else {}
    assert said.get("hookEventName", "PreToolUse") == "PreToolUse"
    assert reply.stdout.isascii()
    assert len(said.get("permissionDecisionReason", "")) <= 1500
    word = said.get("permissionDecision")
    if reply.exit_code == 2:
        assert word == "deny"
        assert said["permissionDecisionReason"].strip()
        assert reply.stderr.strip()
        return VERDICT_DENY
    assert reply.exit_code == 0
    assert reply.stderr == ""
    assert word in (None, "ask")
    assert word is None or said["permissionDecisionReason"].strip()
    return VERDICT_ASK if word == "ask" else VERDICT_ALLOW


@given(DECISIONS, EVENTS)
def test_every_decision_has_its_answer(decision: Decision, event: Event) -> None:
    """The mapping is total: whatever was decided, the client hears exactly that, and never anything looser."""
    verdict = meant(claude_code.write(decision, event))
    assert verdict == standing(decision, claude_code.CARRIES)
    assert verdict >= decision.verdict
    assert verdict == VERDICT_ALLOW or not decision.observed


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
    """An obligation that the client cannot carry out makes an allow an ask; a role's approval cannot be given at its prompt."""
    decision = Decision("d", (Finding("r", action),), (Obligation(duty),) if duty else ())
    assert meant(claude_code.write(decision, Event(CHECK, "PreToolUse"))) == verdict


def test_the_reason_says_what_matched_and_a_safer_way() -> None:
    """The reason names the rule, quotes the words that matched and says the safer way."""
    finding = Finding("fs.x", DENY, message="deletes /etc", instead="Ask the user.", effect=Effect(Deletes, "/etc", span=Span(0, 3, 14)))
    event = Event(CHECK, "PreToolUse", call=ToolCall("shell", "Bash", {"command": "ls;rm -rf /etc;ls"}))
    said = claude_code.write(Decision("d-9", (finding,)), event).stderr
    for part in ("deletes /etc", "`rm -rf /etc`", "instead: Ask the user.", "rule: fs.x", "decision: d-9"):
        assert part in said
    assert "matched: `/etc`" in claude_code.write(Decision("d", (finding,)), Event(CHECK, "PreToolUse")).stderr


@given(TEXT | st.text(max_size=3000), st.sampled_from(KINDS))
def test_every_failure_has_its_answer(message: str, kind: str) -> None:
    """A failed check is a denial; any other failure is said to the user and blocks nobody."""
    reply = claude_code.on_error(message, kind)
    if kind == CHECK:
        assert meant(reply) == VERDICT_DENY
    else:
        assert reply.exit_code == 0
        assert json.loads(reply.stdout)["systemMessage"].startswith("interlock")


# -- laws of reading -------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
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
    "error",
    "duration_ms",
]
EVENT_NAMES = st.sampled_from([hooked.event for hooked in claude_code.SETTINGS.events])


@given(ANYTHING | st.dictionaries(st.sampled_from(KEYS), ANYTHING), st.none() | EVENT_NAMES)
def test_any_payload_is_an_event_or_unreadable(payload: Any, name: str | None) -> None:
    """No payload brings anything but an event that is whole, or ``UnreadableError`` with words."""
    if isinstance(payload, dict) and name is not None:
        payload["hook_event_name"] = name
    try:
        event = claude_code.read(payload, {})
    except UnreadableError:
        return
    assert event.kind in KINDS
    assert (event.call is not None) is (event.kind in (CHECK, OUTCOME))
    assert event.call is None or event.call.tool in TOOLS


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("Bash", "shell"), ("Read", "read"), ("Write", "write"), ("Edit", "edit"), ("MultiEdit", "edit"), ("NotebookEdit", "edit"),
        ("Glob", "glob"), ("Grep", "grep"), ("WebFetch", "fetch"), ("WebSearch", "search"), ("Task", "task"), ("Agent", "task"),
        ("mcp__db__query", "mcp"), ("mcp__", "mcp"), ("bash", "other"), ("Skill", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_tools(name: str, tool: str) -> None:
    """Every tool of the client has our word; what we do not know is ``other``, never something harmless."""
    assert claude_code.tool_of(name) == tool


@pytest.mark.parametrize(("entrypoint", "headless"), [("sdk-cli", True), ("cli", False), ("", False)])
def test_headless(entrypoint: str, *, headless: bool) -> None:
    """The client's own word tells whether a person sits there."""
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    call = claude_code.read(payload, {"CLAUDE_CODE_ENTRYPOINT": entrypoint}).call
    assert call is not None
    assert call.headless is headless


def test_kinds_of_events() -> None:
    """Every event that is installed is read, and only the first one is a question."""
    kinds = [claude_code.DIALECT.kinds[hooked.event] for hooked in claude_code.SETTINGS.events]
    assert kinds == [CHECK, OUTCOME, OUTCOME, PROMPT, SESSION]
    assert [hooked.note for hooked in claude_code.SETTINGS.events] == [kind != CHECK for kind in kinds]
    assert claude_code.DIALECT.kinds["Stop"] == OTHER


if __name__ == "__main__":
    for one in NAMES:
        made = answered(json.loads((GOLDEN / f"{one}.in.json").read_text()))
        (GOLDEN / f"{one}.out.json").write_text(json.dumps(made, indent=2) + "\n")
