"""A policy whose rules are changed is one of these rules."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin

HELD = builtin()
CALL = ToolCall(SHELL, "Bash", {"command": "rm -rf /etc"}, "/home/user/project")


@pytest.mark.parametrize("kept", [True, False])
def test_rules_that_are_given_count(kept: bool) -> None:
    """Those that were there before do not, whatever index was made of them."""
    none = HELD.replace(rules=())
    again = none.replace(rules=HELD.rules if kept else ())
    found = decide(CALL, read(CALL, Recorded("/home/user")), again, "d").verdict
    assert found == (VERDICT_DENY if kept else VERDICT_ALLOW)


def test_an_index_stays_with_its_rules() -> None:
    """What changes nothing of them costs nothing."""
    assert HELD.replace(profile="x").by_kind is HELD.by_kind
