"""``interlock explain RULE`` or ``interlock explain -- COMMAND``: a rule in full, or a call step by step."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

from interlock.cli import calls, check, show
from interlock.cli.paint import Painter
from interlock.model.rule import Call
from interlock.rules.catalogue import RULES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from interlock.model.rule import Rule

NAME = "explain"
SUMMARY = "explain a rule, or how a command is read and judged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    calls.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Explain a rule where one word is given that names one, else the command."""
    paint = Painter(sys.stdout)
    words = options.command
    if options.tool is None and len(words) == 1 and " " not in words[0] and "." in words[0] and "/" not in words[0]:
        rule = next((rule for rule in RULES if rule.id == words[0]), None)
        if rule is not None:
            print("\n".join(rule_lines(rule, paint)))
            return 0
        near = difflib.get_close_matches(words[0], [rule.id for rule in RULES], 1)
        if near:
            sys.stderr.write(f"interlock explain: no rule is called {words[0]!r}; did you mean {near[0]}? `interlock rules` lists them all\n")
            return check.BAD_INPUT
    try:
        call = calls.call_of(options)
    except calls.InputError as problem:
        sys.stderr.write(f"interlock explain: {problem}\n")
        return check.BAD_INPUT
    reading, decision = check.judge(call)
    print("\n".join(show.explained(reading, decision, paint)))
    return 0


def rule_lines(rule: Rule, paint: Painter) -> Iterator[str]:
    """Yield a rule line by line."""
    yield f"{paint(rule.id, 'bold')}  {rule.action}" + (f", never below {rule.floor}" if rule.floor else "")
    yield f"  A call that {rule.title}."
    yield f"  Why: {rule.why}"
    yield f"  Safer: {rule.instead}"
    if rule.approver:
        yield f"  Needs the approval of: {rule.approver}"
    yield f"  Tags: {', '.join(sorted(rule.tags))}"
    for label, colour, examples in (("catches", "red", rule.catches), ("passes", "green", rule.passes)):
        for example in examples:
            yield f"  {paint(label.ljust(7), colour)} {example_text(example)}"


def example_text(example: str | Call) -> str:
    """Return an example as it would be typed."""
    if isinstance(example, Call):
        return f"{example.tool} " + ", ".join([f"{key}={value!r}" for key, value in example.input])
    return example
