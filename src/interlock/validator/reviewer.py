"""The validator as the guard calls it: a model's answer to what rules want reviewed."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING

from interlock.model.action import ALLOW, ASK
from interlock.model.decision import Finding
from interlock.validator import answer
from interlock.validator.endpoint import EndpointError, ask
from interlock.validator.question import question

if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading
    from interlock.model.policy import Reviewing
    from interlock.validator.question import Redactor


class Reviewer:
    """Asks the model that a policy names. An answer that cannot be had, or that is none, asks a person."""

    def __init__(self, how: Reviewing, redactor: Redactor) -> None:
        self._how = how
        self._redactor = redactor

    def __call__(self, call: ToolCall, reading: Reading, decision: Decision) -> Finding:
        """Return ``ALLOW``, ``DENY`` or ``ASK`` as a finding. What the model did not see whole it cannot allow."""
        asked = question(call, reading, decision, self._redactor, token_hex(16))
        try:
            said = answer.read(ask(self._how, asked))
        except EndpointError as error:
            return Finding("validator.failed", ASK, answer.STAGE, f"The validator was no help: {error}.")
        if said.action == ALLOW and not asked.whole:
            return Finding("validator.not-whole", ASK, answer.STAGE, "The validator would allow it, but the call is too long to be shown whole.")
        return said
