"""What the limits answer through the guard: throttled, paused, asked about; all or nothing; and
what does not run costs nothing.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.integrations import claude_code
from interlock.integrations.protocol import CHECK, ClientEvent
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.decision import Approval
from interlock.model.limits import Concurrency, Duration, Limits, Rate, TokenBudget
from interlock.policy.builtin import builtin
from interlock.store.place import StoreError
from tests.limits.counting import World, rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.limits.meter import Meter
    from interlock.model.decision import Decision


def verdicts(world: World, number: int, **fields: Any) -> list[str]:
    """Judge so many calls at one moment."""
    return [str(world.check(world.call(**fields)).verdict) for _ in range(number)]


# -- rates -----------------------------------------------------------------------------------------


def test_a_rate_throttles(tmp_path: Path) -> None:
    """What is over the rate is denied with the seconds after which it passes, and then it does."""
    world = World(tmp_path, Limits(rates=(Rate("3/minute"),)))
    assert verdicts(world, 3) == ["allow"] * 3
    decision = world.check()
    finding = decision.deciding[0]
    assert (decision.verdict, finding.rule, str(finding.action), finding.retry_after) == (
        VERDICT_DENY,
        "limits.rate",
        "throttle",
        20,
    )
    assert finding.tags == {"GR-007"}
    assert "try again in 20 seconds" in finding.message
    world.now += 19
    assert verdicts(world, 1) == ["deny"]
    world.now += 1
    assert verdicts(world, 2) == ["allow", "deny"]


def test_the_agent_is_told_when(tmp_path: Path) -> None:
    """What the client is told says how long to wait; a call within the rate is told nothing."""
    world = World(tmp_path, Limits(rates=(Rate("1/30s"),)))
    event = ClientEvent(CHECK, "PreToolUse")
    assert claude_code.write(world.check(), event).stdout == ""
    reply = claude_code.write(world.check(), event)
    assert reply.exit_code == 2
    assert "Held back by interlock" in reply.stderr
    assert "try again in 30 seconds" in reply.stderr


def test_what_is_throttled_costs_nothing(tmp_path: Path) -> None:
    """However often it is tried meanwhile, the wait gets no longer."""
    world = World(tmp_path, Limits(rates=(Rate("1/10s"),)))
    assert verdicts(world, 20) == ["allow"] + ["deny"] * 19
    world.now += 10
    assert verdicts(world, 1) == ["allow"]


@pytest.mark.parametrize(
    ("tools", "counted", "free"),
    [
        (
            "bash_commands",
            {"command": "ls"},
            {"tool": "read", "name": "Read", "input": {"file_path": "/home/u/p/a"}},
        ),
        (
            "file_writes",
            {
                "tool": "write",
                "name": "Write",
                "input": {"file_path": "/home/u/p/a", "content": "x"},
            },
            {"command": "ls"},
        ),
        ("file_writes", {"command": "echo x > a.txt"}, {"command": "cat a.txt"}),
        (
            "file_writes",
            {
                "tool": "edit",
                "name": "Edit",
                "input": {"file_path": "/home/u/p/a", "new_string": "x"},
            },
            {"command": "ls"},
        ),
        (
            "api_calls",
            {"tool": "fetch", "name": "WebFetch", "input": {"url": "https://pypi.org/"}},
            {"command": "ls"},
        ),
        (
            "api_calls",
            {"command": "curl https://pypi.org/simple/"},
            {"command": "echo curl https://pypi.org/simple/"},
        ),
        (
            "api_calls",
            {"tool": "mcp", "name": "mcp__db__query", "input": {"q": "1"}},
            {"command": "ls"},
        ),
        (
            "mcp",
            {"tool": "mcp", "name": "mcp__db__query", "input": {"q": "1"}},
            {"command": "curl https://pypi.org/simple/"},
        ),
        (
            "tool:mcp__db__query",
            {"tool": "mcp", "name": "mcp__db__query", "input": {}},
            {"tool": "mcp", "name": "mcp__db__list", "input": {}},
        ),
    ],
)
def test_classes_of_tools(
    tmp_path: Path, tools: str, counted: dict[str, Any], free: dict[str, Any]
) -> None:
    """A rate counts the calls of its class, whichever tool does such a thing, and no other call."""
    world = World(tmp_path, Limits(rates=(Rate("1/minute", tools),)))
    assert ("limits.rate", "throttle") not in rules(world.check(world.call(**counted)))
    assert ("limits.rate", "throttle") in rules(world.check(world.call(**counted)))
    assert [rules(world.check(world.call(**free))) for _ in range(3)] == [[]] * 3


@pytest.mark.parametrize(
    ("per", "same", "other"),
    [
        ("session", {"session": "s", "user": "x"}, {"session": "t"}),
        ("agent", {"session": "s", "agent_id": "a"}, {"session": "s", "agent_id": "b"}),
        ("agent", {"session": "s", "agent_id": "a"}, {"session": "s"}),
        ("user", {"session": "t", "user": "alice"}, {"session": "t", "user": "bob"}),
        ("tenant", {"session": "t", "tenant": "acme"}, {"session": "t", "tenant": "other"}),
    ],
)
def test_for_whom_a_rate_counts(
    tmp_path: Path, per: str, same: dict[str, str], other: dict[str, str]
) -> None:
    """A session, an agent of it, a user or a tenant has a count of its own, across the others."""
    world = World(tmp_path, Limits(rates=(Rate("1/minute", per=per),)))
    first = {"session": "s", "user": "alice", "tenant": "acme"} | (
        {"agent_id": "a"} if per == "agent" else {}
    )
    assert verdicts(world, 1, **first) == ["allow"]
    assert verdicts(world, 1, **same) == ["deny"]
    assert verdicts(world, 1, **other) == ["allow"]


def test_who_is_not_named_shares_one_count(tmp_path: Path) -> None:
    """A rate for each user holds for calls that name none, all of them together."""
    world = World(tmp_path, Limits(rates=(Rate("1/minute", per="user"),)))
    assert verdicts(world, 1, session="s") + verdicts(world, 1, session="t") == ["allow", "deny"]


def test_all_or_nothing(tmp_path: Path) -> None:
    """A call that one rate refuses is counted by none of the others."""
    world = World(tmp_path, Limits(rates=(Rate("5/minute"), Rate("1/minute", "bash_commands"))))
    assert verdicts(world, 1) == ["allow"]
    assert verdicts(world, 10) == ["deny"] * 10
    read = {"tool": "read", "name": "Read", "input": {"file_path": "/home/u/p/a"}}
    assert verdicts(world, 5, **read) == ["allow"] * 4 + ["deny"]


def test_their_order_does_not_matter(tmp_path: Path) -> None:
    """However the limits of a policy stand, the same calls pass."""
    some = (Rate("4/10s"), Rate("2/2s"), Rate("3/5s", "bash_commands", "user"))
    found = []
    for number, order in enumerate(permutations(some)):
        world = World(tmp_path / str(number), Limits(rates=order))
        passed = []
        for step in range(40):
            world.now += (step * 7 % 5) / 2
            passed.append(str(world.check().verdict))
        found.append(passed)
    assert all(passed == found[0] for passed in found)
    assert {"allow", "deny"} == set(found[0])


def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    """When the clock is set back an hour nothing passes that would not have passed, and one
    interval later calls pass again.
    """
    world = World(tmp_path, Limits(rates=(Rate("2/minute"),), concurrent=(Concurrency(9),)))
    assert verdicts(world, 1) == ["allow"]
    world.now -= 3600
    assert verdicts(world, 2) == ["deny", "deny"]
    world.now += 30
    assert verdicts(world, 2) == ["allow", "deny"]


# -- what does not run -----------------------------------------------------------------------------


def no(decision: Decision, *_: object) -> None:
    """Approve nothing."""
    del decision


def yes(decision: Decision, *_: object) -> Approval:
    """Approve this very call."""
    return Approval(decision.id, "bob")


@pytest.mark.parametrize(
    ("ask", "left"), [(no, ["allow"] * 2), (None, ["allow"] * 2), (yes, ["allow", "deny"])]
)
def test_what_is_refused_is_given_back(tmp_path: Path, ask: Any, left: list[str]) -> None:
    """A call that a person refuses, or that nobody can be asked about, costs nothing and holds
    nothing; one that is approved does.
    """
    world = World(tmp_path, Limits(rates=(Rate("2/minute"),), concurrent=(Concurrency(2),)))
    world.check(world.call("sudo ls"), ask=ask)
    assert verdicts(world, 2) == left


def test_what_a_rule_denies_is_not_counted(tmp_path: Path) -> None:
    """A call that is denied anyway takes nothing; its harmless twin does."""
    world = World(tmp_path, Limits(rates=(Rate("1/minute"),)))
    assert rules(world.check(world.call("rm -rf /"))) == []
    assert verdicts(world, 2) == ["allow", "deny"]


def test_what_the_client_asks_about_is_counted(tmp_path: Path) -> None:
    """An ask that is passed on to the client may run, so it counts."""
    world = World(tmp_path, Limits(rates=(Rate("1/minute"),)))
    assert world.check(world.call("sudo ls")).verdict == VERDICT_ASK
    assert verdicts(world, 1) == ["deny"]


# -- calls at once ---------------------------------------------------------------------------------


def test_calls_at_once(tmp_path: Path) -> None:
    """A call holds its place until its outcome is told; then the next may run."""
    world = World(tmp_path, Limits(concurrent=(Concurrency(2, "bash_commands"),)))
    first, second = world.call(), world.call()
    assert [world.check(first).verdict, world.check(second).verdict] == [VERDICT_ALLOW] * 2
    refused = world.check()
    assert rules(refused) == [("limits.concurrent", "throttle")]
    assert 1 <= refused.deciding[0].retry_after <= 5
    assert world.ran(first) == ()
    assert verdicts(world, 2) == ["allow", "deny"]
    assert world.ran(second, "failed") == ()
    assert verdicts(world, 1) == ["allow"]


def test_an_outcome_told_twice_frees_once(tmp_path: Path) -> None:
    """Nothing is settled twice: a second outcome of one call frees no other call's place."""
    world = World(tmp_path, Limits(concurrent=(Concurrency(2),)))
    first, second = world.call(), world.call()
    world.check(first)
    world.check(second)
    world.ran(first)
    world.ran(first)
    assert verdicts(world, 2) == ["allow", "deny"]


