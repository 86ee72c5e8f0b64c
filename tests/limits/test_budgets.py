"""Budgets of tokens and money: warned of, paused, approved; reserved, settled once, and followed
through sub-agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interlock.limits.prices import cost
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.decision import Approval, Obligation
from interlock.model.limits import CostBudget, Limits, Price, TokenBudget
from interlock.model.usage import Usage
from tests.limits.counting import World, rules, said

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision

BUDGET = Limits(tokens=(TokenBudget(1000),))
OPUS = "claude-opus-5"


def spend(world: World, tokens: int, model: str = OPUS, **fields: str) -> None:
    """Say that an agent used so many tokens."""
    assert world.guard().spent(world.call(**fields), Usage(model, tokens)) == ()


@pytest.mark.parametrize(
    ("tokens", "said_of_it", "verdict"),
    [
        (0, [], VERDICT_ALLOW),
        (799, [], VERDICT_ALLOW),
        (800, [("limits.tokens", "warn")], VERDICT_ALLOW),
        (949, [("limits.tokens", "warn")], VERDICT_ALLOW),
        (950, [("limits.tokens", "deny")], VERDICT_DENY),
        (10**9, [("limits.tokens", "deny")], VERDICT_DENY),
    ],
)
def test_four_fifths_and_nineteen_twentieths(
    tmp_path: Path, tokens: int, said_of_it: list[tuple[str, str]], verdict: object
) -> None:
    """At 0.8 of the budget a warning, at 0.95 the session is paused; before that nothing."""
    world = World(tmp_path, BUDGET)
    spend(world, tokens)
    decision = world.check()
    assert (rules(decision), decision.verdict) == (said_of_it, verdict)
    assert all(finding.tags == {"GR-006"} for finding in decision.findings)


def test_paused_until_a_person_resumes(tmp_path: Path) -> None:
    """Every later call is denied, the person is told how to lift it, and after that the count
    begins anew.
    """
    world = World(tmp_path, BUDGET)
    spend(world, 960)
    paused = world.check()
    assert "paused until a person runs `interlock limits resume s`" in paused.deciding[0].message
    assert [duty.name for duty in paused.obligations] == ["notify"]
    assert rules(world.check()) == [("session.stopped", "deny")]
    assert rules(world.guard().check(world.call(session="other"))) == [
        ("limits.not-counted", "ask")
    ]
    assert world.meter.resume("session:s", "bob")
    assert rules(world.check()) == []
    spend(world, 960)
    assert rules(world.check()) == [("limits.tokens", "deny")]


@pytest.mark.parametrize(
    ("usage", "cached", "warned"),
    [
        (Usage(OPUS, input=400, output=400), True, True),
        (Usage(OPUS, written=800), True, True),
        (Usage(OPUS, cached=800), True, True),
        (Usage(OPUS, cached=800), False, False),
        (Usage(OPUS, output=799), True, False),
    ],
)
def test_what_counts_as_tokens(tmp_path: Path, usage: Usage, cached: bool, warned: bool) -> None:
    """All tokens count; those read from a provider's cache only where the budget says so."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, cached=cached),)))
    world.guard().spent(world.call(), usage)
    assert rules(world.check()) == ([("limits.tokens", "warn")] if warned else [])


def test_the_context_of_the_agent_that_asks(tmp_path: Path) -> None:
    """A budget of the context looks at the last request of the calling agent, not at the sum, and
    not at another agent's.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, of="context"),)))
    for _ in range(5):
        spend(world, 700)
    assert rules(world.check()) == []
    spend(world, 850, agent_id="a")
    assert rules(world.check()) == []
    assert rules(world.check(world.call(agent_id="a"))) == [("limits.tokens", "warn")]
    spend(world, 990)
    assert rules(world.check()) == [("limits.tokens", "deny")]
    assert rules(world.check()) == [("session.stopped", "deny")]
    # who resumes has made room, and the next request says how much
    world.meter.resume("session:s", "bob")
    assert rules(world.check()) == []
    spend(world, 700)
    assert rules(world.check()) == []


def test_a_period_begins_anew(tmp_path: Path) -> None:
    """A daily budget of a user counts over sessions, and the next day counts from nothing; setting
    the clock back gives nothing back.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="user", every=86400),)))
    spend(world, 500, user="alice")
    spend(world, 350, user="alice", session="t")
    assert rules(world.check(world.call(user="alice"))) == [("limits.tokens", "warn")]
    world.now -= 3 * 86400
    assert rules(world.check(world.call(user="alice"))) == [("limits.tokens", "warn")]
    spend(world, 1, user="bob", session="t")
    assert rules(world.check(world.call(user="bob", session="t"))) == []
    world.now += 86400
    assert rules(world.check(world.call(user="alice"))) == []


