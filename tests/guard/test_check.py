"""The walk: what each stage may do, and that no failure of any of them ever lets a call through."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.log import Audit
from interlock.audit.query import last
from interlock.facts import Recorded
from interlock.guard import stages as walk
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.model.action import (
    ALLOW,
    ASK,
    DENY,
    REVIEW,
    THROTTLE,
    VERDICT_ALLOW,
    VERDICT_ASK,
    VERDICT_DENY,
    WARN,
    Action,
    Verdict,
)
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Approval, Decision, Finding, Obligation
from interlock.model.effect import Calls, Executes, Opaque
from interlock.model.policy import Policy
from interlock.model.rule import Rule, on
from interlock.store.database import Store
from interlock.store.place import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.model.effect import Reading


def rule(action: Action, name: str = "x", floor: Action = ALLOW, approver: str = "") -> Rule:
    """Return a rule that speaks of every call of the tests."""
    return Rule(
        f"t.{name}",
        "t",
        "w",
        "i",
        on(Calls, Executes, Opaque),
        action,
        floor,
        possible=action,
        approver=approver,
    )


CALL = ToolCall(
    "mcp", "mcp__x__y", {"a": "b"}, "/home/user/p", ("/home/user/p",), session="s", call_id="c"
)
HARMLESS = Policy((), hash="none")
ASKING = Policy((rule(ASK),), hash="asking")


def policy(*actions: Action) -> Policy:
    """Return a policy with one rule for each action."""
    return Policy(
        tuple([rule(action, str(number)) for number, action in enumerate(actions)]), hash="p"
    )


def approve(decision: Decision, call: ToolCall, reading: Reading) -> Approval:
    """Approve this very decision."""
    del call, reading
    return Approval(decision.id, "bob")


@pytest.mark.parametrize(
    ("action", "ask", "headless", "verdict"),
    [
        (ALLOW, None, False, VERDICT_ALLOW),
        (WARN, None, False, VERDICT_ALLOW),
        (REVIEW, NATIVE, False, VERDICT_ASK),
        (REVIEW, None, False, VERDICT_DENY),
        (ASK, NATIVE, False, VERDICT_ASK),
        (ASK, NATIVE, True, VERDICT_DENY),
        (ASK, None, False, VERDICT_DENY),
        (ASK, approve, False, VERDICT_ALLOW),
        (ASK, approve, True, VERDICT_ALLOW),
        (THROTTLE, approve, False, VERDICT_DENY),
        (DENY, approve, False, VERDICT_DENY),
        (DENY, NATIVE, False, VERDICT_DENY),
    ],
)
def test_who_asks(action: Action, ask: Any, headless: bool, verdict: Verdict) -> None:
    """An ASK is settled by a person, passed on to a client that asks, and denied where nobody can
    be asked; a DENY is never settled.
    """
    guard = Guard(policy(action), ask=ask, facts=Recorded())
    assert guard.check(CALL.replace(headless=headless)).verdict == verdict


@pytest.mark.parametrize(
    "answer",
    [
        lambda _d, _c, _r: None,
        lambda _d, _c, _r: True,
        lambda _d, _c, _r: "yes",
        lambda d, _c, _r: Approval(d.id + "x", "bob"),
        lambda d, _c, _r: Approval(d.id, "bob", expires=1.0),
        lambda _d, _c, _r: 1 / 0,
    ],
)
def test_only_a_real_approval_counts(answer: Any) -> None:
    """A no, nonsense, an approval of another call, an expired one and a crash are all a no; the
    twin with a later expiry is a yes.
    """
    assert Guard(ASKING, ask=answer, facts=Recorded()).check(CALL).verdict == VERDICT_DENY
    later = Guard(
        ASKING,
        ask=lambda d, _c, _r: Approval(d.id, "bob", expires=time.time() + 60),
        facts=Recorded(),
    )
    assert later.check(CALL).verdict == VERDICT_ALLOW


def test_a_role_that_nobody_holds_is_anybodys() -> None:
    """Where no policy names who holds a role, the person at the prompt may approve."""
    demanding = Policy((rule(ASK, approver="lead"),))
    assert Guard(demanding, ask=NATIVE, facts=Recorded()).check(CALL).verdict == VERDICT_ASK


def test_a_role_is_not_at_the_prompt() -> None:
    """Who is asked at the client's prompt holds no role; without a role the same call is passed
    on.
    """
    demanding = Policy((rule(ASK, approver="lead"),), roles={"lead": frozenset({"alice"})})
    decision = Guard(demanding, ask=NATIVE, facts=Recorded()).check(CALL)
    assert decision.verdict == VERDICT_DENY
    assert Obligation("approver", "lead") in decision.obligations
    assert Guard(ASKING, ask=NATIVE, facts=Recorded()).check(CALL).verdict == VERDICT_ASK


def test_observing_only_observes() -> None:
    """An observing policy lets the call run and says what it would have done; a failed reading is
    no observation.
    """
    decision = Guard(policy(DENY).replace(observe=True), facts=Recorded()).check(CALL)
    assert (decision.verdict, decision.would) == (VERDICT_ALLOW, VERDICT_DENY)


# -- an embedder's rules and validator -------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (None, VERDICT_ALLOW),
        (ALLOW, VERDICT_ALLOW),
        (WARN, VERDICT_ALLOW),
        (ASK, VERDICT_ASK),
        (DENY, VERDICT_DENY),
        (Finding("my.own", DENY), VERDICT_DENY),
    ],
)
def test_own_rules(said: Any, verdict: Verdict) -> None:
    """An embedder's rule abstains with None; the strictest answer wins, whatever the order."""

    def mine(call: ToolCall, reading: Reading) -> Any:
        assert call.name == CALL.name
        assert reading.effects
        return said

    orders: list[list[Any]] = [
        [mine, lambda _c, _r: None],
        [lambda _c, _r: None, mine],
        [rule(WARN), mine],
    ]
    for rules in orders:
        assert Guard(HARMLESS, rules, NATIVE, facts=Recorded()).check(CALL).verdict == verdict


