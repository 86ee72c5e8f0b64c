"""The catalogue: every rule's own examples, and what each row owes the person who reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from interlock.effects.read import read
from interlock.engine.combine import lower_action
from interlock.facts import Recorded
from interlock.model.action import ALLOW, ASK, DENY
from interlock.model.effect import HOSTS, KINDS, LOCATIONS, NATURES
from interlock.rules.catalogue import FAMILIES, RULES
from tests.effects.reading import words_of
from tests.judging import decided, example, judged, rules_of

if TYPE_CHECKING:
    from interlock.model.rule import Call, Rule

FAMILY_OF = {
    "filesystem": "fs",
    "filewrites": "fs",
    "secrets": "secret",
    "network": "net",
    "execution": "exec",
    "git": "git",
    "packages": "pkg",
    "system": "system",
    "database": "db",
    "infrastructure": "infra",
    "guard": "guard",
    "tools": "tool",
    "unread": "unread",
}
"""The module of a rule -> the first part of its id."""
ONE_EXAMPLE: dict[str, str] = {}
"""Rules with a single example, and why there is no second."""
ID = re.compile(r"[a-z]+\.[a-z]+(-[a-z]+)*")
GR = re.compile(r"GR-0(0[1-9]|10)")
ATTACK = re.compile(r"attack\.ta?\d{4}(\.\d{3})?")
SENTENCE_MAX = 300
BY_ID = [pytest.param(rule, id=rule.id) for rule in RULES]


def examples(kind: str) -> list[Any]:
    """Return every example of a kind as a parameter whose id begins with the rule's."""
    return [
        pytest.param(rule, of, id=f"{rule.id}-{number}")
        for rule in RULES
        for number, of in enumerate(getattr(rule, kind))
    ]


def seen(of: str | Call) -> str:
    """Say how an example is read: what a match has to fit."""
    return (
        ", ".join(sorted(words_of(read(example(of), Recorded("/home/user")).effects))) or "nothing"
    )


@pytest.mark.parametrize(("rule", "of"), examples("catches"))
def test_a_rule_catches_its_examples(rule: Rule, of: str | Call) -> None:
    """What a rule says it catches, it catches itself: with its action, or with the one for what is
    only possible.
    """
    found = [finding for finding in decided(example(of)).findings if finding.rule == rule.id]
    assert found, f"{rule.id} does not match {of}, which is read as: {seen(of)}"
    assert {finding.action for finding in found} <= {rule.action, lower_action(rule)}


@pytest.mark.parametrize(("rule", "of"), examples("passes"))
def test_a_rule_passes_its_near_misses(rule: Rule, of: str | Call) -> None:
    """What a rule says it lets pass, it does not speak of."""
    assert rule.id not in rules_of(decided(example(of))), (
        f"{rule.id} matches {of}, which is read as: {seen(of)}"
    )


@pytest.mark.parametrize("rule", BY_ID)
def test_a_rule_takes_its_own_action_somewhere(rule: Rule) -> None:
    """At least one example meets a rule with its full action, not with the one for what is only
    possible.
    """
    actions = {
        finding.action
        for of in rule.catches
        for finding in decided(example(of)).findings
        if finding.rule == rule.id
    }
    assert rule.action in actions, (
        f"no example of {rule.id} gets {rule.action}: one that is certain is needed, or `possible={rule.action}`"
    )


@pytest.mark.parametrize("rule", BY_ID)
def test_a_rule_has_examples_of_both_kinds(rule: Rule) -> None:
    """Two that it catches (one where it is explained), one that it passes, and none of them
    twice.
    """
    assert {type(rule.catches), type(rule.passes)} == {tuple}, (
        "a single example needs its comma: ('ls',)"
    )
    assert len(rule.catches) >= (1 if rule.id in ONE_EXAMPLE else 2), (
        "a second example that it catches is missing"
    )
    assert rule.passes, "an example that it lets pass is missing: a near miss"
    assert len({*rule.catches, *rule.passes}) == len(rule.catches) + len(rule.passes)


