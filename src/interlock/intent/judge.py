"""A call held against what the person asked for: a finding for each effect that does not fit, or
that a limit forbids (GR-009).
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.engine.combine import ONE_LOWER
from interlock.intent.names import INTENTS
from interlock.intent.request import SessionIntent, parse_asked
from interlock.intent.unexpected_effects import MISFITS, UnexpectedEffect
from interlock.model.action import ALLOW, ASK, WARN, Action
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Deletes, Effect, Executes, Reading, Writes
from interlock.model.policy import INTENT_LEVELS

_, _WARNS, _ON, _ASKS = INTENT_LEVELS
MOST = 8
"""Findings of one call at most."""
MISFIT, OUTSIDE = "intent.misfit", "intent.outside-scope"
TAGS = frozenset({"GR-009", "intent"})
_INSTEAD = "Do what was asked, or tell the user why this is needed and let them decide."


def findings(call: ToolCall, reading: Reading, level: str = _ON) -> tuple[Finding, ...]:
    """Return the findings about a call, none where nothing is known of what was asked for. Pure."""
    stands = parse_asked(call.intent, call.scope)
    found: dict[tuple[str, str], Finding] = {}
    for effect in _lasting(reading):
        for finding in (*_misfits(effect, stands, call), *_outside(effect, stands, call)):
            action = _at(finding.action, level)
            if action > ALLOW and len(found) < MOST:
                found.setdefault((finding.message, effect.target), finding.replace(action=action))
    return tuple(found.values())


def _lasting(reading: Reading) -> Iterator[Effect]:
    """Yield the effects that may last: not the deletion of what the call itself makes, and of a
    rehearsal nothing for certain.
    """
    made = {
        effect.target
        for effect in reading.effects
        if effect.kind == Writes and "in-place" not in effect.traits
    }
    rehearsed = any("--dry-run" in text.text for text in reading.texts[:1])
    for effect in reading.effects:
        if effect.kind != Deletes or effect.target not in made:
            yield effect.replace(certain=False) if rehearsed and effect.kind == Executes else effect


def _at(action: Action, level: str) -> Action:
    if level == _WARNS:
        return min(action, WARN)
    return max(action, ASK) if level == _ASKS and action > ALLOW else action


# -- intents ---------------------------------------------------------------------------------------


def _misfits(effect: Effect, stands: SessionIntent, call: ToolCall) -> Iterator[Finding]:
    if not stands.names:
        return
    for row in MISFITS:
        if row(effect):
            action = _weigh(_strictness(row, stands.names), row, effect, stands)
            if action == WARN and call.environment == "production":
                action = ASK
            yield Finding(
                MISFIT,
                action,
                "intent",
                f"{row.title}, while the user {_wish(stands.names)}",
                _INSTEAD,
                effect,
                tags=TAGS,
            )


def _strictness(row: UnexpectedEffect, names: tuple[str, ...]) -> Action:
    """Return the mildest action over the intents: what fits one of them fits. An intent that nobody
    knows permits everything.
    """
    return min(
        [ASK if name in row.asks else WARN if name in row.warns else ALLOW for name in names]
    )


def _weigh(action: Action, row: UnexpectedEffect, effect: Effect, stands: SessionIntent) -> Action:
    """Return the action, lower by one where the effect is only possible, the wish only half
    understood, or the request before wanted it.
    """
    earlier = _strictness(row, stands.before) if stands.before else action
    if earlier < action:
        action = max(earlier, ONE_LOWER[action])
    elif stands.unsure:
        action = ONE_LOWER[action]
    return action if effect.certain else ONE_LOWER[action]


def _wish(names: tuple[str, ...]) -> str:
    return (
        f"{INTENTS.get(names[0], names[0])} ({names[0]})"
        if len(names) == 1
        else f"asked for {', '.join(names[:-1])} and {names[-1]}"
    )


# -- limits ----------------------------------------------------------------------------------------


def _outside(effect: Effect, stands: SessionIntent, call: ToolCall) -> Iterator[Finding]:
    if not stands.limits and not stands.was:
        return
    from interlock.intent.scope import find_breaches

    for limits, action in ((stands.limits, ASK), (stands.was, WARN)):
        for message, sure in find_breaches(effect, limits, call):
            certain = sure and effect.certain
            yield Finding(
                OUTSIDE,
                action if certain else ONE_LOWER[action],
                "intent",
                message,
                _INSTEAD,
                effect,
                tags=TAGS | {"scope"},
            )
