"""The rules that could speak of an effect: looked up or tried one by one, the decision is the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.engine.candidates import RuleIndex
from interlock.engine.decide import decide
from interlock.engine.rule_index import make_plans
from interlock.model.action import ASK, DENY, WARN
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import Connects, Deletes, Effect, Place, Pushes, Reading, Reads, Writes
from interlock.model.policy import Policy
from interlock.model.rule import Match, Rule

KINDS = (Reads, Writes, Deletes, Pushes, Connects)
ALONE = 10**9
"""So many rules of a kind are tried one by one: with this, all are."""

SIGNS = ["a", "b", "B", "\u03a3", "\u03c3", "\u0130"]
"""Letters; of some the small form hangs on their place, of some it is two."""
NAMES = st.sampled_from(
    [*SIGNS, "ab", "a\u03a3", "*", "?", "a*", "*b", "\u03a3*", "[ab]", "**", ""]
)
TOPS = st.sampled_from(["", "", "${WORKSPACE}", "${WORKSPACE}x", "a", "${workspace}", "**"])
ROOTS = st.lists(
    st.sampled_from(["/a", "/a/b", "/", "/a*", "C:\\a\\", "/A/", "/\u03a3"]), max_size=2
)
PATTERNS = st.builds(
    lambda top, names: "/".join([top, *names]), TOPS, st.lists(NAMES, min_size=1, max_size=4)
)
LIKE = st.lists(st.sampled_from([*SIGNS, ".", "*", "?"]), max_size=4).map("".join)
REFS = [
    "main",
    "m*",
    "*n",
    "a",
    "context:*",
    "A",
    "*",
    "?",
    "HEAD",
    "x:refs/heads/main",
    "+b:a",
    "a?",
]
WORDS = st.sampled_from(["a", "b", "A", "x.y.z", "\u03a3", ""])
TRAITS = st.frozensets(st.sampled_from(["recursive", "listed", "all-of"]), max_size=2)
COMMANDS = ["a", "a b", "* --force", "x.y", "x", "b | a", "Get-A", "a -f"]


def few(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Return one or two."""
    return st.lists(texts, min_size=1, max_size=2).map(tuple)


ASKED: tuple[tuple[str, st.SearchStrategy[Any]], ...] = (
    ("path", few(PATTERNS)),
    ("path", few(PATTERNS)),
    ("not_path", few(PATTERNS)),
    ("like", few(LIKE)),
    ("ref", few(st.sampled_from(REFS))),
    ("by", st.frozensets(WORDS, min_size=1, max_size=2)),
    ("target", st.frozensets(WORDS, min_size=1, max_size=2)),
)
"""What a rule can ask for by name."""


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """Draw what a rule asks for: by one name, seldom by two, or by words."""
    if draw(st.integers(0, 7)) == 0:
        return Match((), commands=draw(few(st.sampled_from(COMMANDS))))
    asked = draw(st.lists(st.sampled_from(ASKED), min_size=0, max_size=2))[
        : draw(st.integers(0, 2))
    ]
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=5, unique=True))
    return Match(
        tuple(kinds), holding=draw(st.booleans()), **{name: draw(how) for name, how in asked}
    )


@st.composite
def effects(draw: st.DrawFn, named: list[str]) -> Effect:
    """Draw an effect on what a rule names, or near it."""
    target = draw(st.sampled_from([*named, "/a/b"]))
    for sign in ("**", "*", "?", "${WORKSPACE}"):
        target = target.replace(sign, draw(st.sampled_from(["a", "b", "/a/b", sign])))
    cut = draw(st.integers(0, 2))
    target = target.rsplit("/", cut)[0] + draw(st.sampled_from(["", "", "/", "/b", "/a/b/a"]))
    if draw(st.booleans()):
        target = target.swapcase()
    place = Place("elsewhere", real=draw(st.sampled_from(["", "", *named])))
    return Effect(
        draw(st.sampled_from(KINDS)),
        target,
        draw(st.sampled_from([place, place, place, place.replace(where="remote x"), None])),
        traits=draw(TRAITS),
        certain=draw(st.booleans()),
        by=draw(WORDS),
        only=tuple(draw(st.lists(st.sampled_from([*named, *REFS]), max_size=2))),
    )


def rules_of(asked: list[Match]) -> tuple[Rule, ...]:
    """Return rules that ask for these."""
    return tuple(
        [
            Rule(f"r.r{at}", "t", "w", "i", match, (ASK, DENY, WARN)[at % 3])
            for at, match in enumerate(asked)
        ]
    )


RUN = [("a", "b"), ("/x/a.b", "-f"), ("?b",), ("x.y.z", "a"), ("get-a", "B"), ("X",), ("c",)]


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.lists(matches(), min_size=1, max_size=8), ROOTS)
def test_looked_up_or_tried_one_by_one_is_the_same(
    data: st.DataObject, asked: list[Match], roots: list[str]
) -> None:
    """Over all that a rule can ask for by name: the decision, its findings and their order."""
    rules = rules_of(asked)
    named = sorted(
        {
            text
            for match in asked
            for text in (*match.path, *match.not_path, *match.like, *match.target)
        }
    )
    reading = Reading(
        tuple(data.draw(st.lists(effects(named), min_size=1, max_size=4))),
        commands=tuple(data.draw(st.lists(st.sampled_from(RUN), max_size=2))),
    )
    platform = data.draw(st.sampled_from(["linux", "linux", "darwin"]))
    call = ToolCall(SHELL, "Bash", {"command": "a"}, "/a", tuple(roots), platform=platform)
    tried, found = [
        decide(
            call, reading, Policy(rules, RuleIndex(rules, make_plans(rules, few)), bound=True), "d"
        )
        for few in (ALONE, 0)
    ]
    assert found == tried


