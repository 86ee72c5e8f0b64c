"""Who may approve: roles, how many people, and not the one who asks."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError
from interlock.approvals.terms import ApprovalTerms, Vote, enough
from interlock.approvals.user import me
from interlock.guard.services import NATIVE
from interlock.integrations.protocol import effective_verdict
from interlock.model.action import ASK, VERDICT_ALLOW, VERDICT_DENY
from interlock.model.decision import Approval
from interlock.model.effect import Deletes
from interlock.model.policy import Policy
from interlock.model.rule import Rule, on
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path

HOLDERS = {
    "lead": frozenset({"ann", "ben"}),
    "dba": frozenset({"dan", "ann"}),
    "empty": frozenset[str](),
}


def desk(folder: Path, **demand: object) -> Desk:
    """Return a desk whose policy asks about every deletion, with demands of its rule."""
    rule = Rule("t.delete", "deletes", "w", "i", on(Deletes), ASK)
    return Desk(folder, policy=Policy((rule.replace(**demand),), hash="roles", roles=HOLDERS))


def test_a_role_is_needed(tmp_path: Path) -> None:
    """Who holds the role approves it, at no client's prompt; who does not may not, and may not
    pretend to.
    """
    here = desk(tmp_path, approver="lead")
    name = here.requested("rm a")
    for person, role in (
        ("eve", ""),
        ("dan", ""),
        ("dan", "lead"),
        ("ann", "dba"),
        ("ann", "boss"),
    ):
        with pytest.raises(AnswerError, match="does not hold"):
            here.approve(name, person, role=role)
    here.approve(name, "ann", role="lead")
    decision = here.check("rm a")
    assert decision.verdict == VERDICT_ALLOW
    assert [duty.met for duty in decision.obligations] == [f"ann ({name})"]
    assert effective_verdict(decision) == VERDICT_ALLOW
    assert here.guarding(here.policy, NATIVE).check(here.call("rm b")).verdict == VERDICT_DENY


def test_the_prompt_needs_it_too(tmp_path: Path) -> None:
    """A yes at a prompt of our own counts in the roles that it is given in."""
    here = desk(tmp_path, approver="lead")

    def verdict(*roles: str) -> object:
        return (
            here.guarding(
                here.policy, lambda d, _c, _r: Approval(d.id, "x", roles=frozenset(roles))
            )
            .check(here.call("rm a"))
            .verdict
        )

    assert [verdict(), verdict("dba"), verdict("lead"), verdict("lead", "dba")] == [
        VERDICT_DENY,
        VERDICT_DENY,
        VERDICT_ALLOW,
        VERDICT_ALLOW,
    ]


def test_a_quorum(tmp_path: Path) -> None:
    """Two people of the role are two people: one of them twice is one."""
    here = desk(tmp_path, approver="lead", quorum=2)
    name = here.requested("rm a")
    assert here.approve(name, "ann").missing == "1 more of lead"
    with pytest.raises(AnswerError, match=r"have approved .* already; it needs 1 more of lead"):
        here.approve(name, "ann")
    assert here.check("rm a").verdict == VERDICT_DENY
    assert here.approve(name, "ben").missing == ""
    decision = here.check("rm a")
    assert decision.verdict == VERDICT_ALLOW
    assert {finding.settled.by for finding in decision.findings if finding.settled} == {
        f"ann, ben ({name})"
    }
    assert here.events()[:3] == ["approval-requested", "approval-vote", "approval-granted"]


def test_a_quorum_of_anybody(tmp_path: Path) -> None:
    """Without a role any two people will do."""
    here = desk(tmp_path, quorum=2)
    name = here.requested("rm a")
    assert here.approve(name, "eve").missing == "1 more"
    here.approve(name, "mallory")
    assert here.check("rm a").verdict == VERDICT_ALLOW


def test_not_the_requester(tmp_path: Path) -> None:
    """Who the agent acts for may not approve; anybody else may."""
    here = desk(tmp_path, second_person=True)
    name = here.requested("rm a", user="ann")
    with pytest.raises(AnswerError, match="on your behalf"):
        here.approve(name, "ann")
    here.approve(name, "ben")
    assert here.check("rm a", user="ann").verdict == VERDICT_ALLOW


def test_one_no_is_enough(tmp_path: Path) -> None:
    """A single no ends a request for which others had voted yes."""
    here = desk(tmp_path, approver="lead", quorum=2)
    name = here.requested("rm a")
    here.approve(name, "ann")
    answers.deny(here.store, name, "eve")
    with pytest.raises(AnswerError, match="was refused"):
        here.approve(name, "ben")


@pytest.mark.parametrize("demand", [{"approver": "lead"}, {"quorum": 2}, {"second_person": True}])
def test_a_grant_is_no_second_opinion(tmp_path: Path, demand: dict[str, object]) -> None:
    """What needs a role or another person is approved each time; the same call without the demand
    may be granted.
    """
    here = desk(tmp_path / "a", **demand)
    with pytest.raises(AnswerError, match="only be approved once"):
        here.approve(here.requested("rm a", user="ann"), "ben", scope="session")
    plain = desk(tmp_path / "b")
    plain.approve(plain.requested("rm a"), scope="session")
    assert [plain.check("rm a").verdict for _ in range(2)] == [VERDICT_ALLOW] * 2
    later = plain.policy.replace(
        rules=tuple([rule.replace(**demand) for rule in plain.policy.rules])
    )
    assert plain.guarding(later).check(plain.call("rm a")).verdict == VERDICT_DENY


PEOPLE = st.sampled_from("abcd")
ROLES = st.sampled_from(["lead", "dba", "ops"])


@given(
    st.frozensets(ROLES, max_size=2),
    st.integers(1, 3),
    st.lists(st.builds(Vote, PEOPLE, st.frozensets(ROLES)), max_size=5),
)
def test_enough_is_enough_people_of_every_role(
    roles: frozenset[str], quorum: int, votes: list[Vote]
) -> None:
    """An approval is enough exactly when each role has its number of different people, and so many
    people spoke at all.
    """
    last = {vote.person: vote.roles for vote in votes}
    wanted = len(last) >= quorum and all(
        len({person for person, held in last.items() if role in held}) >= quorum for role in roles
    )
    assert enough(ApprovalTerms(tuple(roles), quorum), votes) == wanted


def test_a_person_is_no_variable() -> None:
    """Who somebody is, is asked of the system: variables change nothing."""
    code = "from interlock.approvals.user import me; print(me())"
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={"USER": "boss", "LOGNAME": "boss", "USERNAME": "boss"},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    assert said.stdout.strip() == me() != "boss"
