"""A row back to what was judged, so that the same policy, or another, can judge it again; and what
another says of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.action import Action
from interlock.model.call import ToolCall
from interlock.model.codec import SCHEMA_VERSION, MalformedError, decode
from interlock.model.decision import Decision, Finding, Obligation
from interlock.model.effect import Effect, Reading
from interlock.model.jsontext import JsonError, loads
from interlock.model.radius import Radius
from interlock.model.record import Record


def replay(row: Mapping[str, object]) -> tuple[ToolCall, Reading]:
    """Return the call and its reading as the row keeps them; raises ``MalformedError`` for a row
    that cannot be read.

    ``engine.decide`` then gives the findings that the row holds, under the policy that its
    ``policy_hash`` names. Secrets are marks, texts are not kept: an effect's span counts in the
    text as it was.
    """
    version = row.get("schema")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise MalformedError(
            f"this row is of schema {version!r}, and this interlock reads 1 to {SCHEMA_VERSION}:"
            " upgrade interlock"
        )
    columns = {
        field: str(row[field]) for field in ("cwd", "agent", "agent_id", "call_id", "intent")
    }
    fields = {
        **_json(row, "call"),
        **{field: value for field, value in columns.items() if value},
        "name": str(row["action"]),
        "session": str(row["session_id"]),
        "input": _json(row, "parameters"),
        "roots": _json(row, "roots"),
    }
    effects = tuple([decode(Effect, effect) for effect in _json(row, "effects")])
    reading = Reading(
        effects, coverage=str(row["coverage"]), commands=_commands(row), doubts=_doubts(row)
    )
    return decode(ToolCall, fields), reading


def _commands(row: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    """Return the commands that the row keeps, where rules looked at them."""
    found = _json(row, "commands") if row.get("commands") else []
    if not isinstance(found, list) or not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in found
    ):
        raise MalformedError("the column commands of this row is no list of commands")
    return tuple([tuple(words) for words in found])


def _doubts(row: Mapping[str, object]) -> tuple[str, ...]:
    """Return what was not known of the call though it was read. A row from before that was kept
    says so, which is a doubt itself.
    """
    found = (
        _json(row, "doubts")
        if row.get("doubts")
        else ["what was known of its options was not recorded then"]
    )
    if not isinstance(found, list) or not all(isinstance(doubt, str) for doubt in found):
        raise MalformedError("the column doubts of this row is no list of sentences")
    return tuple(found)


def decision(row: Mapping[str, object]) -> Decision:
    """Return the decision that the row holds; raises ``MalformedError``."""
    radius = decode(Radius, _json(row, "radius")) if row.get("radius") else None
    obligations = tuple([decode(Obligation, one) for one in _json(row, "obligations")])
    return Decision(
        str(row["decision_id"]),
        findings(row),
        obligations,
        str(row["coverage"]),
        observed=bool(row["observed"]),
        radius=radius,
        proof=str(row.get("proof") or ""),
    )


JUDGED_AGAIN = ("policy", "intent", "proof")
"""The stages that always say the same of a row and policy; others hang on what was then."""


class Difference(Record):
    """What a rule said of a target then, and what it says now; None where it did not speak."""

    rule: str
    target: str
    was: Action | None
    now: Action | None


def differences(
    recorded: Decision, today: Decision, rules: frozenset[str]
) -> tuple[Difference, ...]:
    """Return where two policies differ about one call. ``rules``: those of today's; what other
    stages said is not judged again.
    """
    was = _collect_actions(
        [one for one in recorded.findings if one.stage in JUDGED_AGAIN or one.rule in rules]
    )
    now = _collect_actions(list(today.findings))
    return tuple(
        [
            Difference(*about, was.get(about), now.get(about))
            for about in {**was, **now}
            if was.get(about) != now.get(about)
        ]
    )


def _collect_actions(some: list[Finding]) -> dict[tuple[str, str], Action]:
    said: dict[tuple[str, str], Action] = {}
    for one in some:
        about = (one.rule, one.effect.target if one.effect is not None else "")
        said[about] = max(one.action, said.get(about, one.action))
    return said


def findings(row: Mapping[str, object]) -> tuple[Finding, ...]:
    """Return the findings that the row holds, of every stage."""
    return tuple([decode(Finding, finding) for finding in _json(row, "findings")])


def _json(row: Mapping[str, object], column: str) -> Any:
    try:
        return loads(str(row[column]))
    except JsonError as error:
        raise MalformedError(f"the column {column} of this row is not readable: {error}") from error
