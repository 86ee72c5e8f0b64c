"""The validator as the guard calls it: a model's answer to what rules want reviewed."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex

from interlock.model.action import ASK
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading
from interlock.model.policy import Reviewing
from interlock.validator import answer
from interlock.validator.endpoint import EndpointError, ask
from interlock.validator.question import QuestionRedactor, question
from interlock.validator.review import Review

Told = Callable[[ToolCall, Review], None]
"""Is told of each review what it took."""


class Reviewer:
    """Asks the model that a policy names, once. An answer that cannot be had, or that is none, asks
    a person.

    ``key``: the endpoint's key, where it is not in a file. ``told`` is told what each review took.
    """

    def __init__(
        self, how: Reviewing, redactor: QuestionRedactor, key: str = "", told: Told | None = None
    ) -> None:
        self._how = how
        self._redactor = redactor
        self._key = key
        self._told = told

    def __call__(self, call: ToolCall, reading: Reading, decision: Decision) -> Finding:
        """Return ``ALLOW``, ``DENY`` or ``ASK`` as a finding. What the model did not see whole it
        cannot allow.
        """
        asked = question(call, reading, decision, self._redactor, token_hex(16))
        try:
            said = ask(self._how, asked, self._key)
        except EndpointError as error:
            return answer.VALIDATOR.finding("failed", ASK, f"The validator was no help: {error}.")
        if self._told is not None:
            self._told(
                call, Review(answer.VALIDATOR.id, self._how.model, 1, said.usage, said.counted)
            )
        return answer.weigh_answer(answer.read(said.text), asked)
