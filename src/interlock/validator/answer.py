"""The one-line protocol: ``ALLOW``, ``DENY: reason`` or ``ASK: reason``. Whatever else a model says is no answer."""

from __future__ import annotations

from interlock.engine.explain import one_line
from interlock.model.action import ALLOW, ASK, DENY
from interlock.model.decision import Finding

STAGE = "validator"
MOST = 300
"""Characters of a reason that are passed on."""
_ACTIONS = {"DENY": DENY, "ASK": ASK}


def read(said: str) -> Finding:
    """Return what a model's answer means. Total: what is not exactly one line of the protocol asks a person."""
    line = said.strip(" \t\r\n")
    if line == "ALLOW":
        return Finding("validator.allowed", ALLOW, STAGE, "The validator sees nothing wrong with it.")
    word, colon, reason = line.partition(":")
    reason = one_line(reason)
    if word in _ACTIONS and colon and reason and len(line.splitlines()) == 1:
        return Finding(f"validator.{word.lower()}", _ACTIONS[word], STAGE, f"The validator, a language model, says: {_short(reason)}")
    return Finding(
        "validator.unclear", ASK, STAGE, f"The validator did not answer in one line of its protocol: {_short(one_line(line)) or 'nothing'}"
    )


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[: MOST - 1] + "…"