W = "${WORKSPACE}"
MAC, LINUX = "darwin", "linux"
WHOLE_TREE = frozenset({"recursive"})


def on(target: str, *only: str, real: str = "", whole: bool = False) -> Effect:
    """Return the deletion of a path."""
    place = Place("elsewhere", real=real)
    return Effect(Deletes, target, place, traits=WHOLE_TREE if whole else frozenset(), only=only)


@pytest.mark.parametrize(
    ("pattern", "effect", "platform"),
    [
        ("/a/B", on("/A/b"), MAC),
        ("/a/b/c", on("/a/[b]/c", "/a/[xb]/c"), LINUX),
        ("/a/\u0130/c", on("/a", "/a/?/c"), LINUX),
        ("/a/b/c/**", on("/a/b", whole=True), LINUX),
        ("/a/b/c", on("/a", "/a/**/c"), LINUX),
        (f"{W}/b/**", on("/w/b/c"), LINUX),
        (f"{W}/b/**", on("/w", whole=True), LINUX),
        (f"{W}x/b", on("/wx/b"), LINUX),
        ("/a/b", on("/else/where", real="/a/b"), LINUX),
        ("/a/" * 12 + "*", on("/a/" * 12 + "b"), LINUX),
        ("**/b", on("/a/b"), LINUX),
    ],
)
def test_what_is_only_just_the_same_is_found(pattern: str, effect: Effect, platform: str) -> None:
    """In small letters, as a pattern, below, in the workspace, by the path that it leads to; and
    nothing is, without the rule.
    """
    for asked, spoke in ((pattern, True), (f"/never{pattern}", False)):
        rules = rules_of([Match((Deletes,), path=(asked,), holding=True)])
        policy = Policy(rules, RuleIndex(rules, make_plans(rules, 0)), bound=True)
        call = ToolCall(SHELL, "Bash", {"command": "a"}, "/w", ("/w",), platform=platform)
        assert bool(decide(call, Reading((effect,)), policy, "d").findings) is spoke


def test_without_a_workspace_its_patterns_fit_what_they_always_did() -> None:
    """Nothing but the path that stands for nowhere."""
    rules = rules_of([Match((Deletes,), path=(f"{W}/x",))])
    policy = Policy(rules, RuleIndex(rules, make_plans(rules, 0)), bound=True)
    call = ToolCall(SHELL, "Bash", {"command": "a"}, "/w", ())
    for target, spoke in (("\0", True), ("/x", False)):
        found = decide(call, Reading((on(target),)), policy, "d").findings
        assert bool(found) is spoke


def test_rules_that_name_something_else_are_not_tried() -> None:
    """Of a thousand rules those of the path, host, branch or program at hand; and all where a whole
    tree goes.
    """
    asked = [
        *[
            Match((Deletes,), path=(f"/srv/team-{number}/**",), holding=True)
            for number in range(1000)
        ],
        *[Match((Connects,), like=(f"*.host-{number}.example",)) for number in range(1000)],
        *[Match((Pushes,), ref=(f"release-{number}",)) for number in range(1000)],
        *[Match((Writes,), by=frozenset({f"tool-{number}"})) for number in range(1000)],
    ]
    rules = rules_of(asked)
    held = RuleIndex(rules, make_plans(rules))
    here, all_of = Place("elsewhere"), frozenset({"recursive"})
    for effect, places in (
        (Effect(Deletes, "/srv/team-7/x", here), [7]),
        (Effect(Deletes, "/srv/other", here), []),
        (Effect(Deletes, "/srv", here, traits=all_of), list(range(1000))),
        (Effect(Connects, "a.host-3.example"), [1003]),
        (Effect(Pushes, "origin", only=("HEAD:refs/heads/release-9",)), [2009]),
        (Effect(Pushes, "origin"), list(range(2000, 3000))),
        (Effect(Writes, "/x", here, by="tool-5"), [3005]),
        (Effect(Reads, "/x", here), []),
    ):
        assert list(held.among(effect, ("/work",))) == places


@pytest.mark.parametrize("root", ["/srv/team-7/work", "/srv/team-7/wo*k"])
def test_patterns_of_the_workspace_are_looked_up_in_it(root: str) -> None:
    """In one root those of the file at hand; where its name is a pattern, all are tried."""
    rules = rules_of(
        [Match((Writes,), path=(f"${{WORKSPACE}}/part-{number}/*",)) for number in range(99)]
    )
    held = RuleIndex(rules, make_plans(rules))
    found = held.among(Effect(Writes, f"{root}/part-4/x", Place("workspace")), (root,))
    assert list(found) == ([4] if "*" not in root else list(range(99)))


def test_the_beginning_of_a_name_is_looked_up_though_its_letters_hang_on_what_follows() -> None:
    """A sigma in small letters is another one at the end of a word than before a letter."""
    held = RuleIndex(
        rules_of([Match((Connects,), like=("x\u03a3*",))]),
        make_plans(rules_of([Match((Connects,), like=("x\u03a3*",))]), 0),
    )
    assert list(held.among(Effect(Connects, "x\u03a3A"), ())) == [0]
    assert list(held.among(Effect(Connects, "y\u03a3A"), ())) == []
