"""``interlock limits`` as a person at a terminal uses it, and that no agent resumes what paused
it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.limits import report
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.model.limits import Concurrency, CostBudget, Duration, Limits, Rate, TokenBudget
from interlock.model.usage import Usage
from tests.judging import judged
from tests.limits.counting import World, rules
from tests.terminal import person

if TYPE_CHECKING:
    from pathlib import Path

INTERLOCK = [sys.executable, "-m", "interlock"]
LIMITS = Limits(rates=(Rate("5/minute", "bash_commands"),), tokens=(TokenBudget(1000),))


class Home(World):
    """A world whose store is where the commands look for it."""

    def __init__(self, folder: Path, limits: Limits = LIMITS) -> None:
        super().__init__(folder, limits, state=folder / ".local/state/interlock")

    @property
    def variables(self) -> dict[str, str]:
        """What a command of this person sees."""
        return {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "TERM": "xterm", "NO_COLOR": "1"}

    def run(self, *words: str, **variables: str) -> tuple[int, str]:
        """Run a command at a terminal of its own."""
        code, text = person(
            [*INTERLOCK, *words], {**self.variables, **variables}, self.folder, None
        )
        return code, text.replace("\r", "")

    def pause(self) -> None:
        """Let the session spend all it has."""
        self.guard().spent(self.call(), Usage("claude-opus-5", 900, 60))
        assert rules(self.check()) == [("limits.tokens", "deny")]


def test_nothing_yet(tmp_path: Path) -> None:
    """Without anything counted it says so, and that the built-in policy limits nothing."""
    code, said = Home(tmp_path).run("limits")
    assert (code, said) == (
        0,
        "limits of the policy\n  none: the built-in policy limits nothing\nused up\n  nothing was counted yet\n",
    )


def test_what_was_used_up(tmp_path: Path) -> None:
    """Tokens, money and running calls of each session and sub-agent, what is paused and why, as
    words and as JSON.
    """
    home = Home(tmp_path)
    home.guard().spent(home.call(), Usage("claude-opus-5", 100_000, 5_000, 30_000, 20_000))
    home.guard().spent(home.call(session="t", agent_id="a"), Usage("claude-opus-5", 1_000))
    home.guard().check(home.call(session="t"))
    home.check()
    said = home.run("limits")[1]
    assert "session:s  since" in said
    assert "155,000 tokens (100,000 in, 5,000 out, 30,000 cached, 20,000 written), $0.84" in said
    assert "paused: 155000 of 1000 tokens of this session are used up" in said
    assert "agent:t/a  since" in said
    assert "user:" not in said
    one = home.run("limits", "show", "t")[1]
    assert "agent:t/a" in one
    assert "session:s" not in one
    rows = [json.loads(line) for line in home.run("limits", "show", "s", "--json")[1].splitlines()]
    assert [(row["scope"], row.get("input")) for row in rows] == [("session:s", 100_000)]


def test_resume(tmp_path: Path) -> None:
    """A person at a terminal sets a paused session free, once; what it spent before is still
    shown.
    """
    home = Home(tmp_path)
    home.pause()
    assert home.run("limits", "resume", "s") == (0, "resumed session:s\n")
    assert rules(home.check()) == []
    assert "before that 960 tokens" in home.run("limits")[1]
    assert home.run("limits", "resume", "s") == (
        0,
        "session:s was not paused; its budgets begin anew\n",
    )
    code, said = home.run("limits", "resume", "user:nobody")
    assert (code, " ".join(said.split())) == (
        1,
        "interlock limits: nothing was counted for user:nobody; `interlock limits` shows what was",
    )


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI"])
def test_an_agent_does_not_resume_itself(tmp_path: Path, mark: str) -> None:
    """In an agent's session it refuses, at a terminal too; the session stays paused."""
    home = Home(tmp_path)
    home.pause()
    code, said = home.run("limits", "resume", "s", **{mark: "1"})
    assert code == 1
    assert "this runs inside an agent's session" in " ".join(said.split())
    assert rules(home.check()) == [("session.stopped", "deny")]


def test_without_a_terminal_a_token_is_needed(tmp_path: Path) -> None:
    """Where it cannot be told who asks, it refuses, and says what would do."""
    home = Home(tmp_path)
    home.pause()
    command = [*INTERLOCK, "limits", "resume", "s"]
    done = subprocess.run(
        command,
        env=home.variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "--token" in done.stderr
    assert rules(home.check()) == [("session.stopped", "deny")]


@pytest.mark.parametrize(
    "command",
    [
        "interlock limits resume s",
        "bash -c 'interlock limits resume s'",
        "interlock limits --json resume s",
        "python -m interlock limits resume s",
    ],
)
def test_an_agent_may_not_ask_for_it(command: str) -> None:
    """The call is denied before it runs."""
    assert judged(command).verdict == VERDICT_DENY


@pytest.mark.parametrize(
    "command",
    ["interlock limits", "interlock limits show s", "grep -rn 'interlock limits resume' docs"],
)
def test_an_agent_may_look(command: str) -> None:
    """What shows, and what only names the command, runs."""
    assert judged(command).verdict == VERDICT_ALLOW


def test_limits_in_words() -> None:
    """Every kind of limit of a policy is told in a sentence."""
    limits = Limits(
        rates=(Rate("60/minute", "bash_commands"), Rate("5/s", burst=2, per="user")),
        tokens=(TokenBudget(1000, every=86400, per="user"), TokenBudget(200_000, of="context")),
        costs=(CostBudget(5),),
        concurrent=(Concurrency(3, "tool:Task"),),
        durations=(Duration(3600),),
    )
    assert list(report.render_limits(limits)) == [
        "60/minute of bash_commands for each session",
        "5/s of all calls for each user, 2 at once",
        "3 calls at once of the tool Task for each session",
        "1000 tokens for each user a day: a warning at 80%, paused at 95%",
        "200000 tokens in the context for each session: a warning at 80%, paused at 95%",
        "$5.00 for each session, then a person approves each further $5.00",
        "3600 seconds for each session: a warning at 80%, then paused",
    ]
    assert list(report.render_limits(None)) == []


def test_rates_are_shown_while_they_are_used(tmp_path: Path) -> None:
    """How much of a rate is taken at this moment, and nothing once it is paid off."""
    world = World(tmp_path, LIMITS)
    for _ in range(2):
        world.check()
    [row] = report.read_rates(world.store, world.now)
    assert (row.scope, row.tools, row.rate, row.taken, row.burst) == (
        "session:s",
        "bash_commands",
        "5/60s",
        2,
        5,
    )
    assert report.read_rates(world.store, world.now + 60) == []