def test_calls_without_an_id(tmp_path: Path) -> None:
    """Of a client that gives calls no id an outcome ends the oldest call that looks like it."""
    world = World(tmp_path, Limits(concurrent=(Concurrency(2),)))
    one = world.call("ls").replace(call_id="")
    assert [str(world.check(one).verdict) for _ in range(3)] == ["allow", "allow", "deny"]
    world.ran(one)
    assert [str(world.check(one).verdict) for _ in range(2)] == ["allow", "deny"]
    world.ran(world.call("ls -la").replace(call_id=""))
    assert str(world.check(one).verdict) == "deny"


def test_who_starts_a_sub_agent_waits(tmp_path: Path) -> None:
    """The call that started a sub-agent takes no place among all calls; where a limit names such
    calls it does.
    """
    task: dict[str, Any] = {"tool": "task", "name": "Agent", "input": {"prompt": "look around"}}
    world = World(tmp_path, Limits(concurrent=(Concurrency(1), Concurrency(1, "task"))))
    assert verdicts(world, 2, **task) == ["allow", "deny"]
    assert verdicts(world, 2, agent_id="a") == ["allow", "deny"]


def test_a_lease_ends(tmp_path: Path) -> None:
    """A call whose outcome never comes holds its place for a lease and no longer; also where the
    clock was set back meanwhile.
    """
    world = World(tmp_path, Limits(concurrent=(Concurrency(1),), lease=100))
    assert verdicts(world, 2) == ["allow", "deny"]
    world.now += 99
    assert verdicts(world, 1) == ["deny"]
    world.now += 2
    assert verdicts(world, 2) == ["allow", "deny"]
    world.now -= 10_000
    assert verdicts(world, 1) == ["deny"]
    world.now += 101
    assert verdicts(world, 1) == ["allow"]


