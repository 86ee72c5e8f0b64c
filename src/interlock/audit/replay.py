"""A row back to what was judged, so that the same policy, or another, can judge it again; and what
another says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from interlock.model.action import Action
from interlock.model.call import ToolCall
from interlock.model.codec import SCHEMA_VERSION, MalformedError, decode
from interlock.model.decision import Decision, Finding, Obligation
from interlock.model.effect import Effect, Reading
from interlock.model.jsontext import JsonError, loads
from interlock.model.radius import Radius
from interlock.model.record import Record

T = TypeVar("T")


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
    given = _json(row, "parameters")
    if not isinstance(given, dict):
        raise MalformedError("the column parameters of this row is no object")
    said: dict[str, Any] = {field: str(row[field]) for field in _SAID if row[field]}
    said["name"], said["session"] = str(row["action"]), str(row["session_id"])
    call = _decode_frame(str(row["call"]), str(row["roots"])).replace(**said, input=given)
    effects = _decode_effects(str(row["effects"]))
    commands = _decode_commands(str(row["commands"])) if row.get("commands") else ()
    doubts = _decode_doubts(str(row["doubts"])) if row.get("doubts") else NOT_RECORDED
    return call, Reading(effects, (), str(row["coverage"]), (), commands, doubts)


_SAID = ("cwd", "agent", "agent_id", "call_id", "intent")
NOT_RECORDED = ("what was known of its options was not recorded then",)
"""The doubts of a row from before they were kept."""
REMEMBERED = 4096
"""Texts of a column, each that short, whose values are kept: most rows say what others said."""
SHORT = 2000


def remember(read: Callable[..., T]) -> Callable[..., T]:
    """Return a function that reads an equal text of a column once. What it returns is immutable."""
    kept = lru_cache(REMEMBERED)(read)

    def recall(*texts: str) -> T:
        return (kept if sum(map(len, texts)) <= SHORT else read)(*texts)

    return recall


@remember
def _decode_frame(call: str, roots: str) -> ToolCall:
    """Return the call without what differs from one to the next."""
    said = _parse(call, "call")
    if not isinstance(said, dict):
        raise MalformedError("the column call of this row is no object")
    return decode(ToolCall, {**said, "name": "", "input": {}, "roots": _parse(roots, "roots")})


@remember
def _decode_effects(text: str) -> tuple[Effect, ...]:
    found = _parse(text, "effects")
    if not isinstance(found, list):
        raise MalformedError("the column effects of this row is no list")
    return tuple([decode(Effect, effect) for effect in found])


@remember
def _decode_commands(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands that the row keeps, where rules looked at them."""
    found = _parse(text, "commands")
    if not isinstance(found, list) or not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in found
    ):
        raise MalformedError("the column commands of this row is no list of commands")
    return tuple([tuple(words) for words in found])


@remember
def _decode_doubts(text: str) -> tuple[str, ...]:
    """Return what was not known of the call though it was read."""
    found = _parse(text, "doubts")
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
    return _parse(str(row[column]), column)


def _parse(text: str, column: str) -> Any:
    try:
        return loads(text)
    except JsonError as error:
        raise MalformedError(f"the column {column} of this row is not readable: {error}") from error
