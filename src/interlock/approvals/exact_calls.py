"""What a grant of a call as it stands is bound to: for what has no target that says what happens
(``sudo``, ``npm publish``, an unlisted command).

The same words in the same folder, and the same effects read from them: a script whose text does
something else by now is another call. A word that nobody knows before it runs may be another one
next time, so a call that holds one is approved once.
"""

from __future__ import annotations

from interlock.model.action import Action
from interlock.model.blake import blake2b
from interlock.model.call import SHELL, ToolCall
from interlock.model.codec import encode
from interlock.model.decision import Finding
from interlock.model.effect import (
    Effect,
    EscalatesPrivilege,
    Executes,
    Reading,
    RunsCode,
)
from interlock.model.jsontext import dumps
from interlock.model.kinds import meaning
from interlock.model.policy import Policy
from interlock.model.record import Record

VERBATIM = "runs-as-it-stands"
"""Stands in a cover for the kind of an effect."""
LONGEST = 2000
UNKNOWN = "\ue000"
"""What stands in a word for a part of it that nobody knows (``shell.value.HOLE``)."""
_PROSE = frozenset({"description", "timeout", "timeout_ms", "explanation", "justification"})
"""Fields of a shell call that say nothing of what it does."""


class ExactCall(Record):
    """A call as it stands. ``digest``: of its effects. ``own``: it runs a program or code, whose
    text may be another one tomorrow.
    """

    text: str
    folder: str
    digest: str
    own: bool = False


def verbatim(call: ToolCall, reading: Reading) -> ExactCall | None:
    """Return a call as it stands; None where it cannot be told beforehand what it runs, or where it
    is too long to be shown.
    """
    fields = said_fields(call)
    only = next(iter(fields.values()), "") if len(fields) == 1 else None
    text = only if isinstance(only, str) else f"{call.name} {dumps(fields, sort_keys=True)}"
    unknown = any(UNKNOWN in word for words in reading.commands for word in words) or any(
        UNKNOWN in effect.target for effect in reading.effects
    )
    if unknown or reading.coverage != "full" or not text.strip() or len(text) > LONGEST:
        return None
    done = [encode(bare_effect(effect)) for effect in reading.effects]
    digest = blake2b(
        dumps([call.tool, call.platform, call.shell, done], sort_keys=True).encode(
            "utf-8", "surrogatepass"
        ),
        digest_size=16,
    )
    own = any(effect.kind in (Executes, RunsCode) for effect in reading.effects)
    return ExactCall(text.strip(), call.cwd, digest.hexdigest(), own)


def said_fields(call: ToolCall) -> dict[str, object]:
    """Return a call's input without what says nothing of what it does."""
    return {
        key: value for key, value in call.input.items() if call.tool != SHELL or key not in _PROSE
    }


def bare_effect(effect: Effect) -> Effect:
    """Return an effect without what says only where its words stand, and how they are told."""
    return effect.replace(span=None, detail="", undoable=None)


def floor_of(finding: Finding, policy: Policy) -> Action | None:
    """Return the floor of a finding's rule; None where none of the policy's rules speaks."""
    return next((rule.floor for rule in policy.rules if rule.id == finding.rule), None)


def may_stand(finding: Finding, policy: Policy, call: ExactCall) -> str:
    """Return why a finding can not be granted for the call as it stands, or ``""``: a rule of the
    policy asks about what a target does not bound.
    """
    effect = finding.effect
    if floor_of(finding, policy) is None or finding.stage != "policy":
        return f"what {finding.rule} asks about has no target"
    if effect is not None and effect.kind not in meaning("call"):
        return f"{effect.kind} has no bounds"
    if effect is not None and effect.kind is EscalatesPrivilege and call.own:
        return "it runs with another user's rights what may be another program by then"
    return ""
