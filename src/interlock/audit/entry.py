"""One judgement or outcome as a row of ``guardrail_audit_log``, free of secrets."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.audit.redact import Redactor
from interlock.model.action import ALLOW, Action
from interlock.model.call import Outcome, ToolCall
from interlock.model.codec import SCHEMA_VERSION, encode
from interlock.model.decision import APPROVED, PROVEN, Decision
from interlock.model.effect import Reading
from interlock.model.jsontext import dumps
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.store.chain import event, now
from interlock.store.schema import AUDIT_COLUMNS, Value, Write

ALLOWED, BLOCKED, REQUIRES_CONFIRMATION, THROTTLED = (
    "allowed",
    "blocked",
    "requires_confirmation",
    "throttled",
)
_BY_ACTION = (ALLOWED, ALLOWED, REQUIRES_CONFIRMATION, REQUIRES_CONFIRMATION, THROTTLED, BLOCKED)

EXCERPT_LIMIT = 2000
"""Characters of what a call printed that are kept."""
MOST_COMMANDS = 200
"""Commands of one call that are kept; of more, none is: a part of them would answer otherwise."""
REFUSED = "refused"
_MOST = 2**62


class Judgement(Record):
    """All that is known of one judgement. ``checks``: stages with no word against the call.
    ``facts``: what the world answered, plain.
    """

    call: ToolCall
    reading: Reading
    decision: Decision
    policy: Policy
    checks: tuple[str, ...] = ()
    facts: Mapping[str, object] | None = None
    prompt_hash: str = ""
    judged_us: int = 0


def validation_result(action: Action) -> str:
    """Return S3's word for an action. Total: REVIEW waits for a person, a WARN is allowed."""
    return _BY_ACTION[action]


def decision_row(judged: Judgement, redactor: Redactor) -> Write:
    """Return the write that records a judgement."""
    call, decision, policy = judged.call, redactor.decision(judged.decision), judged.policy
    row: dict[str, Value] = {
        "timestamp": now(),
        "action": _clean(redactor.text(call.name or call.tool, 200)),
        "parameters": parameters(call, redactor),
        "result": None,
        "validation_result": ALLOWED if decision.observed else validation_result(decision.action),
        "rule_id": decision.deciding[0].rule if decision.action > ALLOW else None,
        "duration_ms": None,
        "session_id": _clean(call.session),
        "decision_id": decision.id,
        "verdict": decision.verdict.name,
        "strictest": decision.action.name,
        "status": REFUSED if decision.verdict.name == "deny" else None,
        "findings": dumps(encode(decision.findings)),
        "obligations": dumps(encode(decision.obligations)),
        "checks": dumps(list(judged.checks)),
        "effects": dumps(encode(redactor.effects(judged.reading))),
        "facts": dumps(redactor.value(judged.facts or {})),
        "coverage": decision.coverage,
        "observed": int(decision.observed),
        "policy_hash": policy.hash,
        "profile": policy.profile,
        "agent": _clean(call.agent),
        "agent_id": _clean(call.agent_id),
        "call_id": _clean(call.call_id),
        "cwd": _clean(redactor.text(call.cwd)),
        "roots": dumps([redactor.text(root) for root in call.roots]),
        "intent": _clean(redactor.text(call.intent)),
        "prompt_hash": judged.prompt_hash,
        "call": dumps(_rest(call, redactor)),
        "judged_us": min(judged.judged_us, _MOST),
        "schema": SCHEMA_VERSION,
        "radius": None if decision.radius is None else dumps(encode(decision.radius)),
        "commands": _commands(judged, redactor),
        "proof": APPROVED if decision.approves else PROVEN if decision.proof else "",
        "doubts": dumps([redactor.text(doubt) for doubt in judged.reading.doubts]),
    }
    return "decision", tuple([row[column] for column in AUDIT_COLUMNS])


def _commands(judged: Judgement, redactor: Redactor) -> str | None:
    """Return the commands as rules of words read them; None where no rule of the policy does, or
    where they are too many to keep.
    """
    commands, policy = judged.reading.commands, judged.policy
    worded = (
        policy.by_kind.has("")
        if policy.by_kind is not None
        else [rule for rule in policy.rules if not rule.match.kinds]
    )
    if not commands or not worded or len(commands) > MOST_COMMANDS:
        return None
    return dumps([redactor.words(command) for command in commands])


def parameters(call: ToolCall, redactor: Redactor) -> str:
    """Return a tool's input as JSON without secrets. Equal inputs give equal texts, as long as the
    store's key stays.
    """
    return dumps(redactor.input(call.input), sort_keys=True)


def _rest(call: ToolCall, redactor: Redactor) -> object:
    """Return the fields of a call that have no column of their own."""
    kept = encode(call.replace(input={}))
    for field in (
        "input",
        "name",
        "cwd",
        "roots",
        "session",
        "agent",
        "agent_id",
        "call_id",
        "intent",
    ):
        kept.pop(field, None)
    return redactor.value(kept)


def outcome_row(outcome: Outcome, redactor: Redactor) -> Write:
    """Return the write that sets what became of a call: by the call's id, else the oldest open one
    of the same tool and input.
    """
    call = outcome.call
    excerpt = _clean(redactor.text(redactor.without(outcome.excerpt, call.input), EXCERPT_LIMIT))
    duration = max(0, min(outcome.duration_ms, _MOST))
    said = (outcome.status, excerpt, duration, _clean(call.session))
    named = event("outcome", "", {})[1][:2]
    if call.call_id:
        return "outcome", (*said, _clean(call.call_id), *named)
    action = _clean(redactor.text(call.name or call.tool, 200))
    return "outcome-of-like", (*said, action, parameters(call, redactor), *named)


def event_row(
    kind: str, subject: str, body: Mapping[str, object], session: str, redactor: Redactor
) -> Write:
    """Return the write that records any other event."""
    kept = redactor.value(dict(body))
    return event(
        kind,
        _clean(redactor.text(subject)),
        kept if isinstance(kept, dict) else {},
        _clean(session),
    )


def _clean(text: str) -> str:
    """Replace what is no character (half of a surrogate pair), since SQLite keeps UTF-8 only."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
