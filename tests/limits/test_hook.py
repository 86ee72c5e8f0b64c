"""The hook's process under a policy with limits: it loads nothing dear, and under one without them
nothing of this.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.test_import_budget import copied, probe, too_many

if TYPE_CHECKING:
    from pathlib import Path

LIMITED = """

_free = builtin


def builtin(profile: str = "default") -> Policy:
    from interlock.model.limits import Concurrency, CostBudget, Limits, Rate, TokenBudget

    return _free(profile).replace(limits=Limits(rates=(Rate("2/hour"),), concurrent=(Concurrency(2),){more}))
"""


def limited(folder: Path, more: str = "") -> Path:
    """Return a copy of the package whose built-in policy has limits."""
    return copied(folder / "src", LIMITED.replace("{more}", more), "policy/builtin")


def test_limits_stay_within_the_budget_of_imports(tmp_path: Path) -> None:
    """Charged, throttled with the time to wait, and with nothing loaded that is not on the list."""
    source = limited(tmp_path)
    for _ in range(2):
        done, loaded = probe(source, tmp_path, "ls")
        assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
        assert too_many(loaded) == set()
    done, loaded = probe(source, tmp_path, "ls")
    assert done.returncode == 2
    assert (
        "try again in 1800 seconds"
        in json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
    )
    assert too_many(loaded) == set()


def test_budgets_without_a_transcript_ask(tmp_path: Path) -> None:
    """A client that names no transcript is asked about, and that too loads nothing dear."""
    done, loaded = probe(
        limited(tmp_path, more=", tokens=(TokenBudget(1000),), costs=(CostBudget(1),)"),
        tmp_path,
        "ls",
    )
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "ask"
    assert "claude-code named no transcript" in said["permissionDecisionReason"]
    assert too_many(loaded) == set()
