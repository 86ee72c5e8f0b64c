"""A law: a row, free of secrets as it is, is judged like the call was, by any policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.entry import Judged, decision_row
from interlock.audit.redact import Redactor
from interlock.audit.replay import findings, replay
from interlock.engine.decide import decide
from interlock.model.call import ToolCall
from interlock.model.effect import Effect, Reading
from interlock.model.policy import Policy
from interlock.store.schema import AUDIT_COLUMNS
from tests.test_reference import EFFECTS, policies

if TYPE_CHECKING:
    from interlock.model.rule import Rule

REDACTOR = Redactor(lambda: b"k" * 32)
SECRET = "ghp_" + "a1B2" * 9


@given(policies(), EFFECTS, st.booleans())
def test_a_row_is_judged_like_its_call(rules: tuple[Rule, ...], effects: tuple[Effect, ...], secret: bool) -> None:
    """The rules that spoke, what they said and of which effect are the same, whether or not the words held a secret."""
    call = ToolCall("shell", "Bash", {"command": f"x {SECRET}"}, "/w", ("/w",), session="s")
    policy = Policy(rules)
    told = tuple([effect.replace(detail=f"with {SECRET}", by="x") for effect in effects]) if secret else effects
    decision = decide(call, Reading(told), policy, "d")
    _, values = decision_row(Judged(call, Reading(told), decision, policy), REDACTOR)
    row = dict(zip(AUDIT_COLUMNS, values, strict=True))
    assert SECRET not in repr(row)
    again = decide(*replay(row), policy, "d")
    assert again.findings == findings(row)
    assert [(one.rule, one.action) for one in again.findings] == [(one.rule, one.action) for one in decision.findings]
    assert again.verdict == decision.verdict