# -- sessions that end, and pauses -----------------------------------------------------------------


def test_a_session_lasts_so_long(tmp_path: Path) -> None:
    """From its first call on: a warning near the end, then the pause; another session is free."""
    world = World(tmp_path, Limits(durations=(Duration(1000),)))
    assert rules(world.check()) == []
    world.now += 799
    assert rules(world.check()) == []
    world.now += 1
    assert rules(world.check()) == [("limits.duration", "warn")]
    world.now += 200
    ended = world.check()
    assert rules(ended) == [("limits.duration", "deny")]
    assert [duty.name for duty in ended.obligations] == ["notify"]
    assert verdicts(world, 1, session="t") == ["allow"]
    world.now -= 900
    assert rules(world.check()) == [("session.stopped", "deny")]
    assert world.meter.resume("session:s", "bob")
    assert rules(world.check()) == []


def test_a_clock_that_goes_back_does_not_lengthen_a_session(tmp_path: Path) -> None:
    """What a session lasted counts on from there."""
    world = World(tmp_path, Limits(durations=(Duration(1000),)))
    world.check()
    world.now += 700
    assert rules(world.check()) == []
    world.now -= 5000
    assert rules(world.check()) == []
    world.now += 100
    assert rules(world.check()) == [("limits.duration", "warn")]


