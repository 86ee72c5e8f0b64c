"""What a rule that looks at a call's text may mean: the effect that such a text has where it is
run, as a ``match`` for a rule of effects.

A proposal is made only where it holds: it catches that text when it is run, and not when it is only
printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from interlock.engine.automaton import Program, matches_text
from interlock.engine.command_names import runs
from interlock.engine.decide import decide
from interlock.model.action import ASK
from interlock.model.call import SHELL
from interlock.model.effect import Executes, Opaque, Reading, Reads
from interlock.model.policy import Policy
from interlock.model.rule import Match, Rule
from interlock.policy.source import Reader

LONGEST = 200
WRITTEN = "x 1-/.aA_:=\"'"
"""Characters that are tried first, so that a sample looks like something that people write."""
_COMPLETED = ("{}", "{} x", "psql -c '{} x'", "psql -c '{}'")
"""Words that have no effect by themselves may want an operand, or be a statement of a database."""


def sample(program: Program, *, fold: bool = False) -> str:
    """Return a text in which a pattern finds itself, each repetition taken once, or ``""`` where
    there is none that anybody would write.
    """
    text, state = "", 0
    split: set[int] = set()
    while program[state][0] != "end" and len(text) < LONGEST:
        step = program[state]
        if step[0] == "split":
            following = step[-1] if state in split else step[1]
            split.add(state)
            state = following
        else:
            text += (
                _member(step, repeated=program[state - 1][:2] == ("split", state))
                if step[0] == "set"
                else ""
            )
            state = step[-1]
    return text if program[state][0] == "end" and matches_text(program, text, fold=fold) else ""


def _member(step: tuple[Any, ...], *, repeated: bool) -> str:
    """Return a character of a set; between words that may stand apart (``.*``) a space."""
    ranges, negated = step[1], step[2]
    codes = [
        *map(ord, " " if repeated else ""),
        *map(ord, WRITTEN),
        *[low for low, _ in ranges],
        *[high + 1 for _, high in ranges],
    ]
    return next(
        (
            chr(code)
            for code in codes
            if any(low <= code <= high for low, high in ranges) != negated
        ),
        "x",
    )


def propose_match(rule: Rule, reader: Reader, traits: Iterable[str]) -> str:
    """Return a ``match`` that says by effect or command what a rule says by text, or ``""``.
    ``traits``: those that rules know.
    """
    match = rule.match
    if match.tools and SHELL not in match.tools:
        return ""
    text = (match.text[0] if match.text else sample(match.pattern, fold=match.fold)).strip()  # type: ignore[arg-type]
    for form in _COMPLETED[: None if " " in text else 1] if text else ():
        _, reading = reader(form.format(text))
        if any("unknown-program" in effect.traits for effect in reading.effects):
            continue
        for effect in sorted(reading.effects, key=lambda one: one.kind is Reads):
            meant = Match((effect.kind,), has=effect.traits & frozenset(traits))
            if (
                effect.certain
                and effect.kind not in (Executes, Opaque)
                and _holds(meant, text, form, reader)
            ):
                return _render_match(meant)
    words = reader(text)[1] if text else Reading(())
    known = len(words.commands) == 1 and not any(
        "unknown-program" in effect.traits for effect in words.effects
    )
    return (
        f"{{commands: {' '.join(words.commands[0])}}}"
        if known and runs(text, words.commands[0])
        else ""
    )


def _holds(meant: Match, text: str, form: str, reader: Reader) -> bool:
    alone = Policy((Rule("x.x", "", "", "", meant, ASK, possible=ASK),))
    return [
        bool(decide(*reader(said), alone, "lint").findings)
        for said in (form.format(text), f"echo {_quote(text)}")
    ] == [True, False]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _render_match(meant: Match) -> str:
    traits = f", traits: [{', '.join(sorted(meant.has))}]" if meant.has else ""
    return f"{{effect: {meant.kinds[0]}{traits}}}"
