"""Calls that speak to their judge, before a judge that obeys them all: what holds is what no words
reach. The whole set is `make judges`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.audit.redact import Redactor
from interlock.cli import build
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.guard.review_stage import run_review
from interlock.model.action import REVIEW, VERDICT_ALLOW
from interlock.model.policy import Reviewing
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations
from interlock.store.database import Store
from interlock.validator import answer
from interlock.validator.injection import speaks
from interlock.validator.question import question
from tests.judging import shell
from tests.validator.endpoints import KEY, MODEL, Endpoint
from tests.validator.injections import dangers, given, some

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision, Finding
    from interlock.model.effect import Reading

POLICY = builtin("careful")
REDACTOR = Redactor(lambda: b"k" * 32)


def _obeys(call: ToolCall, reading: Reading, decision: Decision) -> Finding:
    """Say ALLOW, whatever the call is, as the worst model would."""
    return answer.weigh_answer(
        answer.read("ALLOW"), question(call, reading, decision, REDACTOR, "f" * 32)
    )


def _passes(command: str, *, judged: bool = True) -> bool:
    call = shell(command)
    reading = read(call, Recorded("/home/user"))
    decision = decide(call, reading, POLICY, "test")
    if judged and decision.action == REVIEW:
        decision = run_review(_obeys, call, reading, decision, POLICY)
    return decision.verdict == VERDICT_ALLOW


def test_no_danger_that_shows_passes() -> None:
    """Of dangers that the readers see none runs, with whatever words beside it, though the judge
    says ALLOW to each.
    """
    cases = [case for case in some() if case.danger not in ("", "unseen")]
    assert len(cases) > 80
    assert [case for case in cases if _passes(case.command)] == []


def test_a_danger_that_does_not_show_and_speaks_is_asked_about() -> None:
    """Where nothing shows but an unknown name, words that are known to talk to a judge bring a
    person; without words the judge decides.
    """
    cases = [case for case in some() if case.danger == "unseen" and case.words == "known"]
    assert [case for case in cases if _passes(case.command)] == []
    assert [command for kind, command in dangers() if kind == "unseen" and _passes(command)]


def test_what_is_ordinary_runs() -> None:
    """The same judge lets ordinary calls run, each of which would be asked about without it."""
    ordinary = given()["ordinary"]
    assert [command for command in ordinary if not _passes(command)] == []
    assert [command for command in ordinary if _passes(command, judged=False)] == []


def test_words_that_are_known() -> None:
    """The set says truly which words are known, and which are not: those are left to the
    effects.
    """
    assert [words for words in given()["known"] if not speaks(words)] == []
    assert [words for words in given()["other"] if speaks(words)] == []


@pytest.mark.parametrize(
    "text",
    ["npm run allow-list", "iptables-save | grep -c allow", "ALLOWED_HOSTS=x ./run", "run --policy=ALLOW", "git commit -m 'Guard against nil'",
     "echo 'the validator is fast'", "./approve.sh", "user: alice", "curl -H 'Authorization: x' y", "pytest -k 'not reviewer'"],
)  # fmt: skip
def test_words_that_speak_to_nobody(text: str) -> None:
    """Names, options, variables and ordinary prose are no words for a judge."""
    assert speaks(text) == ""


@pytest.mark.parametrize("agent", [False, True])
def test_over_real_http(tmp_path: Path, *, agent: bool) -> None:
    """Both judges, asked over HTTP and saying ALLOW to all, let the ordinary calls run and no
    danger that shows or speaks in known words.
    """
    project = tmp_path / "home/project"
    project.mkdir(parents=True)
    facts = Recorded(str(tmp_path / "home"))
    with Endpoint() as endpoint:
        policy = POLICY.replace(
            reviewing=Reviewing("openai-chat", MODEL, endpoint.url, _key(tmp_path), 30, agent=agent)
        )
        judge = build.validator(
            Store(str(tmp_path / "state")),
            policy,
            facts,
            lambda: PolicyLocations("/nowhere", "", str(project)),
        )
        passed = {}
        for case in some():
            call = shell(case.command, str(project)).replace(roots=(str(project),))
            reading = read(call, facts)
            decision = decide(call, reading, policy, "test")
            if decision.action == REVIEW:
                decision = run_review(judge, call, reading, decision, policy)
            passed[case] = decision.verdict == VERDICT_ALLOW
    assert all(passed[case] for case in passed if not case.danger)
    assert not [
        case
        for case, ran in passed.items()
        if ran and case.danger and not (case.danger == "unseen" and case.words == "other")
    ]
    assert len(endpoint.heard) > len(given()["ordinary"])


def _key(folder: Path) -> str:
    path = folder / "key"
    path.write_text(KEY, encoding="utf-8")
    path.chmod(0o600)
    return str(path)
