"""``interlock policy diff OLD NEW``: which cases change their answer between two policies, and
which rules differ.

A policy is a file, taken alone over the built-in rules, or the name of a profile; with one of them,
what holds here is the old one. The cases are the examples of all rules, and those of ``--cases``.
Exit codes: 0 the same; 1 they differ; 2 a file is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator

from interlock.cli import build
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policy_cases import WRONG, content, here, judge_case, policy_of
from interlock.engine.decide import decide
from interlock.model.decision import Decision
from interlock.model.record import Record
from interlock.policy.cases import Case, answer_name, cases
from interlock.policy.compare import RuleChange, changes
from interlock.policy.merge import MergedPolicy
from interlock.policy.problem import PolicyError

SAMPLES = 5


class CaseFlip(Record):
    """A case that two policies answer differently. ``rules``: those that decide the new answer; of
    an allow, the old one.
    """

    text: str
    old: str
    new: str
    rules: tuple[str, ...]


def run(options: argparse.Namespace) -> int:
    """Compare and tell."""
    if len(options.files) not in (1, 2):
        complain(
            "interlock policy diff: name two policies, files or profiles; with one, what holds here"
            " is the other\n"
        )
        return WRONG
    home = here().home
    names = options.files if len(options.files) == 2 else [None, *options.files]
    try:
        old, new = [policy_of(name) for name in names]
        more = [case for path in options.cases for case in cases(content(path), path)]
    except PolicyError as error:
        complain(f"{error}\n")
        return WRONG
    changed = list(changes(old, new))
    count, flips = _flips(old, new, more, home)
    if options.json:
        rules = [
            {"rule": one.rule, "field": one.field, "old": one.old, "new": one.new, "at": [*one.at]}
            for one in changed
        ]
        told = [
            {"call": one.text, "old": one.old, "new": one.new, "rules": [*one.rules]}
            for one in flips
        ]
        print(json.dumps({"cases": count, "rules": rules, "flips": told}, indent=2))
    else:
        for line in lines(changed, count, flips, Painter(sys.stdout)):
            print(line)
    return 1 if changed or flips else 0


def _flips(
    old: MergedPolicy, new: MergedPolicy, more: Iterable[Case], home: str
) -> tuple[int, list[CaseFlip]]:
    """Return how many cases there are, and those that flip: the person's own first, then the
    examples of the rules.
    """
    reader = build.reader(home)
    examples = dict.fromkeys(
        [
            of
            for one in (old, new)
            for rule in one.policy.rules
            for of in (*rule.catches, *rule.passes)
        ]
    )
    count, found = 0, []
    for case in more:
        count += 1
        found += _flip(
            case.text, judge_case(case, old.policy, home)[1], judge_case(case, new.policy, home)[1]
        )
    for of in examples:
        count += 1
        call, reading = reader(of)
        text = of if isinstance(of, str) else f"{of.tool} {dict(of.input)}"
        found += _flip(
            text, decide(call, reading, old.policy, "old"), decide(call, reading, new.policy, "new")
        )
    return count, found


def _flip(text: str, old: Decision, new: Decision) -> list[CaseFlip]:
    was, now = answer_name(old), answer_name(new)
    if was == now:
        return []
    told = new if now != "allow" else old
    return [
        CaseFlip(text, was, now, tuple(dict.fromkeys([finding.rule for finding in told.deciding])))
    ]


def lines(
    changed: list[RuleChange], count: int, flips: list[CaseFlip], paint: Painter
) -> Iterator[str]:
    """Yield what differs as people read it."""
    for one in changed:
        at = f"  {', '.join(one.at)}" if one.at else ""
        yield (
            f"rule {one.rule}: {'' if one.field == 'rule' else one.field + ' '}{visible(one.old)}"
            f" -> {visible(one.new)}{paint(visible(at), 'grey')}"
        )
    if not changed:
        yield "the rules are the same"
    for was, now in dict.fromkeys([(flip.old, flip.new) for flip in flips]):
        some = [flip for flip in flips if (flip.old, flip.new) == (was, now)]
        yield f"{paint(f'{was} -> {now}', 'bold')}: {len(some)} of {count} cases"
        yield from [
            f"  {visible(flip.text)}  {paint(', '.join(flip.rules), 'grey')}"
            for flip in some[:SAMPLES]
        ]
        if len(some) > SAMPLES:
            yield f"  ... and {len(some) - SAMPLES} more"
    if not flips:
        yield f"none of {count} cases changes its answer"
