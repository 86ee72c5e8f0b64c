"""What every client says and hears: recorded payloads with golden answers, and the laws of every
answer, for each client of the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.protocol import (
    CARRIES,
    CHECK,
    KINDS,
    PERMISSION,
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
from interlock.model.call import ToolCall
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision, Finding, Obligation, Settled
from interlock.model.effect import Deletes, Effect, Span
from interlock.model.radius import Radius

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
