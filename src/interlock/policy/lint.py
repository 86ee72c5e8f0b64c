"""What is no error in a policy file and still worth a look: rules that nothing tests, that are too
wide, or that change nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from interlock.data.traits import TRAITS, is_declared
from interlock.model.glob import name_fits, path_fits
from interlock.model.rule import Match, Rule
from interlock.policy.blocked_patterns import FAMILY, describe_rule
from interlock.policy.builtin import HOSTS
from interlock.policy.compile import STANDS_FOR, speaks_of
from interlock.policy.layer import Layer, Setting, Tune
from interlock.policy.source import Reader
from interlock.policy.text_effects import propose_match

WIDE = 3
"""Kinds of effects from which on a rule without any other condition is called wide."""


def lint(layer: Layer, known: Mapping[str, Rule], reader: Reader, today: str) -> Iterator[str]:
    """Yield sentences, each with its place. ``reader``: reads what a text may mean; ``today``: as
    exceptions name days (``2026-12-31``).
    """
    own = {one.rule.id for one in layer.rules}
    traits = {
        trait
        for rule in known.values()
        if rule.id not in own
        for trait in (*rule.match.has, *rule.match.any, *rule.match.lacks)
    }
    before: list[Rule] = []
    for one in layer.rules:
        for said in (
            *_explain_pattern(one.rule, reader),
            *_check_examples(one.rule, reader, traits),
            *_wide(one.rule),
            *_check_shadowing(one.rule, before),
        ):
            yield f"{one.at}: {one.rule.id} {said}"
        before.append(one.rule)
    for tune in layer.tunes:
        yield from _tune(tune, known)
    for exemption in layer.exemptions:
        if exemption.until and exemption.until < today:
            yield (
                f"{exemption.at}: this exception ended on {exemption.until}: take it out, or name"
                " another day"
            )
    blocked = {
        one.rule.id: one.rule.match
        for one in layer.rules
        if one.rule.id in ("files.blocked", "hosts.blocked")
    }
    for setting in layer.settings:
        yield from _check_allowed(setting, blocked)


def _explain_pattern(rule: Rule, reader: Reader) -> Iterator[str]:
    if rule.id.startswith(FAMILY):
        yield f"({rule.title.partition(': ')[2]}) {describe_rule(rule, reader)}"


def _check_examples(rule: Rule, reader: Reader, traits: Collection[str]) -> Iterator[str]:
    if rule.match.text or rule.match.pattern:
        meant = propose_match(rule, reader, traits)
        then = (
            f"; if you mean what is done, write `match: {meant}` in a rule of a policy file"
            if meant
            else ""
        )
        yield (
            "looks at text: it speaks where the words are only shown, and not where the same is"
            f" done in other words{then}"
        )
    elif not rule.catches and rule.why != STANDS_FOR:
        yield "has no example under `catches`: nothing shows that it ever speaks"


def _wide(rule: Rule) -> Iterator[str]:
    # an example that matched shows that they are set
    proven = rule.match.has if rule.catches else frozenset()
    for trait in sorted(
        trait
        for trait in rule.match.has | rule.match.any
        if not is_declared(trait) and trait not in proven
    ):
        yield f"asks for the trait {trait!r}, which nothing sets: it never matches{_near(trait)}"
    if _is_wide(rule.match):
        yield f"speaks of every {', '.join(rule.match.kinds)}: is that what you mean?"


def _near(trait: str) -> str:
    near = get_close_matches(trait, TRAITS, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _check_shadowing(rule: Rule, before: list[Rule]) -> Iterator[str]:
    earlier = next(
        (one for one in before if _covers(one.match, rule.match) and rule.action <= one.action),
        None,
    )
    if earlier is not None:
        yield f"says nothing that {earlier.id} does not say already"


def _check_allowed(setting: Setting, blocked: Mapping[str, Match]) -> Iterator[str]:
    """Yield what is allowed and blocked at once, or was allowed before."""
    value: Any = setting.value
    if setting.name == "allowed" and "files.blocked" in blocked:
        for path in value:
            if any(path_fits(pattern, path) for pattern in blocked["files.blocked"].path):
                yield (
                    f"{setting.at}: {path} is blocked by this file too, and blocked beats allowed:"
                    " allowing it does nothing"
                )
    if setting.name == "hosts":
        for host in sorted(value):
            if "hosts.blocked" in blocked and any(
                name_fits(form, host) for form in blocked["hosts.blocked"].like
            ):
                yield f"{setting.at}: {host} is blocked by this file too: allowing it does nothing"
            elif any(host == known or host.endswith(f".{known}") for known in HOSTS):
                yield f"{setting.at}: {host} is allowed already"


def _covers(wide: Match, narrow: Match) -> bool:
    """Tell whether whatever fits the narrow match fits the wide one too, as far as equal or missing
    conditions show it.
    """
    if wide.path and wide.path != narrow.path:
        return False  # most rules of a long file differ here
    return (
        set(narrow.kinds) <= set(wide.kinds)
        and bool(wide.kinds) == bool(narrow.kinds)
        and all(
            getattr(wide, field) == getattr(narrow, field)
            or (field in _CONDITIONS and not getattr(wide, field))
            or (field == "remote" and wide.remote is None)
            for field in type(wide).fields
            if field != "kinds"
        )
    )


_CONDITIONS = tuple(
    "location nature no_nature host target has any lacks path not_path like ref by".split()
)
"""What asks nothing where it is empty; words are compared whole, for without them a rule of words
speaks of all calls.
"""


def _is_wide(match: Match) -> bool:
    asked = [
        getattr(match, field) for field in type(match).fields if field not in ("kinds", "remote")
    ]
    return (
        not any(asked)
        and match.remote is None
        and (len(match.kinds) >= WIDE or {"reads", "executes"} & set(match.kinds) != set())
    )


def _tune(tune: Tune, known: Mapping[str, Rule]) -> Iterator[str]:
    tuned = [rule for rule in known.values() if speaks_of(tune.rules, tune.tags, rule)]
    if (
        tune.action is not None
        and tuned
        and all(rule.action == tune.action for rule in tuned)
        and not tune.approver
        and tune.floor is None
    ):
        yield f"{tune.at}: this changes nothing: {tuned[0].id} says {tune.action} already"
