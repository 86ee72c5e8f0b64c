"""A decision in words: what was asked, what rules said, what the call would have done."""

from __future__ import annotations

import json
from collections.abc import Mapping

from interlock.audit.replay import findings
from interlock.engine.explain import describe
from interlock.engine.radius import render_radius
from interlock.model.codec import MalformedError, decode
from interlock.model.effect import Effect
from interlock.model.jsontext import JsonError, loads
from interlock.model.radius import Radius
from interlock.model.record import Record

MOST = 100


class RuleMessage(Record):
    """What a rule or a stage said."""

    rule: str
    action: str
    message: str
    instead: str
    about: str


class DecisionView(Record):
    """``asked``: pairs of what the tool was given, its main text first; ``unread``: why the row
    could not be read in full, empty where it could.
    """

    asked: tuple[tuple[str, str], ...]
    findings: tuple[RuleMessage, ...]
    effects: tuple[str, ...]
    stake: str
    unread: str


def describe_row(row: Mapping[str, object]) -> DecisionView:
    """Return a decision's row in words. Total."""
    unread = ""
    spoke: tuple[RuleMessage, ...] = ()
    effects: tuple[str, ...] = ()
    stake = ""
    try:
        spoke = tuple(_list_findings(row))
        effects = tuple(
            [describe(decode(Effect, one)) for one in loads(str(row["effects"]))[:MOST]]
        )
        stake = (
            render_radius(decode(Radius, loads(str(row["radius"])))) if row.get("radius") else ""
        )
    except (MalformedError, JsonError, KeyError, TypeError) as error:
        unread = f"another version of interlock wrote this: {error}"
    return DecisionView(
        _parse_parameters(str(row.get("parameters") or "")), spoke, effects, stake, unread
    )


def _list_findings(row: Mapping[str, object]) -> list[RuleMessage]:
    found = [one for one in findings(row) if str(one.effective) != "allow"]
    found.sort(key=lambda one: one.effective, reverse=True)
    said = [
        RuleMessage(one.rule, str(one.effective), one.message, one.instead, _about(one.effect))
        for one in found
    ]
    return list(dict.fromkeys(said))[:MOST]


def _about(effect: Effect | None) -> str:
    return describe(effect, loss=False) if effect is not None else ""


def _parse_parameters(parameters: str) -> tuple[tuple[str, str], ...]:
    try:
        given = loads(parameters)
    except JsonError:
        return (("", parameters),)
    if not isinstance(given, dict):
        return (("", parameters),)
    first = [name for name in ("command", "file_path", "path", "url") if name in given]
    names = [*first, *[name for name in given if name not in first]]
    return tuple([(name, _text(given[name])) for name in names])


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
