"""The real Claude Code under a policy with limits: what it writes down of its requests is counted,
and what is over a limit does not happen.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from tests.e2e import test_claude_code
from tests.e2e.clients import MORE
from tests.e2e.fake_model import USAGE, FakeModel, use
from tests.e2e.test_claude_code import bash
from tests.e2e.test_claude_code import desk as desk  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from tests.e2e.clients import Desk

pytestmark = test_claude_code.pytestmark

EACH = USAGE["input_tokens"] + USAGE["output_tokens"]


def limit(desk: Desk, words: str) -> None:
    """Give the copy of interlock on this desk a built-in policy with limits."""
    with (desk.package / "policy/builtin.py").open("a") as file:
        file.write(
            "\n\n_free = builtin\n\n\ndef builtin(profile: str = 'default') -> Policy:\n"
            "    from interlock.model.limits import Concurrency, Limits, Rate, TokenBudget\n\n"
            f"    return _free(profile).replace(limits=Limits({words}))\n"
        )


def done(desk: Desk) -> list[str]:
    """Return what the calls made."""
    return sorted(name for name in os.listdir(desk.project) if not name.startswith("."))


def test_a_budget_ends_the_session(desk: Desk) -> None:
    """Tokens are counted from the client's own transcript; past the budget nothing runs, and the
    model is told that a person has to resume.
    """
    limit(desk, f"tokens=(TokenBudget({EACH * 3}),)")
    with FakeModel(*[bash(f"touch {name}") for name in "abcdef"]) as model:
        desk.ask(model)
    made = done(desk)
    # the client may note a request only after it asked about the call: two or three requests are
    # known when the third or fourth call comes
    assert made in (["a", "b"], ["a", "b", "c"])
    told = model.results()
    assert all("interlock limits resume" in words for words in told[len(made) :])
    assert "tokens of this session are used up" in told[len(made)]


def test_its_twin_with_more_to_spend_goes_on(desk: Desk) -> None:
    """Within the budget everything runs, nothing is said, and the figures are those of the
    model.
    """
    limit(
        desk,
        "tokens=(TokenBudget(100_000),), rates=(Rate('60/minute'),), concurrent=(Concurrency(3),)",
    )
    with FakeModel(*[bash(f"touch {name}") for name in "abc"]) as model:
        desk.ask(model)
    assert done(desk) == ["a", "b", "c"]
    assert "interlock" not in "".join(model.results())
    rows = [json.loads(line) for line in desk.interlock("limits", "--json").splitlines()]
    [session] = [row for row in rows if row["scope"].startswith("session:") and "input" in row]
    assert session["input"] + session["output"] in (2 * EACH, 3 * EACH)
    assert session.get("running", 0) == 0


@MORE
def test_a_rate_holds_back(desk: Desk) -> None:
    """What comes too fast does not run, and the model is told when to try again."""
    limit(desk, "rates=(Rate('2/hour', 'bash_commands'),)")
    with FakeModel(*[bash(f"touch {name}") for name in "abc"]) as model:
        desk.ask(model)
    assert done(desk) == ["a", "b"]
    assert "try again in" in model.results()[2]


@MORE
def test_a_sub_agent_spends_its_sessions_tokens(desk: Desk) -> None:
    """What a sub-agent notes in a file of its own counts for the session that started it."""
    limit(desk, f"tokens=(TokenBudget({EACH * 5}),)")
    task = use(
        "Agent",
        description="sub",
        prompt="SUBMARK do it",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    with FakeModel(
        task,
        bash("touch late"),
        scripts={"SUBMARK": [bash(f"touch {name}") for name in "abcdefgh"]},
    ) as model:
        desk.ask(model)
    made = done(desk)
    assert "a" in made
    assert "late" not in made
    assert "h" not in made
