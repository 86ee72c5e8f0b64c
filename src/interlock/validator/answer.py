"""The one-line protocol: ``ALLOW``, ``DENY: reason`` or ``ASK: reason``. Whatever else a model says
is no answer.
"""

from __future__ import annotations

from interlock.engine.explain import one_line
from interlock.model.action import ALLOW, ASK, DENY, Action
from interlock.model.decision import Finding
from interlock.model.record import Record
from interlock.validator.question import ReviewQuestion

STAGE = "validator"
MOST = 300
"""Characters of a reason that are passed on."""
_ACTIONS = {"DENY": DENY, "ASK": ASK}


class JudgeName(Record):
    """Who answers: the name in rules' ids, and the one in sentences."""

    id: str
    name: str

    def finding(self, what: str, action: Action, message: str) -> Finding:
        """Return what this judge says as a finding."""
        return Finding(f"{self.id}.{what}", action, STAGE, message)


VALIDATOR = JudgeName("validator", "The validator")
GUARD_AGENT = JudgeName("guard-agent", "The guard agent")


def read(said: str, judge: JudgeName = VALIDATOR) -> Finding:
    """Return what a model's answer means. Total: what is not exactly one line of the protocol asks
    a person.
    """
    line = said.strip(" \t\r\n")
    if line == "ALLOW":
        return judge.finding("allowed", ALLOW, f"{judge.name} sees nothing wrong with it.")
    word, colon, reason = line.partition(":")
    reason = one_line(reason)
    if word in _ACTIONS and colon and reason and len(line.splitlines()) == 1:
        return judge.finding(
            word.lower(), _ACTIONS[word], f"{judge.name}, a language model, says: {_short(reason)}"
        )
    told = _short(one_line(line)) or "nothing"
    return judge.finding(
        "unclear", ASK, f"{judge.name} did not answer in one line of its protocol: {told}"
    )


def weigh_answer(said: Finding, question: ReviewQuestion, judge: JudgeName = VALIDATOR) -> Finding:
    """Return what an answer is worth: what the model did not see whole, or what spoke to it, it
    cannot allow.
    """
    if said.action != ALLOW:
        return said
    if not question.whole:
        return judge.finding(
            "not-whole",
            ASK,
            f"{judge.name} would allow it, but the call is too long to be shown whole.",
        )
    if question.speaks:
        message = (
            f"{judge.name} would allow it, but the call speaks to whoever judges it"
            f" ({question.speaks!r}), so a person decides."
        )
        return judge.finding("spoken-to", ASK, message)
    return said


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[: MOST - 1] + "…"
