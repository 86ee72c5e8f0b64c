"""Where the rules of a policy are kept, so that they are found by what they name.

It is plain data, which a compiled policy holds. A rule stands under the folders that its paths
begin with, under names, or among those that are always tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from interlock.model.rule import Match, Rule

Node = dict[str | None, Any]
"""Folders by name; under None the places of the rules whose written-out part ends here."""
Table = dict[str, list[int]]
Names = tuple[list[int], Table, dict[int, Table], dict[int, Table]]
"""Places of rules: all, by a whole name, by beginnings and ends of names of each length."""
Plan = tuple[list[int], Node, dict[str, Names]]
"""Of one kind of effect: rules that are always tried, by folder, by name of each aspect."""

WORKSPACE = "${WORKSPACE}"
"""How a pattern begins that lies in the call's own folders (``engine.workspace_bound``)."""
TARGET, LIKE, REF, BY, COMMANDS = "target", "like", "ref", "by", "commands"
"""Aspects of names; each but the second and third is a name and no pattern."""
DEPTH = 16
"""Folders of a pattern that count here; the rest is left to the trial."""
FEW = 16
"""Rules of one kind that are sooner tried than looked up."""


def make_plans(rules: Sequence[Rule], few: int = FEW) -> dict[str, Plan]:
    """Return where the rules of each kind are kept; those that ask for no effect under ``""``."""
    by_kind: dict[str, list[int]] = {}
    for place, rule in enumerate(rules):
        for kind in rule.match.kinds or ("",):
            by_kind.setdefault(str(kind), []).append(place)
    return {kind: _plan(places, rules, few) for kind, places in by_kind.items()}


def _plan(places: list[int], rules: Sequence[Rule], few: int) -> Plan:
    plan: Plan = ([], {}, {})
    for place in places:
        _keep(plan, place, rules[place].match)
    return plan if len(places) - len(plan[0]) >= few else (places, {}, {})


def _keep(plan: Plan, place: int, match: Match) -> None:
    """Keep a rule by the first aspect in which all that it names can be found again."""
    always, folders, names = plan
    for aspect, texts in _candidate_names(match):
        _keep_names(names.setdefault(aspect, ([], {}, {}, {})), place, aspect, texts)
        return
    if match.kinds and match.path and all(map(_has_place, match.path)):
        for pattern in match.path:
            _keep_path(folders, place, pattern)
        return
    always.append(place)


def _candidate_names(match: Match) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield by what names a rule can be kept, the narrowest first."""
    if not match.kinds:
        programs = [first_program(pattern) for pattern in match.commands]
        if programs and "" not in programs:
            yield COMMANDS, programs
        return
    if match.target:
        yield TARGET, sorted(match.target)
    for aspect, patterns in ((LIKE, match.like), (REF, match.ref)):
        if patterns and all(any(_ends(pattern)) for pattern in patterns):
            yield aspect, patterns
    if match.by and not match.path:
        yield BY, sorted(match.by)


def first_program(pattern: str) -> str:
    """Return the program that a pattern of commands begins with, ``""`` where that is any."""
    words = pattern.split()
    return "" if not words or words[0] == "*" else words[0]


def _keep_names(kept: Names, place: int, aspect: str, texts: Sequence[str]) -> None:
    everything, whole, heads, tails = kept
    everything.append(place)
    for text in texts:
        head, tail = _ends(text)
        if aspect not in (LIKE, REF) or is_literal(text):
            whole.setdefault(key(text), []).append(place)
        elif head:
            heads.setdefault(len(head), {}).setdefault(head, []).append(place)
        else:
            tails.setdefault(len(tail), {}).setdefault(tail, []).append(place)
        if aspect == COMMANDS:  # mkfs is mkfs.ext4, too
            heads.setdefault(len(key(text)) + 1, {}).setdefault(f"{key(text)}.", []).append(place)


def _ends(pattern: str) -> tuple[str, str]:
    """Return what is written out at the two ends of a pattern of names."""
    signs = key(pattern).replace("?", "*")
    return signs.partition("*")[0], signs.rpartition("*")[2]


def _has_place(pattern: str) -> bool:
    """Tell whether a pattern begins in one place: in the workspace, and not beside it."""
    return not pattern.startswith(WORKSPACE) or pattern[len(WORKSPACE) :][:1] in ("", "/")


def _keep_path(node: Node, place: int, pattern: str) -> None:
    for name in names_of(pattern)[:DEPTH]:
        if not is_literal(name):
            break
        node = node.setdefault(name, {})
    node.setdefault(None, []).append(place)


def is_literal(pattern: str) -> bool:
    """Tell whether a pattern is written out: only that name fits it."""
    return "*" not in pattern and "?" not in pattern


def key(text: str) -> str:
    """Return a text as it is looked up: some calls know no case.

    A small sigma looks otherwise at the end of a word, which the beginning of a name may be.
    """
    return text.lower().replace("\u03c2", "\u03c3")


def names_of(path: str) -> list[str]:
    """Return the names of a path or pattern, as they are looked up."""
    return key(path).rstrip("/").split("/")
