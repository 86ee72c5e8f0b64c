"""How a review is asked for: which judge, with what in its hands, and where what it took is
counted. Loaded by the few calls that are reviewed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from interlock.audit.log import Audit
from interlock.guard.failures import Failure, attempt
from interlock.limits.meter import Meter
from interlock.limits.prices import DOLLAR, cost
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.policy import Policy
from interlock.policy.files import PolicyLocations
from interlock.policy.skills import skills
from interlock.store.protocol import Storage
from interlock.validator.agent.conversation import GuardAgent, GuardAgentContext
from interlock.validator.agent.memory import Memory
from interlock.validator.answer import GUARD_AGENT
from interlock.validator.environment import NamedJudge
from interlock.validator.review import Review
from interlock.validator.reviewer import Reviewer


class ReviewerSetup(NamedTuple):
    """What a review is made with. ``where``: makes the places of skills. ``judge``: who is asked
    where the policy names nobody.

    ``told``: is told what each review took; such a review is a trial, which is neither counted nor
    remembered.
    """

    kept: Storage
    held: Policy
    facts: Facts
    where: Callable[[], PolicyLocations]
    judge: NamedJudge | None = None
    told: Callable[[Review], None] | None = None


def review(
    desk: ReviewerSetup, call: ToolCall, reading: Reading, decision: Decision
) -> Finding | None:
    """Return what a language model says of a call, or None where none is named."""
    redactor = Audit(desk.kept, desk.held.redacted).redactor
    how, key = desk.held.reviewing, ""
    if how is None and desk.judge is not None:
        how, key = desk.judge.how, desk.judge.key
    if how is None:
        return None

    def took(_: ToolCall, one: Review) -> None:
        _count_usage(desk, call, one)

    if not how.agent:
        return Reviewer(how, redactor, key, took)(call, reading, decision)
    # a trial keeps no answer: whoever tried often enough would have the best one remembered
    memory = Memory(desk.kept, how.remember, keeps=desk.told is None) if how.remember else None
    means = GuardAgentContext(
        desk.facts, desk.held.hash, key, lambda: skills(desk.where()), memory, took
    )
    return GuardAgent(how, redactor, means)(call, reading, decision)


def _count_usage(desk: ReviewerSetup, call: ToolCall, one: Review) -> None:
    if desk.told is not None:
        desk.told(one)
    elif one.turns:
        failure = attempt(
            "limits", lambda: Meter(desk.kept).reviewed(call, one.usage, desk.held), type(None)
        )
        if isinstance(failure, Failure):
            desk.kept.notices.append(f"What the validator used could not be counted: {failure.why}")


def describe_review(one: Review, held: Policy) -> str:
    """Return in a line which judge spoke, and what it took."""
    name = "the guard agent" if one.judge == GUARD_AGENT.id else "the validator"
    if one.remembered:
        return f"{name} ({one.model}), by an answer that it gave before: nobody was asked"
    money = cost(one.usage, held.limits.prices if held.limits is not None else ())
    price = "its price is not known" if money is None else f"${money / DOLLAR:.4f}"
    about = "" if one.counted else "about "
    used = (
        f"{about}{one.usage.input + one.usage.cached:,} tokens in and {one.usage.output:,} out,"
        f" {price}"
    )
    learned = f", skills: {', '.join(one.skills)}" if one.skills else ""
    return (
        f"{name} ({one.model}), {one.turns} {'turn' if one.turns == 1 else 'turns'},"
        f" {used}{learned}"
    )