def test_what_is_long_gone_is_forgotten(tmp_path: Path) -> None:
    """A session that nobody saw for ninety days is forgotten when another begins; one that is
    paused, and a user's budget, are not.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000), TokenBudget(1000, per="user"))))
    spend(world, 10, session="old", user="alice")
    spend(world, 990, session="paused", user="eve")
    world.check(world.call(session="paused", user="eve"))
    world.now += 91 * 86400
    spend(world, 10, session="new", user="bob")
    scopes = [scope for (scope,) in world.store.query("SELECT scope FROM spending ORDER BY scope")]
    assert scopes == ["session:new", "session:paused", "user:alice", "user:bob", "user:eve"]


# -- money -----------------------------------------------------------------------------------------

MONEY = Limits(costs=(CostBudget(1.0),))


def test_over_the_threshold_a_person_approves(tmp_path: Path) -> None:
    """GR-010: what costs more than the threshold is asked about, and after an approved call ran not
    again before another threshold's worth.
    """
    world = World(tmp_path, MONEY)
    spend(world, 190_000)  # $0.95 at $5 a million
    assert rules(world.check()) == []
    spend(world, 20_000)
    call = world.call()
    decision = world.check(call)
    assert (rules(decision), decision.verdict) == ([("limits.cost", "ask")], VERDICT_ASK)
    assert decision.deciding[0].tags == {"GR-010"}
    assert "$1.05" in decision.deciding[0].message
    world.ran(call)
    assert rules(world.check()) == []
    spend(world, 210_000)
    assert rules(world.check()) == [("limits.cost", "ask")]


def test_each_threshold_is_approved_for_itself(tmp_path: Path) -> None:
    """Of two thresholds of one session each is asked about when its own is passed, whatever was
    approved for the other.
    """
    world = World(tmp_path, Limits(costs=(CostBudget(1.0), CostBudget(1.5))))
    asked = []
    for _ in range(7):
        spend(world, 50_000)  # $0.25
        call = world.call()
        asked.append(len(rules(world.check(call))))
        world.ran(call)
    assert asked == [0, 0, 0, 1, 0, 1, 0]


def test_who_did_not_run_did_not_approve(tmp_path: Path) -> None:
    """A call that was refused at the client's prompt, or whose outcome never came, leaves the
    question standing.
    """
    world = World(tmp_path, MONEY)
    spend(world, 210_000)
    call = world.call()
    world.check(call)
    assert rules(world.check()) == [("limits.cost", "ask")]
    world.ran(call, "refused")
    assert rules(world.check()) == [("limits.cost", "ask")]


def yes(decision: Decision, *_: object) -> Approval:
    """Approve this very call."""
    return Approval(decision.id, "bob")


def test_approved_in_process(tmp_path: Path) -> None:
    """Where the embedder's person approves, the call runs."""
    world = World(tmp_path, MONEY)
    spend(world, 210_000)
    assert world.check(ask=yes).verdict == VERDICT_ALLOW
    assert world.check(ask=lambda *_: None).verdict == VERDICT_DENY


def test_a_role_approves_where_somebody_holds_it(tmp_path: Path) -> None:
    """With holders named the client's prompt is not enough; without them the person there is."""
    world = World(tmp_path, MONEY)
    spend(world, 210_000)
    held = world.check(roles={"lead": frozenset({"bob"})})
    assert Obligation("approver", "lead") in [duty.replace(met="") for duty in held.obligations]
    assert held.verdict == VERDICT_DENY
    assert world.check().verdict == VERDICT_ASK


def test_a_model_without_a_price(tmp_path: Path) -> None:
    """What nobody can put a price on is asked about, whatever the sum; with a price in the policy
    it is counted.
    """
    world = World(tmp_path, MONEY)
    spend(world, 10, model="house-model-7")
    decision = world.check()
    assert rules(decision) == [("limits.not-counted", "ask")]
    assert "house-model-7" in decision.deciding[0].message
    priced = World(
        tmp_path / "priced",
        Limits(costs=(CostBudget(1.0),), prices=(Price("house-model-7", 1, 1, 1, 1),)),
    )
    spend(priced, 10, model="house-model-7")
    assert rules(priced.check()) == []


