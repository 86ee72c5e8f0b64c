"""What the policy makes of a proof: the client's own question is answered, or a call that is not
proven is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.audit.log import Audit
from interlock.audit.query import last
from interlock.audit.replay import decision as recorded
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.model.action import (
    ALLOW,
    ASK,
    DENY,
    REVIEW,
    VERDICT_ALLOW,
    VERDICT_ASK,
    VERDICT_DENY,
    WARN,
    Action,
)
from interlock.model.call import EDIT, FETCH, OTHER, READ, TASK, WRITE, ToolCall
from interlock.model.decision import Decision, Finding, Obligation
from interlock.model.policy import (
    APPROVE,
    IN_WORKSPACE,
    PASS,
    READ_ONLY,
    WITH_NETWORK,
    Named,
    Policy,
)
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.judging import ROOT, shell, tool

if TYPE_CHECKING:
    from pathlib import Path


def approving(scope: str = IN_WORKSPACE, unproven: Action = ALLOW) -> Policy:
    """Return the built-in policy where a proof answers the client's question."""
    return builtin().replace(proven=APPROVE, proven_scope=scope, unproven=unproven)


def judged(call: ToolCall, policy: Policy) -> Decision:
    """Return the whole walk's decision."""
    return Guard(policy, ask=NATIVE, facts=Recorded("/home/user")).check(call)


@pytest.mark.parametrize(
    ("call", "scopes"),
    [
        (shell("git status --short"), (READ_ONLY, IN_WORKSPACE, WITH_NETWORK)),
        (shell("ls -la src | head -3 > /dev/null"), (READ_ONLY, IN_WORKSPACE, WITH_NETWORK)),
        (
            tool(READ, {"file_path": f"{ROOT}/a.py"}, "Read"),
            (READ_ONLY, IN_WORKSPACE, WITH_NETWORK),
        ),
        (shell("touch a.txt"), (IN_WORKSPACE, WITH_NETWORK)),
        (shell("npm test"), (IN_WORKSPACE, WITH_NETWORK)),
        (shell("sh scripts/check.sh"), (IN_WORKSPACE, WITH_NETWORK)),
        (shell("curl -s http://localhost:3000/health"), (IN_WORKSPACE, WITH_NETWORK)),
        (
            tool(WRITE, {"file_path": f"{ROOT}/a.py", "content": "x"}, "Write"),
            (IN_WORKSPACE, WITH_NETWORK),
        ),
        (
            tool(EDIT, {"file_path": f"{ROOT}/a.py", "old_string": "a", "new_string": "b"}, "Edit"),
            (IN_WORKSPACE, WITH_NETWORK),
        ),
        (shell("git fetch origin"), (WITH_NETWORK,)),
        (
            tool(FETCH, {"url": "https://docs.python.org/3/", "prompt": "what is new"}, "WebFetch"),
            (WITH_NETWORK,),
        ),
        (tool(FETCH, {"url": "https://unknown.test/", "prompt": "what is new"}, "WebFetch"), ()),
        (shell("curl -d @a.txt https://github.com/x"), ()),
        (shell("frobnicate a"), ()),
        (shell("git push"), ()),
        (shell("cat .env"), ()),
        (shell("rm -rf /"), ()),
        (
            shell("touch a.txt").replace(
                input={"command": "touch a.txt", "dangerouslyDisableSandbox": True}
            ),
            (),
        ),
        (ToolCall(TASK, "Task", {"prompt": "do it"}, ROOT, (ROOT,)), ()),
        (ToolCall(OTHER, "ExitPlanMode", {"plan": "do it"}, ROOT, (ROOT,)), ()),
    ],
    ids=str,
)
def test_the_clients_question_is_answered_about_what_lies_in_the_scope(
    call: ToolCall, scopes: tuple[str, ...]
) -> None:
    """And about nothing else; without the policy's word about nothing at all."""
    assert (
        tuple(
            scope
            for scope in (READ_ONLY, IN_WORKSPACE, WITH_NETWORK)
            if judged(call, approving(scope)).approves
        )
        == scopes
    )
    assert not judged(call, builtin()).approves


def test_a_policy_that_only_observes_answers_nothing() -> None:
    """Nor does one that a rule of which spoke, or that obliges to more than the client does."""
    assert not judged(shell("touch a.txt"), approving().replace(observe=True)).approves
    proven = judged(shell("touch a.txt"), approving())
    assert proven.approves
    assert not proven.with_findings(Finding("x.y", WARN)).approves
    assert not proven.replace(obligations=(Obligation("redact"),)).approves
    assert proven.replace(obligations=(Obligation("checkpoint", met="here"),)).approves