def test_own_rows() -> None:
    """An embedder's rule may be a row like those of the catalogue, and then the policy is another
    one.
    """
    guard = Guard(HARMLESS, [rule(DENY)], facts=Recorded())
    assert guard.check(CALL).verdict == VERDICT_DENY
    assert guard.policy.hash != HARMLESS.hash


@pytest.mark.parametrize(
    ("said", "floor", "verdict"),
    [
        (Finding("v", ALLOW), ALLOW, VERDICT_ALLOW),
        (Finding("v", ALLOW), WARN, VERDICT_ALLOW),
        (Finding("v", ALLOW), REVIEW, VERDICT_ASK),
        (Finding("v", ASK), ALLOW, VERDICT_ASK),
        (Finding("v", DENY), ALLOW, VERDICT_DENY),
        (None, ALLOW, VERDICT_ASK),
        ("ALLOW", ALLOW, VERDICT_ASK),
        (True, ALLOW, VERDICT_ASK),
    ],
)
def test_validator(said: Any, floor: Action, verdict: Verdict) -> None:
    """A validator settles a review down to the rule's floor or tightens it; nonsense from it leaves
    the question to a person.
    """
    guard = Guard(
        Policy((rule(REVIEW, floor=floor),)), (), NATIVE, lambda _c, _r, _d: said, facts=Recorded()
    )
    assert guard.check(CALL).verdict == verdict


def test_validator_is_only_for_reviews() -> None:
    """A validator is not asked about an ASK and cannot settle one."""
    guard = Guard(
        policy(REVIEW, ASK), (), NATIVE, lambda _c, _r, _d: Finding("v", ALLOW), facts=Recorded()
    )
    assert guard.check(CALL).verdict == VERDICT_ASK


# -- every stage fails in turn ---------------------------------------------------------------------


def fault(error: type[BaseException]) -> Callable[..., Any]:
    """Return a function that raises."""

    def fail(*_: Any, **__: Any) -> Any:
        raise error("on purpose")

    fail.__name__ = error.__name__
    return fail


def nonsense(value: object) -> Callable[..., Any]:
    """Return a function that answers with what nobody asked for."""

    def answer(*_: Any, **__: Any) -> Any:
        return value

    answer.__name__ = f"answers_{value!r}"
    return answer


