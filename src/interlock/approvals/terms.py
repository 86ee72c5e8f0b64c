"""On what terms a call may be approved: which of its findings ask, whose approval they need, how
long there is to answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.model.action import ASK, REVIEW
from interlock.model.decision import Decision, Finding
from interlock.model.policy import Policy
from interlock.model.record import Record


class ApprovalTerms(Record):
    """What an approval takes.

    ``roles``: each of them has to approve, ``quorum`` people of each. ``second_person``: none of
    them is the requester. ``seconds``: to answer.
    """

    roles: tuple[str, ...] = ()
    quorum: int = 1
    second_person: bool = False
    seconds: int = 300

    @property
    def several(self) -> bool:
        """Whether one answer at one prompt can never be enough."""
        return self.quorum > 1 or self.second_person


class Vote(Record):
    """One person's yes, and the roles it is given in."""

    person: str
    roles: frozenset[str] = frozenset()


def asking(decision: Decision) -> tuple[Finding, ...]:
    """Return the findings that only a person settles. DENY and THROTTLE are never among them."""
    return tuple([finding for finding in decision.findings if finding.effective in (REVIEW, ASK)])


def terms(decision: Decision, policy: Policy) -> ApprovalTerms:
    """Return the terms of a call: the strictest of those that its asking rules name."""
    asked = {finding.rule for finding in asking(decision)}
    rules = [rule for rule in policy.rules if rule.id in asked]
    roles = sorted(
        {duty.detail for duty in decision.obligations if duty.name == "approver" and not duty.met}
    )
    return ApprovalTerms(
        tuple(roles),
        max([rule.quorum for rule in rules], default=1),
        any(rule.second_person for rule in rules),
        min([rule.seconds for rule in rules if rule.seconds], default=policy.approving.seconds),
    )


def enough(needed: ApprovalTerms, votes: Iterable[Vote]) -> bool:
    """Tell whether these votes are an approval. A person counts once, in each voted role."""
    people = {vote.person: vote.roles for vote in votes}
    return (
        all(
            sum(role in roles for roles in people.values()) >= needed.quorum
            for role in needed.roles
        )
        and len(people) >= needed.quorum
    )


def find_roles(person: str, holders: Mapping[str, frozenset[str]] | None) -> frozenset[str]:
    """Return the roles that a person holds."""
    return frozenset([role for role, people in (holders or {}).items() if person in people])