@pytest.mark.parametrize("rule", BY_ID)
def test_a_rule_speaks_in_sentences(rule: Rule) -> None:
    """``why`` and ``instead`` are sentences of under 300 characters; the title completes "This call
    ...".
    """
    for text in (rule.why, rule.instead):
        assert text.endswith((".", "?")), f"no sentence: {text}"
        assert text[0].isupper() or text[0] == "`", f"a sentence begins with a capital: {text}"
        assert 15 <= len(text) < SENTENCE_MAX, (
            f"{len(text)} characters, 15 to {SENTENCE_MAX - 1} are wanted: {text}"
        )
    assert rule.title[0].islower(), f"the title completes `This call ...`: {rule.title}"
    assert not rule.title.endswith("."), f"the title completes `This call ...`: {rule.title}"
    assert len(rule.title) < 90, (
        f"{len(rule.title)} characters, 89 at most are wanted: {rule.title}"
    )


@pytest.mark.parametrize("rule", BY_ID)
def test_the_safer_way_is_allowed(rule: Rule) -> None:
    """A command that a rule proposes (in backticks) is allowed by the guard that proposes it."""
    for command in re.findall(r"`([^`]+)`", rule.instead):
        decision = judged(command)
        assert str(decision.verdict) == "allow", (
            f"`{command}` is proposed as the safer way, and {sorted(rules_of(decision))} speak against it"
        )


@pytest.mark.parametrize("rule", BY_ID)
def test_a_rule_is_made_of_known_words(rule: Rule) -> None:
    """Kinds, locations, natures, hosts and tags are of the house's vocabulary: a misspelt one would
    match nothing, for ever.
    """
    match = rule.match
    nature = match.nature | match.no_nature
    asked = (
        ("kinds", match.kinds, KINDS),
        ("location", match.location, LOCATIONS),
        ("nature", nature, NATURES),
        ("host", match.host, HOSTS),
    )
    for field, words, known in asked:
        assert set(words) <= set(known), (
            f"{field}: {sorted(set(words) - set(known))} is none of {', '.join(known)}"
        )
    assert not match.has & match.lacks
    assert not match.any & match.lacks
    for tag in rule.tags:
        assert (
            GR.fullmatch(tag) or ATTACK.fullmatch(tag) or re.fullmatch(r"[a-z]+(-[a-z]+)*", tag)
        ), f"{tag}: GR-001, attack.t1059 or words-like-these"


@pytest.mark.parametrize("rule", BY_ID)
def test_a_rule_is_bounded(rule: Rule) -> None:
    """A rule says something (WARN at least), its floor is not above it, nor is its action for what
    is only possible.
    """
    assert ALLOW < rule.action <= DENY
    assert rule.floor <= rule.action
    assert rule.possible is None or rule.possible <= rule.action
    assert not rule.approver or rule.action >= ASK


def test_ids_are_unique_and_named_for_their_family() -> None:
    """An id is ``family.verb-object`` in kebab case, the family is that of its module, and no two
    are the same.
    """
    ids = [rule.id for rule in RULES]
    assert sorted({one for one in ids if ids.count(one) > 1}) == [], "two rules of one name"
    for module in FAMILIES:
        family = FAMILY_OF[module.__name__.rpartition(".")[2]]
        for rule in module.RULES:
            assert ID.fullmatch(rule.id), (
                f"{rule.id}: `family.verb-object` in small letters is wanted"
            )
            assert rule.id.partition(".")[0] == family, (
                f"{rule.id}: what stands in {module.__name__} begins with `{family}.`"
            )


def test_exceptions_are_needed() -> None:
    """Whoever has one example only is named with the reason, and nobody else is."""
    single = {rule.id for rule in RULES if len(rule.catches) == 1}
    assert set(ONE_EXAMPLE) == single, (
        "a rule needs two examples that it catches, or a line in ONE_EXAMPLE that says why there is but one"
    )
