"""Patterns that a policy blocks (``kubectl delete``, ``DROP DATABASE``), to rules that deny.

A pattern is a command or a statement of a database, never a text: what only shows its words runs
nothing. A command is denied by its words, with options between them and whatever follows
(``engine.command_names``), and by what it does: whatever has the same effect on the same target
does the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.engine.command_names import AND, UNKNOWN
from interlock.model.action import DENY
from interlock.model.effect import (
    HERE,
    WORKSPACE_ROOT,
    ChangesDatabase,
    ChangesInfrastructure,
    ControlsContainer,
    ControlsSystem,
    Effect,
    EscalatesPrivilege,
    Executes,
    Exhausts,
    Opaque,
    Pushes,
    Reading,
    Reads,
    RunsCode,
)
from interlock.model.rule import Match, Rule
from interlock.policy.compile import rule_of
from interlock.policy.document import DocumentNode
from interlock.policy.patterns import WORKSPACE
from interlock.policy.source import PolicySource, Reader

FAMILY = "patterns.blocked"
LONGEST = 60
_OF_NO_MATTER = frozenset({"force", "interactive", "verbose"})
"""Traits of a blocked deletion that make it no other deletion."""
_BY_WORDS = (
    Executes,
    Opaque,
    ControlsContainer,
    ControlsSystem,
    ChangesInfrastructure,
    EscalatesPrivilege,
)
"""Effects whose target is the command's own words, which are looked for as words."""
_JOINTS = "|;&\n"
_WHERE = "x WHERE y = 1"
"""What may follow a statement: what it does then, too, is what is meant."""


def pattern_rules(
    text: str, number: int, node: DocumentNode, source: PolicySource
) -> Iterator[Rule]:
    """Yield the rules of a pattern, a file's ``number``-th; one that blocks nothing is wrong."""
    matches = list(_matches(text, source.reader))
    if not matches:
        source.say(
            node,
            f"{text!r} is no command and no statement of a database, so it would block nothing;"
            " write the first words of a command",
        )
    for place, match in enumerate(matches, 1):
        name = f"{FAMILY}-{number}" if place == 1 else f"{FAMILY}-{number}-{place}"
        yield rule_of(name, f"does what the policy blocks: {text[:LONGEST]}", match, DENY)


def _matches(text: str, reader: Reader | None) -> Iterator[Match]:
    """Yield what a pattern stands for: a statement, or a command by words and by effects."""
    if reader is None:
        yield Match((), commands=(" ".join(text.split()),))
        return
    call, reading = reader(text)
    statement = _statement(text, reader) if _is_unknown(reading) else None
    if statement is not None:
        yield statement
        return
    several = any(char in _JOINTS for char in text)
    done = (
        []
        if _is_unknown(reading)
        else [
            match
            for effect in _select_effects(reading)
            if (match := _like(effect, call.roots, several=several)) is not None
        ]
    )
    words = _words(reading, several=several)
    if words and not (several and done):
        yield Match((), commands=(words,))
    yield from dict.fromkeys(done)


def _is_unknown(reading: Reading) -> bool:
    return any("unknown-program" in effect.traits for effect in reading.effects)


def _words(reading: Reading, *, several: bool) -> str:
    """Return a pattern's commands as words that are looked for, or ``""`` if they cannot be."""
    commands = reading.commands if several else reading.commands[:1]
    known = all(
        word and UNKNOWN not in word and not set(word) & {" ", "\t", "\n"}
        for command in commands
        for word in command
    )
    return AND.join([" ".join(command) for command in commands]) if known else ""


def _select_effects(reading: Reading) -> list[Effect]:
    """Return the effects that say what a command does: they are sure; and what is read only where
    nothing else is done.
    """
    some = [effect for effect in reading.effects if effect.certain]
    only_reads = all(effect.kind is Reads for effect in some)
    return [
        effect
        for effect in some
        if effect.kind not in _BY_WORDS
        and (effect.kind is not Reads or (only_reads and not _is_root(effect)))
    ]


def _is_root(effect: Effect) -> bool:
    return effect.place is not None and WORKSPACE_ROOT in effect.place.natures


def _like(effect: Effect, roots: tuple[str, ...], *, several: bool) -> Match | None:
    """Return what matches effects that do the same, or None where the effect names nothing.
    ``several``: it is what several commands do together.
    """
    if effect.kind is Exhausts or (several and effect.kind is RunsCode):
        return Match((effect.kind,), has=effect.traits - {"unread"})
    if effect.kind is Pushes:
        return Match(
            (Pushes,),
            has=effect.traits - {"default-refs"},
            ref=tuple([ref.rpartition(":")[2] for ref in effect.only]),
        )
    if effect.place is not None and effect.place.where == HERE and effect.target[:1] == "/":
        return Match(
            (effect.kind,),
            has=effect.traits - _OF_NO_MATTER - {"all-of"},
            path=(_path(effect.target, roots),),
        )
    if effect.kind is ChangesDatabase:
        return _database(effect, effect.traits)
    return (
        Match((effect.kind,), has=effect.traits, like=(effect.target,))
        if effect.target and effect.place is None
        else None
    )


def _path(target: str, roots: tuple[str, ...]) -> str:
    """Return a path as a policy writes it: what lies in the example's workspace lies in whatever
    workspace there is.
    """
    root = next((root for root in roots if target == root or target.startswith(f"{root}/")), None)
    return target if root is None else WORKSPACE + target[len(root) :]


def _statement(text: str, reader: Reader) -> Match | None:
    """Return what matches a statement of a database and what follows it; None if a text is none."""
    plain = text.replace("'", '"')
    found = [_changes(reader(f"psql -c '{said}'")[1]) for said in (plain, f"{plain} {_WHERE}")]
    if found[0] is None:
        return None
    return _database(
        found[0], found[0].traits if found[1] is None else found[0].traits & found[1].traits
    )


def _changes(reading: Reading) -> Effect | None:
    return next(
        (effect for effect in reading.effects if effect.kind is ChangesDatabase and effect.certain),
        None,
    )


def _database(effect: Effect, traits: frozenset[str]) -> Match:
    name = effect.target.lower()
    return Match(
        (ChangesDatabase,), has=traits, like=(name, f"{name} *") if name else (), fold=True
    )


# -- what was understood ---------------------------------------------------------------------------


def describe_rule(rule: Rule, reader: Reader) -> str:
    """Return in words what the rule of a pattern denies."""
    match = rule.match
    if match.commands:
        words = match.commands[0]
        several = AND in words
        unknown = not several and _is_unknown(reader(words)[1])
        of = (
            f"a call that runs all of `{words}`"
            if several
            else f"the command `{words}`, with options between its words and whatever follows"
        )
        return f"denies {of}{'; no program of that name is known here' if unknown else ''}"
    targets = [
        pattern for pattern in (*match.path, *match.like, *match.ref) if not pattern.endswith(" *")
    ]
    target = f" on {', '.join([f'`{one}`' for one in targets])}" if targets else ""
    traits = f" with the traits {', '.join(sorted(match.has))}" if match.has else ""
    return f"denies the effect {' or '.join(match.kinds)}{target}{traits}, whatever program has it"
