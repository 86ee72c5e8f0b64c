"""Obligations: what has to go with a call is carried out by whoever can, else asked about; a denial
carries nothing out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.facts import Recorded
from interlock.guard import obligations
from interlock.guard.check import Guard
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.decision import Approval, Decision, Obligation
from interlock.policy.value_kinds import WORDS
from tests.judging import shell
from tests.policy.layering import policy

if TYPE_CHECKING:
    from interlock.guard.walk import CallWalk
    from interlock.model.call import ToolCall
    from interlock.model.effect import Reading

FACTS = Recorded("/home/user")
CALL = shell("npm install left-pad")
DUTIES = tuple(str(word) for word in WORDS["obligation word"].schema["enum"])


def obliged(*names: str, action: str = "warn") -> str:
    """Write a policy that wants this with every installation."""
    return f"obligations: [{{rule: pkg.install-named, do: [{', '.join(names)}]}}]\ntune: [{{rule: pkg.install-named, action: {action}}}]"


def approve(decision: Decision, call: ToolCall, reading: Reading) -> Approval:
    """Approve whatever comes."""
    del call, reading
    return Approval(decision.id, "ann")


@pytest.mark.parametrize("name", DUTIES)
def test_what_nothing_carries_out_is_asked_about(name: str) -> None:
    """Each obligation a policy may name, but for telling somebody afterwards, stops the call where
    nobody can be asked.
    """
    decision = Guard(policy(obliged(name)), facts=FACTS).check(CALL)
    assert decision.verdict == (VERDICT_ALLOW if name == "notify" else VERDICT_DENY)
    assert Obligation(name) in decision.obligations
    assert name == "notify" or any(
        finding.rule == "policy.not-carried-out" and finding.instead
        for finding in decision.findings
    )


@pytest.mark.parametrize("name", [name for name in DUTIES if name != "notify"])
def test_who_runs_the_call_may_carry_it_out(name: str) -> None:
    """What the enforcement point says it does is met, asks nobody, and is in the record; another
    one still asks.
    """
    guard = Guard(policy(obliged(name)), facts=FACTS, carries=frozenset({name}))
    decision = guard.check(CALL)
    assert (decision.verdict, decision.obligations) == (
        VERDICT_ALLOW,
        (Obligation(name, met=obligations.ENFORCER),),
    )
    other = Guard(policy(obliged(name)), facts=FACTS, carries=frozenset({"nothing"}))
    assert other.check(CALL).verdict == VERDICT_DENY


@pytest.mark.parametrize(
    ("said", "verdict"), [("checkpoint c-1", VERDICT_ALLOW), ("", VERDICT_DENY)]
)
def test_an_organ_carries_it_out_or_does_not(
    monkeypatch: pytest.MonkeyPatch, said: str, verdict: object
) -> None:
    """A row of the table is asked for any call; where it says nothing, nothing was done."""
    monkeypatch.setitem(obligations.CARRIERS, "redact", lambda _guard, _walk: said)
    assert Guard(policy(obliged("redact")), facts=FACTS).check(CALL).verdict == verdict


def test_what_carries_out_and_fails_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure loosens nothing and says why."""

    def failing(_guard: object, _walk: object) -> str:
        raise OSError("no space left")

    monkeypatch.setitem(obligations.CARRIERS, "redact", failing)
    decision = Guard(policy(obliged("redact", "notify")), facts=FACTS).check(CALL)
    assert decision.verdict == VERDICT_DENY
    assert any("no space left" in finding.message for finding in decision.findings)


def test_nothing_is_carried_out_for_what_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is denied anyway needs no checkpoint; one that asks for another reason gets its
    own.
    """
    taken: list[str] = []

    def carrier(_guard: object, walk: CallWalk) -> str:
        taken.append(walk.decision.id)
        return "done"

    monkeypatch.setitem(obligations.CARRIERS, "redact", carrier)
    assert (
        Guard(policy(obliged("redact", action="deny")), facts=FACTS).check(CALL).verdict
        == VERDICT_DENY
    )
    assert taken == []
    assert (
        Guard(policy(obliged("redact", action="ask")), ask=approve, facts=FACTS).check(CALL).verdict
        == VERDICT_ALLOW
    )
    assert len(taken) == 1


def test_a_person_may_let_it_run_without() -> None:
    """Who was asked knew what was missing: the duty is met by their word, and nothing more has to
    be done.
    """
    decision = Guard(policy(obliged("sandbox", "notify")), ask=approve, facts=FACTS).check(CALL)
    assert (decision.verdict, decision.obligations) == (
        VERDICT_ALLOW,
        (Obligation("sandbox", met="ann"), Obligation("notify")),
    )
    assert (
        Guard(policy(obliged("sandbox")), ask=lambda *_: None, facts=FACTS).check(CALL).verdict
        > VERDICT_ASK
    )