class Rude(Exception):
    """An exception that cannot even say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


FAULTS: list[Callable[..., Any]] = [
    fault(error)
    for error in (
        ValueError,
        RecursionError,
        MemoryError,
        OSError,
        KeyError,
        StopIteration,
        UnicodeError,
        Rude,
        StoreError,
    )
]
NONSENSE: tuple[object, ...] = ("allow", 7, [], object, True, ALLOW, {})
FAULTS += [nonsense(value) for value in NONSENSE]


@pytest.mark.parametrize("broken", FAULTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("stage", ["read", "decide"])
def test_judging_fails(monkeypatch: pytest.MonkeyPatch, stage: str, broken: Any) -> None:
    """Where reading or the policy fails, the answer is ASK, and DENY where nobody can be asked;
    never an allow.
    """
    assert Guard(HARMLESS, ask=NATIVE, facts=Recorded()).check(CALL).verdict == VERDICT_ALLOW
    monkeypatch.setattr(walk, stage, broken)
    assert Guard(HARMLESS, ask=NATIVE, facts=Recorded()).check(CALL).verdict == VERDICT_ASK
    assert Guard(HARMLESS, facts=Recorded()).check(CALL).verdict == VERDICT_DENY


@pytest.mark.parametrize("broken", FAULTS, ids=lambda one: one.__name__)
def test_rule_and_asking_fail(broken: Any) -> None:
    """A rule or an asking that fails never lets a call run; a rule that answers ALLOW abstains."""
    verdict = Guard(HARMLESS, [broken], NATIVE, facts=Recorded()).check(CALL).verdict
    assert verdict == (
        VERDICT_ALLOW if broken.__name__ == "answers_allow" and broken() is ALLOW else VERDICT_ASK
    )
    assert Guard(ASKING, ask=broken, facts=Recorded()).check(CALL).verdict == VERDICT_DENY
    assert (
        Guard(policy(REVIEW), (), NATIVE, broken, facts=Recorded()).check(CALL).verdict
        == VERDICT_ASK
    )


@pytest.mark.parametrize("broken", FAULTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    "question",
    [
        "home",
        "temps",
        "real",
        "stat",
        "repository",
        "labels",
        "variable",
        "text",
        "loss",
        "made",
        "started",
        "own_code",
    ],
)
def test_facts_fail(question: str, broken: Any) -> None:
    """Facts that fail or lie about their kind never make a denied call an allowed one."""
    facts = Recorded()
    setattr(facts, question, broken)
    call = ToolCall(
        "shell",
        "Bash",
        {"command": "rm -rf ~/x /etc /tmp/x src; kill 1234"},
        "/home/user/p",
        ("/home/user/p",),
    )
    assert Guard(interlock_policy(), ask=NATIVE, facts=facts).check(call).verdict >= VERDICT_ASK


def interlock_policy() -> Policy:
    """Return the built-in policy."""
    from interlock.policy.builtin import builtin

    return builtin()


@pytest.mark.parametrize(
    "broken",
    [None, 7, "x", Policy(None), Policy((None,)), Policy((rule(Action(99)),))],  # type: ignore[arg-type]
)
def test_policy_is_nonsense(broken: Any) -> None:
    """A policy that is none never allows."""
    assert Guard(broken, ask=NATIVE, facts=Recorded()).check(CALL).verdict >= VERDICT_ASK


@pytest.mark.parametrize("field", ["tool", "name", "input", "cwd", "roots", "session", "headless"])
@pytest.mark.parametrize("value", [None, 7, object(), [object()]])
def test_call_is_nonsense(field: str, value: Any) -> None:
    """A call with a field of the wrong type is judged or refused, never a traceback."""
    command = ToolCall(
        "shell", "Bash", {"command": "rm -rf /etc"}, "/home/user/p", ("/home/user/p",)
    )
    if field in ("cwd", "roots", "session", "headless", "name"):
        assert (
            Guard(interlock_policy(), facts=Recorded())
            .check(command.replace(**{field: value}))
            .verdict
            == VERDICT_DENY
        )
    else:
        assert isinstance(
            Guard(interlock_policy(), facts=Recorded()).check(command.replace(**{field: value})),
            Decision,
        )
    assert Guard(interlock_policy(), facts=Recorded()).check(value).verdict == VERDICT_DENY


NOTHING = ("answers_[]", "answers_{}")
"""To remember nothing is a fair answer of ``ledger.seen``."""
RECORDING = [
    (part, broken)
    for part in ("audit.judged", "ledger.session", "ledger.seen", "store.commit")
    for broken in FAULTS
    if part != "ledger.seen" or broken.__name__ not in NOTHING
]


@pytest.mark.parametrize(("part", "broken"), RECORDING)
@pytest.mark.parametrize("action", [ALLOW, ASK, DENY])
def test_recording_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Action, part: str, broken: Any
) -> None:
    """A failure of audit or ledger leaves the verdict standing with a warning; a policy that
    requires the audit asks instead.
    """
    store = Store(str(tmp_path))
    parts = {"store": store, "audit": Audit(store), "ledger": Ledger(store)}
    service, method = part.split(".")
    monkeypatch.setattr(type(parts[service]), method, broken)
    guard = Guard(
        policy(action),
        ask=NATIVE,
        facts=Recorded(),
        audit=parts["audit"],  # type: ignore[arg-type]
        ledger=parts["ledger"],  # type: ignore[arg-type]
    )
    decision = guard.check(CALL)
    assert decision.verdict == Verdict.of(action)
    assert any(
        finding.action == WARN and finding.stage in ("audit", "ledger")
        for finding in decision.findings
    )
    required = Guard(
        policy(action).replace(audit_required=True),
        ask=None,
        facts=Recorded(),
        audit=parts["audit"],  # type: ignore[arg-type]
        ledger=parts["ledger"],  # type: ignore[arg-type]
    )
    if part != "ledger.session":
        assert required.check(CALL).verdict == VERDICT_DENY


def test_spool_is_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be written waits and is written with the next call; nothing is lost, the
    warning says where it is.
    """
    store = Store(str(tmp_path))
    guard = Guard(HARMLESS, facts=Recorded(), audit=Audit(store), ledger=Ledger(store))
    with monkeypatch.context() as patch:
        patch.setattr(Store, "commit", fault(StoreError))
        decision = guard.check(CALL)
        assert guard.outcome(Outcome(CALL, "ran", "done"))
    assert decision.verdict == VERDICT_ALLOW
    assert "spool" in decision.findings[-1].message
    assert not guard.check(CALL.replace(call_id="c2")).findings
    rows = last(store)
    assert [row["call_id"] for row in rows] == ["c2", "c"]
    assert rows[1]["status"] == "ran"