@pytest.mark.parametrize(
    ("usage", "micros"),
    [
        (Usage("claude-opus-5", 1000, 1000, 1000, 1000), 5000 + 25000 + 500 + 10000),
        (Usage("claude-opus-5[1m]", 1000), 5000),
        (Usage("claude-opus-5-5-20261001", 1000), 4000),
        (Usage("claude-opus-4-1-20250805", 1000), 15000),
        (Usage("claude-opus-4.5", 1000), 5000),
        (Usage("claude-sonnet-4-5@20250929", 1000), 3000),
        (Usage("anthropic/claude-haiku-4-5", 1000), 1000),
        (Usage("gpt-5-codex", 0, 0, 1), 1),
        (Usage("gpt-5-2025-08-07", 4), 5),
        (Usage("gpt-5-pro", 4), None),
        (Usage("gpt-5.5", 4), None),
        (Usage("gpt-50", 4), None),
        (Usage("claude-opus-9", 4), None),
        (Usage("claude-opus-5-7", 4), None),
        (Usage("", 4), None),
        (Usage("", 0), 0),
        (Usage("<synthetic>", 0, 0), 0),
        (Usage("whatever", 10, cost=0.25), 250_000),
    ],
)
def test_prices(usage: Usage, micros: int | None) -> None:
    """By the model's own row, a date behind its name or not; a model of no row has no price, and is
    not taken for a cheaper cousin.
    """
    assert cost(usage, ()) == micros


def test_own_prices_go_first() -> None:
    """A policy's row counts before the built-in one, also a dearer or a cheaper one."""
    assert cost(Usage("gpt-5", 1_000_000), (Price("gpt-5", 7, 7, 7, 7),)) == 7_000_000


# -- reserve and settle ----------------------------------------------------------------------------

RESERVED = Limits(tokens=(TokenBudget(1000, reserve=300),))


def test_reserved_before_settled_after(tmp_path: Path) -> None:
    """What runs holds its share of the budget until it says what it used; so calls at the same time
    cannot spend the same tokens.
    """
    world = World(tmp_path, RESERVED)
    spend(world, 0)
    first, second = world.call(), world.call()
    assert [rules(world.check(one)) for one in (first, second)] == [[], []]
    assert rules(world.check()) == [("limits.tokens", "warn")]
    world.ran(first, usage=Usage(OPUS, 5))
    world.ran(second, usage=Usage(OPUS, 5))
    assert rules(world.check()) == []


def test_an_outcome_is_counted_once(tmp_path: Path) -> None:
    """However often an outcome is told, what the call used counts once."""
    world = World(tmp_path, RESERVED)
    spend(world, 0)
    call = world.call()
    world.check(call)
    for _ in range(3):
        assert world.ran(call, usage=Usage(OPUS, 400)) == ()
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(400,)]


def test_what_was_reserved_is_free_after_the_lease(tmp_path: Path) -> None:
    """The share of a call that died is free again after its lease; if its outcome comes even later,
    it counts all the same.
    """
    world = World(tmp_path, RESERVED.replace(lease=60))
    spend(world, 0)
    dead = world.call()
    for call in (dead, world.call()):
        assert rules(world.check(call)) == []
    assert rules(world.check()) == [("limits.tokens", "warn")]
    world.now += 61
    assert rules(world.check()) == []
    world.ran(dead, usage=Usage(OPUS, 600))
    assert rules(world.check()) == [("limits.tokens", "deny")]


def test_an_over_spent_reserve_is_paused(tmp_path: Path) -> None:
    """The call that would take the budget to its end is the one that is refused, and holds
    nothing.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, reserve=400),)))
    spend(world, 0)
    verdicts = [str(world.check().verdict) for _ in range(3)]
    assert verdicts == ["allow", "allow", "deny"]
    assert world.store.query("SELECT count(*), sum(amount) FROM hold WHERE what = 'tokens 0'") == [
        (2, 800)
    ]


# -- sub-agents ------------------------------------------------------------------------------------


def tree(world: World, limits: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """Name the agents of a session once: ``b`` was started by ``a``, ``c`` by the session's own."""
    del limits
    found = []
    for agent, parent in (("a", ""), ("b", "a"), ("c", "")):
        found += rules(world.check(world.call(agent_id=agent, parent_id=parent)))
    return found


def test_a_childs_spending_is_its_parents(tmp_path: Path) -> None:
    """What a sub-agent uses counts for every agent above it and for the session, and not for its
    siblings.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    spend(world, 0)
    assert tree(world) == []
    spend(world, 850, agent_id="b")
    assert [rules(world.check(world.call(agent_id=agent))) for agent in ("b", "a", "", "c")] == [
        [("limits.tokens", "warn")] * 3,
        [("limits.tokens", "warn")] * 2,
        [("limits.tokens", "warn")],
        [("limits.tokens", "warn")],  # of the session's own agent, which is above all
    ]


def test_a_child_cannot_outspend_its_parent(tmp_path: Path) -> None:
    """When the parent's budget is at its end, a child that used nothing itself runs no more; a
    sibling of the parent does.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    spend(world, 0)
    assert tree(world) == []
    spend(world, 940, agent_id="a")
    assert rules(world.check(world.call(agent_id="b"))) == [("limits.tokens", "warn")] * 2
    spend(world, 20, agent_id="a")
    assert ("limits.tokens", "deny") in rules(world.check(world.call(agent_id="b")))