def test_a_pause_outlasts_its_limit(tmp_path: Path) -> None:
    """A paused session stays so under a policy without limits, in every process, until a person
    resumes it; others never notice.
    """
    world = World(tmp_path, Limits(durations=(Duration(10),)))
    world.check()
    world.now += 10
    world.check()
    paused = world.check(limits=None)
    assert rules(paused) == [("session.stopped", "deny")]
    assert "interlock limits resume s" in paused.deciding[0].message
    assert paused.deciding[0].tags == {"GR-006"}
    assert rules(world.check(world.call(session="t"), limits=None)) == []
    world.meter.resume("session:s", "bob")
    assert rules(world.check(limits=None)) == []


def test_pause_and_resume_are_in_the_audit(tmp_path: Path) -> None:
    """Who paused and who resumed what is an event of the chain; a call that passes is none."""
    world = World(tmp_path, Limits(durations=(Duration(10),)))
    world.check()
    world.now += 10
    world.check()
    world.meter.resume("session:s", "bob")
    kinds = world.store.query(
        "SELECT kind, subject FROM audit_event WHERE kind LIKE 'limit%' ORDER BY seq"
    )
    assert kinds == [("limit-pause", "session:s"), ("limit-resume", "session:s")]


def test_who_only_observes_pauses_nobody(tmp_path: Path) -> None:
    """An observing policy says what it would do; when it no longer only observes, nothing is
    paused.
    """
    world = World(tmp_path, Limits(durations=(Duration(10),)))
    world.check(observe=True)
    world.now += 10
    seen = world.check(observe=True)
    assert (seen.verdict, seen.would) == (VERDICT_ALLOW, VERDICT_DENY)
    assert rules(world.check(limits=None)) == []


# -- what cannot be counted ------------------------------------------------------------------------


def test_no_limits_no_organ(tmp_path: Path) -> None:
    """Without limits nothing is counted, and the meter is not even made."""

    def unwanted() -> Meter:
        raise AssertionError("nobody asked for it")

    world = World(tmp_path, None)
    guard = Guard(builtin(), ask=NATIVE, facts=Recorded("/home/u"), limits=unwanted)
    assert guard.check(world.call()).findings == ()


def test_limits_that_nobody_counts(tmp_path: Path) -> None:
    """A policy with limits in a guard that has no meter asks about every call; where nobody can be
    asked it is denied.
    """
    world = World(tmp_path, Limits(rates=(Rate("60/minute"),)))
    for ask, verdict in ((NATIVE, VERDICT_ASK), (None, VERDICT_DENY)):
        decision = Guard(world.policy, ask=ask, facts=Recorded("/home/u")).check(world.call())
        assert (decision.verdict, rules(decision)) == (verdict, [("limits.not-counted", "ask")])


def failing(error: Exception) -> Callable[[], Meter]:
    """Return what makes a meter that fails at everything."""

    class Failing:
        def __getattr__(self, name: str) -> object:
            raise error

    return Failing  # type: ignore[return-value]


@pytest.mark.parametrize(
    "error", [StoreError("the disk is full"), RuntimeError("a defect"), KeyError("x")]
)
def test_a_store_that_fails(tmp_path: Path, error: Exception) -> None:
    """What cannot be counted is asked about; the twin whose store works is not."""
    world = World(tmp_path, Limits(rates=(Rate("60/minute"),)))
    guard = Guard(world.policy, ask=NATIVE, facts=Recorded("/home/u"), limits=failing(error))
    assert rules(guard.check(world.call())) == [("limits.not-counted", "ask")]
    assert rules(world.check()) == []


def test_a_database_that_is_held(tmp_path: Path) -> None:
    """While another process holds the database the call is asked about, and nothing is counted of
    it.
    """
    world = World(tmp_path, Limits(rates=(Rate("2/minute"),)))
    world.check()
    world.store._busy = 0.05
    world.store.close()
    import sqlite3

    holder = sqlite3.connect(world.store.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert ("limits.not-counted", "ask") in rules(world.check())
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert verdicts(world, 2) == ["allow", "deny"]


def test_a_guard_is_not_made_of_limits_that_mean_nothing(tmp_path: Path) -> None:
    """A typing error shows when the guard is made, not when the first call comes."""
    world = World(tmp_path, Limits(rates=(Rate("60/minuet"),)))
    with pytest.raises(ValueError, match="60/minuet"):
        world.guard()
    World(tmp_path, Limits(rates=(Rate("60/minute"),))).guard()


def test_budgets_need_figures(tmp_path: Path) -> None:
    """An agent of which nobody says what it uses is asked about at every call; without a budget it
    is not.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000),)))
    assert rules(world.check()) == [("limits.not-counted", "ask")]
    assert rules(world.check(limits=Limits(rates=(Rate("9/s"),)))) == []
