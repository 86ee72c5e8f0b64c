"""What the guard's own model takes is counted, and is nobody's budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.limits.meter import Meter
from interlock.limits.report import read_usage
from interlock.model.limits import Limits, TokenBudget
from interlock.model.usage import Usage
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.judging import shell

if TYPE_CHECKING:
    from pathlib import Path

POLICY = builtin().replace(limits=Limits(tokens=(TokenBudget(1000),)))


def test_a_review_is_counted_apart(tmp_path: Path) -> None:
    """A judge's tokens stand under their own name, priced where the price is known; the session's
    budget is as full as before.
    """
    meter = Meter(Store(str(tmp_path)), lambda: 1_000_000.0)
    call = shell("some-program").replace(session="s")
    meter.reviewed(call, Usage("claude-haiku-4-5", 1_000_000, 200_000), POLICY)
    meter.reviewed(call, Usage("claude-haiku-4-5", 1_000_000), POLICY)
    (found,) = read_usage(meter.store, "guard:s")
    assert (found.input, found.output, found.cost) == (2_000_000, 200_000, 3.0)
    meter.spent(call, Usage("claude-haiku-4-5", 10), POLICY)
    assert meter.charge(call, read(call, Recorded()), POLICY, "d").findings == ()
    meter.spent(call, Usage("claude-haiku-4-5", 980), POLICY)
    assert [
        one.rule for one in meter.charge(call, read(call, Recorded()), POLICY, "d").findings
    ] == ["limits.tokens"]