def test_a_place_of_the_policys_own_counts() -> None:
    """What a policy calls a secret is none that may be read without a question."""
    policy = approving().replace(places=(Named(("**/vault/**",), frozenset({"secret"})),))
    assert not judged(shell("cat vault/a.txt"), policy).approves
    assert judged(shell("cat src/a.txt"), policy).approves


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("ls -la", VERDICT_ALLOW),
        ("npm test", VERDICT_ALLOW),
        ("frobnicate a", VERDICT_ASK),
        ("git push origin topic", VERDICT_ASK),
        ("rm -rf /", VERDICT_DENY),
    ],
)
def test_what_is_not_proven_is_asked_about_where_the_policy_says_so(
    command: str, verdict: object
) -> None:
    """The reason names what is not known, and a stricter answer stays."""
    decision = judged(shell(command), approving(unproven=ASK))
    assert decision.verdict == verdict
    said = [finding.message for finding in decision.findings if finding.rule == "proof.unproven"]
    assert bool(said) is (verdict == VERDICT_ASK)


@pytest.mark.parametrize("action", [REVIEW, ASK, DENY])
def test_every_word_for_the_unproven_holds(action: Action) -> None:
    """It is the least that is answered, a sub-agent is none of it, and a proven call is never
    touched.
    """
    policy = approving(unproven=action)
    assert judged(shell("frobnicate a"), policy).action == action
    assert judged(shell("ls"), policy).action == ALLOW
    assert (
        judged(ToolCall(TASK, "Task", {"prompt": "do it"}, ROOT, (ROOT,)), policy).action == ALLOW
    )


def test_a_proof_that_fails_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error while proving is no proof."""

    def broken(*_given: object) -> Decision:
        raise ZeroDivisionError

    monkeypatch.setattr("interlock.guard.stages.add_proof", broken)
    decision = judged(shell("ls"), approving())
    assert (decision.verdict, decision.approves) == (VERDICT_ASK, False)


def test_it_is_recorded_and_counts_for_the_very_same_call_once(tmp_path: Path) -> None:
    """What the client asks about next is answered by the decision just made: not for another
    command, session or folder, nor when it has run.
    """
    store = Store(str(tmp_path / "s"))
    guard = Guard(
        approving(),
        ask=NATIVE,
        facts=Recorded("/home/user"),
        audit=Audit(store),
        ledger=Ledger(store),
    )
    call = shell("touch a.txt").replace(session="s", call_id="c")
    assert not guard.approved(call)
    assert guard.check(call).approves
    [row] = last(store)[:1]
    assert (row["proof"], row["doubts"], recorded(row).proof) == ("approved", "[]", "approved")
    assert guard.approved(call)
    assert not guard.approved(call.replace(session="other"))
    assert not guard.approved(call.replace(cwd="/srv"))
    assert not guard.approved(
        call.replace(input={"command": "touch a.txt", "description": "network-access example.org"})
    )
    guard.check(shell("frobnicate").replace(session="s", call_id="d"))
    [row] = last(store)[:1]
    assert (row["proof"], guard.approved(call)) == ("", False)


def test_without_the_policys_word_a_proof_is_only_recorded(tmp_path: Path) -> None:
    """So that what ``approve`` would have answered can be told before anybody switches it on."""
    store = Store(str(tmp_path / "s"))
    guard = Guard(builtin(), ask=NATIVE, facts=Recorded("/home/user"), audit=Audit(store))
    assert builtin().proven == PASS
    guard.check(shell("touch a.txt").replace(session="s"))
    [row] = last(store)[:1]
    assert row["proof"] == "proven"
    assert not guard.approved(shell("touch a.txt").replace(session="s"))


def test_a_client_that_asks_first_is_answered_without_a_trace(tmp_path: Path) -> None:
    """Qwen Code asks before its hook judges: the same walk answers, and leaves no record; what is
    stopped or asked about gets no yes.
    """
    store = Store(str(tmp_path / "s"))
    guard = Guard(
        approving(),
        ask=NATIVE,
        facts=Recorded("/home/user"),
        audit=Audit(store),
        ledger=Ledger(store),
    )
    call = shell("touch a.txt").replace(session="s")
    assert guard.approved(call, judged=False)
    assert last(store) == []
    assert not guard.approved(shell("rm -rf ~/photos").replace(session="s"), judged=False)
    assert not Guard(builtin(), ask=NATIVE, facts=Recorded("/home/user")).approved(
        call, judged=False
    )
    guard.flags = lambda _: (Finding("stop.all", DENY),)
    assert not guard.approved(call, judged=False)
