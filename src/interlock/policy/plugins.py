"""Plugin rules: the guards that agents keep in ``guards/`` folders, as the same records as all
other rules.

A guard looks for a pattern in a call's text (``match``), or for paths that are read or changed
(``file_match``). It only tightens, in a home as in a project: an ``allow`` says nothing, for the
strictest answer counts. In a home a later folder's guard takes the place, as a whole, of an earlier
one's with the same id; of two in one folder both hold. A project's never takes the place of any, it
is added: who cloned it did not write it.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.action import ASK, DENY, REVIEW, Action
from interlock.model.call import EDIT, FETCH, GLOB, GREP, PYTHON, READ, SEARCH, SHELL, TASK, WRITE
from interlock.model.effect import ChangesMode, Deletes, Kind, Reads, Writes
from interlock.model.rule import Match, Rule
from interlock.policy.layer import Layer, Written
from interlock.policy.patterns import pattern
from interlock.policy.reading import Section
from interlock.policy.regex import PatternError, compile_pattern
from interlock.policy.source import PolicySource

TOOLS = {
    "bash": SHELL, "shell": SHELL, "read": READ, "write": WRITE, "edit": EDIT, "multiedit": EDIT,
    "glob": GLOB, "grep": GREP, "webfetch": FETCH,
    "websearch": SEARCH, "task": TASK, "python": PYTHON,
}  # fmt: skip
"""Tools' names as agents write them, in small letters; others are a client's own."""
VERDICTS: dict[str, Action] = {"ask": ASK, "deny": DENY, "llm": REVIEW}
_CHANGES, _LOOKS = (Writes, Deletes, ChangesMode), (Reads,)
MAX_REASON = 80


def guard(section: Section, source: PolicySource) -> Layer:
    """Return the layer of one guard; its problems are added to the source's."""
    name = _name(section.get("id", ""))
    return Layer(
        source.layer,
        source.path,
        rules=tuple(_rules(section, name, source)) if name else (),
        guard=name,
    )


def effective_layers(guards: list[Layer]) -> tuple[list[Layer], list[str]]:
    """Return the guards of a home that hold, of folders in their order, and a sentence for each
    whose place another took.
    """
    last = {layer.guard: _folder(layer) for layer in guards if layer.guard}
    gone = [layer for layer in guards if layer.guard and last[layer.guard] != _folder(layer)]
    notes = [
        f"{layer.path}: the guard {layer.guard} in {last[layer.guard]} takes its place"
        for layer in gone
    ]
    return [layer for layer in guards if layer not in gone], notes


def _folder(layer: Layer) -> str:
    return layer.path.rpartition("/")[0]


def _name(text: str) -> str:
    """Return a guard's id as it stands in the ids of its rules."""
    return "".join([char if char.isalnum() else "-" for char in text.lower()]).strip("-") or (
        "guard" if text else ""
    )


def _rules(section: Section, name: str, source: PolicySource) -> Iterator[Written]:
    tools = tuple([name for names in section.get("tool", ()) for name in names])
    for number, one in enumerate(section.get("patterns", ()), 1):
        action = VERDICTS.get(one.get("verdict"))
        match = _match(one, tools, source)
        if action is not None and match is not None:
            rule_id = f"plugin.{name}" if number == 1 else f"plugin.{name}-{number}"
            yield Written(_rule(rule_id, one.get("reason", ""), match, action), source.at(one.node))


def _rule(rule_id: str, reason: str, match: Match, action: Action) -> Rule:
    why = reason or "A guard of this machine or project says so."
    title = (
        f"is one its guard stops: {why[:MAX_REASON]}"
        if reason
        else "is one a guard of this machine or project stops"
    )
    return Rule(
        rule_id,
        title,
        why,
        "Ask the user.",
        match,
        action,
        possible=min(ASK, action),
        tags=frozenset({"plugin", "policy"}),
    )


def _match(one: Section, tools: tuple[str, ...], source: PolicySource) -> Match | None:
    text, path = one.get("match"), one.get("file_match")
    if text and path:
        source.say(one.node, "a pattern looks for `match` or for `file_match`; write two")
        return None
    if path:
        return Match(_kinds(tools), path=(pattern(path, source.home),), holding=True)
    if not text:
        return None
    try:
        program, fold = compile_pattern(text)
    except PatternError as error:
        source.say(one.at("match"), str(error))
        return None
    known = frozenset([TOOLS.get(name.lower(), name) for name in tools if name != "*"])
    return Match((), tools=known, pattern=program, fold=fold)


def _kinds(tools: tuple[str, ...]) -> tuple[Kind, ...]:
    """Return what tools of these names do to files: other tools doing the same are meant too."""
    known = {TOOLS.get(name.lower(), name) for name in tools}
    if not known or known & {SHELL, PYTHON, "*"}:
        return (*_LOOKS, *_CHANGES)
    kinds = (_LOOKS if known & {READ, GLOB, GREP} else ()) + (
        _CHANGES if known & {WRITE, EDIT} else ()
    )
    return kinds or (*_LOOKS, *_CHANGES)