def test_a_childs_reserve_is_its_parents(tmp_path: Path) -> None:
    """What running children hold is held of their parent too."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent", reserve=400),)))
    spend(world, 0)
    verdicts = [
        str(world.check(world.call(agent_id=agent, parent_id="p")).verdict)
        for agent in ("a", "b", "c")
    ]
    assert verdicts == ["allow", "allow", "deny"]


def test_agents_that_start_each_other(tmp_path: Path) -> None:
    """A client that says nonsense of who started whom gets an answer all the same."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    spend(world, 0)
    for agent, parent in (("a", "b"), ("b", "a"), ("d", "d")):
        assert rules(world.check(world.call(agent_id=agent, parent_id=parent))) == []


def test_however_deep_agents_nest(tmp_path: Path) -> None:
    """What an agent spends far below is the session's own agent's too; below the end it is as it
    was.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    World.report(world.store, "s")
    for depth in range(40):
        assert (
            world.check(
                world.call(agent_id=f"n{depth}", parent_id=f"n{depth - 1}" if depth else "")
            ).verdict
            == VERDICT_ALLOW
        )
    spend(world, 900, agent_id="n39", parent_id="n38")
    assert rules(world.check()) == [("limits.tokens", "warn")]
    spend(world, 60, agent_id="n39", parent_id="n38")
    assert world.check().verdict == VERDICT_DENY


def test_one_agent_is_paused(tmp_path: Path) -> None:
    """Where a budget is an agent's, the pause is too; it is resumed by its name, or with its
    session.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    world.guard().spent(world.call(agent_id="a"), Usage(OPUS, 0))
    world.store.transact(
        lambda connection: connection.execute(
            "UPDATE spending SET input = 990 WHERE scope = 'agent:s/a'"
        )
    )
    assert rules(world.check(world.call(agent_id="a"))) == [("limits.tokens", "deny")]
    assert rules(world.check(world.call(agent_id="a"))) == [("limits.paused", "deny")]
    assert rules(world.check(world.call(agent_id="b"))) == []
    assert world.meter.resume("agent:s/a", "bob")
    assert rules(world.check(world.call(agent_id="a"))) == []


def test_a_resumed_session_frees_its_agents(tmp_path: Path) -> None:
    """And those of a session whose name begins like its name stay as they are."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000, per="agent"),)))
    for session in ("s", "s2"):
        spend(world, 990, agent_id="a", session=session)
        assert ("limits.tokens", "deny") in rules(
            world.check(world.call(agent_id="a", session=session))
        )
    world.meter.resume("session:s", "bob")
    assert rules(world.check(world.call(agent_id="a"))) == []
    assert ("session.stopped", "deny") in rules(world.check(world.call(agent_id="a", session="s2")))


def test_usage_of_the_transcript_and_of_the_call(tmp_path: Path) -> None:
    """A call that asks a model itself adds what its outcome says to what the transcript says."""
    world = World(tmp_path, BUDGET)
    call = world.chatting()
    world.write(said("m", 500))
    world.check(call)
    world.ran(call, usage=Usage(OPUS, 400))
    assert rules(world.check(world.chatting())) == [("limits.tokens", "warn")]


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (Usage(OPUS, -900), "input is -900, which is no number of tokens"),
        (Usage(OPUS, 1, cached=-900), "cached is -900"),
        (Usage(OPUS, 10**30), "input is 1000000000000000000000000000000"),
        (Usage(OPUS, output=float("inf")), "output is inf"),  # type: ignore[arg-type]  # what an embedder may hand over
        (Usage(OPUS, float("nan")), "input is nan"),  # type: ignore[arg-type]
        (Usage(OPUS, "900"), "input is 900, which is no number of tokens"),  # type: ignore[arg-type]
        (Usage(OPUS, 1, cost=-5.0), "the cost is -5.0, which is no sum of dollars"),
        (Usage(OPUS, 1, cost=float("nan")), "the cost is nan"),
        (Usage(OPUS, 1, cost=float("inf")), "the cost is inf"),
    ],
)
def test_figures_that_nobody_can_have_used(tmp_path: Path, usage: Usage, words: str) -> None:
    """They are refused in words, of an agent and of a call alike, and give nothing back; a figure
    that is one counts.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000),), costs=(CostBudget(5.0),)))
    call = world.call()
    assert world.guard().spent(call, Usage(OPUS, 700, cost=4.0)) == ()
    world.check(call)
    for problems in (world.guard().spent(call, usage), world.ran(call, usage=usage)):
        assert words in problems[-1]
    assert world.store.query(
        "SELECT input, output, cached, cost FROM spending WHERE scope = 'session:s'"
    ) == [(700, 0, 0, 4_000_000)]
    assert world.guard().spent(call, Usage(OPUS, 250)) == ()
    assert world.check().verdict == VERDICT_DENY
