"""What decides, once more in twenty lines: the engine is held against them on any policy and any
effects.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.engine.decide import decide
from interlock.model.action import DENY, Action, Verdict
from interlock.model.call import ToolCall
from interlock.model.effect import (
    HERE,
    HOSTS,
    LOCATIONS,
    NATURES,
    Connects,
    Deletes,
    Effect,
    Kind,
    Opaque,
    Place,
    Reading,
    Reads,
    Sends,
)
from interlock.model.policy import Policy
from interlock.model.rule import Match, Rule

# -- the reference: names of actions by rank, sets by their definition -----------------------------

ONE_MILDER = {
    "deny": "ask",
    "throttle": "throttle",
    "ask": "warn",
    "review": "warn",
    "warn": "allow",
    "allow": "allow",
}
RANK = ["allow", "warn", "review", "ask", "throttle", "deny"]
ANSWER = {
    "allow": "allow",
    "warn": "allow",
    "review": "ask",
    "ask": "ask",
    "throttle": "deny",
    "deny": "deny",
}


def speaks(match: Match, effect: Effect) -> bool:
    """Say whether every question that the match asks is answered yes."""
    place = effect.place
    location, natures, where = (
        (place.location, place.natures, place.where) if place else ("", frozenset[str](), HERE)
    )
    return all(
        [
            effect.kind in match.kinds,
            not match.location or location in match.location,
            not match.nature or match.nature & natures,
            not match.no_nature & natures,
            not match.host or effect.host in match.host,
            not match.target or effect.target in match.target,
            match.has <= effect.traits,
            not match.any or match.any & effect.traits,
            not match.lacks & effect.traits,
            match.remote is None
            or match.remote == (where != HERE)
            or (place is None and not match.remote),
        ]
    )


def strictest(rules: tuple[Rule, ...], effects: tuple[Effect, ...]) -> str:
    """Return the strictest action of all rules on all effects; a possible effect lowers by one
    name, unless the row says otherwise.
    """
    said = ["allow"]
    for rule in rules:
        for effect in effects:
            if speaks(rule.match, effect):
                milder = (
                    ONE_MILDER[str(rule.action)]
                    if rule.possible is None
                    else min(str(rule.possible), str(rule.action), key=RANK.index)
                )
                said.append(str(rule.action) if effect.certain else milder)
    return max(said, key=RANK.index)


# -- any policy, any effects -----------------------------------------------------------------------

KINDS = st.sampled_from([Reads, Deletes, Sends, Connects, Opaque])
TRAITS = st.frozensets(st.sampled_from(["recursive", "force", "upload"]))
TARGETS = st.sampled_from(["", "/a", "b"])
ACTIONS = st.integers(0, 5).map(Action)
MATCHES = st.builds(
    Match,
    st.lists(KINDS, min_size=1, max_size=3, unique=True).map(tuple),
    st.frozensets(st.sampled_from(LOCATIONS), max_size=3),
    st.frozensets(st.sampled_from(NATURES), max_size=2),
    st.frozensets(st.sampled_from(NATURES), max_size=2),
    st.frozensets(st.sampled_from(HOSTS), max_size=2),
    st.frozensets(TARGETS, max_size=1),
    TRAITS,
    TRAITS,
    TRAITS,
    st.sampled_from([None, None, True, False]),
)
EFFECTS = st.lists(
    st.builds(
        Effect,
        KINDS,
        TARGETS,
        st.none()
        | st.builds(
            Place,
            st.sampled_from(LOCATIONS),
            st.frozensets(st.sampled_from(NATURES), max_size=3),
            st.sampled_from([HERE, "remote h"]),
        ),
        st.sampled_from(["", *HOSTS]),
        TRAITS,
        st.booleans(),
    ),
    max_size=4,
).map(tuple)


@st.composite
def policies(draw: st.DrawFn) -> tuple[Rule, ...]:
    """Return some rules, each with its own id."""
    count = draw(st.integers(0, 4))
    possible = st.none() | ACTIONS
    return tuple(
        [
            Rule(
                f"r.{number}", "t", "w", "i", draw(MATCHES), draw(ACTIONS), possible=draw(possible)
            )
            for number in range(count)
        ]
    )


CALL = ToolCall("shell", "Bash", {"command": "x"})


@given(policies(), EFFECTS)
def test_engine_is_the_reference(rules: tuple[Rule, ...], effects: tuple[Effect, ...]) -> None:
    """The engine's action and verdict are those of the twenty lines."""
    decision = decide(CALL, Reading(effects), Policy(rules), "d")
    assert str(decision.action) == strictest(rules, effects)
    assert str(decision.verdict) == ANSWER[str(decision.action)]


@given(policies(), EFFECTS, EFFECTS)
def test_more_effects_never_loosen(
    rules: tuple[Rule, ...], some: tuple[Effect, ...], more: tuple[Effect, ...]
) -> None:
    """A call that does more is never answered milder, and neither order nor repetition counts."""
    policy = Policy(rules)
    both = decide(CALL, Reading(some + more), policy, "d")
    assert both.action >= decide(CALL, Reading(some), policy, "d").action
    assert both.action == decide(CALL, Reading(more + some + more), policy, "d").action


@given(policies(), EFFECTS, st.data())
def test_certainty_never_loosens(
    rules: tuple[Rule, ...], effects: tuple[Effect, ...], data: st.DataObject
) -> None:
    """What is certain is never answered milder than what is only possible."""
    possible = tuple(
        [effect.replace(certain=effect.certain and data.draw(st.booleans())) for effect in effects]
    )
    certain = decide(CALL, Reading(effects), Policy(rules), "d")
    assert certain.action >= decide(CALL, Reading(possible), Policy(rules), "d").action


@given(policies(), EFFECTS)
def test_observing_changes_the_answer_only(
    rules: tuple[Rule, ...], effects: tuple[Effect, ...]
) -> None:
    """Under an observing policy all is allowed, and what would have been said is the same."""
    strict, lax = (
        decide(CALL, Reading(effects), Policy(rules, observe=observe), "d")
        for observe in (False, True)
    )
    assert strict.findings == lax.findings
    assert lax.verdict == Verdict.of(Action(0))
    assert lax.would == strict.verdict


def test_the_reference_bites() -> None:
    """A certain match of a DENY is a deny and a possible one an ask; another kind of effect is
    neither.
    """
    rules = (Rule("r", "t", "w", "i", Match((Kind("deletes"),)), DENY),)
    assert strictest(rules, (Effect(Deletes),)) == "deny"
    assert strictest(rules, (Effect(Deletes, certain=False),)) == "ask"
    assert strictest(rules, (Effect(Reads),)) == "allow"
