"""Rules of cc-safety-net: rulebooks that ``rule.json`` names, and the older inline files.

``~/.cc-safety-net/rules/rule.json`` and ``.cc-safety-net/rules/rule.json`` list sources; a rulebook
lies at ``NAME/rulebook.json`` beside them. A rule of version 1 has ``command``, ``subcommand`` and
``block_args`` (any of them), one of version 2 ``match`` with ``command_path``, ``any_args`` and
``exclude_args``. Older: ``.safety-net.json`` and ``~/.cc-safety-net/config.json`` with ``rules``.
Source: `cc-safety-net rule doc` of 2.4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.integrations.importing.proposal import DENY, ConfigLine, ProposedRule, UnreadError
from interlock.model.jsontext import JsonError, loads

FILES = tuple(
    (
        "~/.cc-safety-net/rules/rule.json ~/.cc-safety-net/rules/*/rulebook.json"
        " ~/.cc-safety-net/config.json .cc-safety-net/rules/rule.json"
        " .cc-safety-net/rules/*/rulebook.json .safety-net.json"
    ).split()
)


def lines(text: str, path: str) -> Iterator[ConfigLine]:
    """Yield what a file says; raises ``UnreadError``."""
    try:
        told = loads(text)
    except JsonError as problem:
        raise UnreadError(f"this is no JSON: {problem}") from None
    if not isinstance(told, dict):
        raise UnreadError("expected an object")
    rules = told.get("rules", [])
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        where = f"rules[{number}]"
        if isinstance(rule, dict):
            yield _line(where, rule)
        elif path.endswith("rule.json"):
            yield ConfigLine(where, str(rule), note=_source(str(rule)), needless=True)
        else:
            yield ConfigLine(where, str(rule), note="this is no rule")
    yield from _overrides(told)


def _source(name: str) -> str:
    if "/" in name:
        return "a rulebook from a repository: its copy beside this file is read, if it is there"
    return "the rulebook beside this file is read"


def _overrides(told: dict[str, Any]) -> Iterator[ConfigLine]:
    found = told.get("overrides", {})
    for name, value in found.items() if isinstance(found, dict) else []:
        note = "take the rule of this name out of the proposal" if value == "off" else "not carried"
        yield ConfigLine(f"overrides.{name}", str(value), note=note)
    wrappers = told.get("transparent_wrappers", [])
    for name in wrappers if isinstance(wrappers, list) else []:
        note = "a program nobody described is looked through where it is given a command"
        yield ConfigLine("transparent_wrappers", str(name), note=note, needless=True)


def _line(where: str, rule: dict[str, Any]) -> ConfigLine:
    name, program = str(rule.get("name", "")), str(rule.get("command", ""))
    said = f"{name}: {program} {rule.get('subcommand', '')} {rule.get('block_args', '')}"
    match = rule.get("match")
    if isinstance(match, dict):
        said = f"{name}: {program} {match}"
        first, some = _texts(match.get("command_path")), _texts(match.get("any_args"))
        left = _texts(match.get("exclude_args"))
    else:
        first = _texts([rule["subcommand"]]) if rule.get("subcommand") else []
        some, left = _texts(rule.get("block_args")), []
    said = " ".join(said.split())
    if not program or not (first or some):
        return ConfigLine(where, said, note="no command with words or arguments")
    start = " ".join([program, *first])
    found = tuple([f"{start} {word}" for word in some]) or (start,)
    note = f"also with {', '.join(left)}: what lets a rule pass has no equal here" if left else ""
    title = f"runs what the rule {name} of cc-safety-net blocks"
    rules = (ProposedRule(title, {"commands": found}, DENY, str(rule.get("reason", ""))),)
    return ConfigLine(where, said, rules, note=note)


def _texts(some: object) -> list[str]:
    return [str(one) for one in some] if isinstance(some, list) else []
