"""Rules that ask for a call's own words and for no effect: what stands in its text, and which
commands it runs (``engine.command_names``).
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.engine.automaton import matches_text
from interlock.engine.command_names import NO, SURE, fits, runs
from interlock.model.action import ASK, Action
from interlock.model.call import SHELL, ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Reading
from interlock.model.rule import Match, Rule

MAX_TEXT = 1 << 20
_APART = str.maketrans(dict.fromkeys("\"'`;|&(){}<>,", " "))


def match_words(
    rules: tuple[Rule, ...], call: ToolCall, reading: Reading
) -> tuple[tuple[Rule, Finding], ...]:
    """Return the rules whose words are those of the call, or may be, each with what it says."""
    texts = (
        [_words(text) for text in _texts(call, reading)]
        if any(rule.match.text for rule in rules)
        else []
    )
    found = [(rule, _speaks(rule.match, call, reading, texts)) for rule in rules]
    return tuple(
        [
            (
                rule,
                Finding(
                    rule.id,
                    _action(rule, how),
                    rule.stage,
                    rule.title,
                    rule.instead,
                    tags=rule.tags,
                ),
            )
            for rule, how in found
            if how
        ]
    )


def _action(rule: Rule, how: int) -> Action:
    """Return what a rule says of words that are there, or only may be: those it asks about only."""
    if how == SURE:
        return rule.action
    return min(rule.action, rule.possible if rule.possible is not None else ASK)


def _speaks(match: Match, call: ToolCall, reading: Reading, texts: list[str]) -> int:
    if match.tools and call.tool not in match.tools and call.name not in match.tools:
        return NO
    if match.text and not any(_words(phrase) in text for text in texts for phrase in match.text):
        return NO
    if match.pattern and not any(
        matches_text(match.pattern, text, fold=match.fold)  # type: ignore[arg-type]
        for text in _texts(call, reading)
    ):
        return NO
    if match.outside and not _runs_other(match.outside, call, reading):
        return NO
    return (
        max(fits(pattern, reading.commands) for pattern in match.commands)
        if match.commands
        else SURE
    )


def _runs_other(known: tuple[str, ...], call: ToolCall, reading: Reading) -> bool:
    """Tell whether a shell call runs anything but these commands; the unread may run anything."""
    if call.tool != SHELL and not reading.commands:
        return False
    if reading.coverage != "full" or not reading.commands:
        return True
    return not all(any(runs(pattern, command) for pattern in known) for command in reading.commands)


# -- words of a text -------------------------------------------------------------------------------


def _texts(call: ToolCall, reading: Reading) -> Iterator[str]:
    for text in reading.texts:
        yield text.text
    if not reading.texts:
        yield from _strings(call.input, 0)


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 8 and hasattr(value, "values"):
        for one in value.values():
            yield from _strings(one, depth + 1)
    elif depth < 8 and isinstance(value, (list, tuple)):
        for one in value:
            yield from _strings(one, depth + 1)


def _words(text: str) -> str:
    """Return a text as its words with one space before, between and after them, whatever their case
    and the quotes around them.
    """
    return f" {' '.join(text[:MAX_TEXT].casefold().translate(_APART).split())} "