def test_nowhere_to_write(tmp_path: Path) -> None:
    """Where not even the spool can be written the verdict stands, and the loss is said."""
    (tmp_path / "file").write_text("in the way")
    store = Store(str(tmp_path / "file" / "state"))
    guard = Guard(HARMLESS, facts=Recorded(), audit=Audit(store), ledger=Ledger(store))
    decision = guard.check(CALL)
    assert decision.verdict == VERDICT_ALLOW
    assert "lost" in decision.findings[-1].message
    assert "lost" in guard.outcome(Outcome(CALL, "ran"))[0]


def test_damage_is_said(tmp_path: Path) -> None:
    """A damaged database costs no decision; the person is told where it went."""
    (tmp_path / "interlock.db").write_bytes(b"no database at all" * 400)
    store = Store(str(tmp_path))
    guard = Guard(HARMLESS, facts=Recorded(), audit=Audit(store), ledger=Ledger(store))
    decision = guard.check(CALL)
    assert decision.verdict == VERDICT_ALLOW
    assert len(last(store)) == 1
    assert not guard.check(CALL).findings


# -- laws ------------------------------------------------------------------------------------------

ACTIONS = st.integers(0, 5).map(Action)


@given(
    st.lists(ACTIONS, max_size=4),
    st.lists(ACTIONS, max_size=3),
    st.sampled_from([None, NATIVE, approve]),
)
def test_adding_never_loosens(some: list[Action], more: list[Action], ask: Any) -> None:
    """More rules, in the policy or an embedder's, never make the answer milder."""
    first = Guard(policy(*some), (), ask, facts=Recorded()).check(CALL)
    both = Guard(policy(*some, *more), (), ask, facts=Recorded()).check(CALL)
    own = Guard(
        policy(*some),
        [lambda _c, _r, said=said: said for said in more],  # type: ignore[misc]
        ask,
        facts=Recorded(),
    ).check(CALL)
    assert first.verdict <= both.verdict
    assert first.verdict <= own.verdict
    assert first.with_findings(*[Finding("x", action) for action in more]).verdict >= first.verdict
