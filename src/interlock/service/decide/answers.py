"""A decision as JSON. What is not an allow is never one: ``ask`` says where a person answers, and
when it is worth to ask again.
"""

from __future__ import annotations

from typing import Any

from interlock.model.action import ALLOW, ASK, REVIEW, THROTTLE, VERDICT_DENY
from interlock.model.decision import NOTIFY, Decision, Finding
from interlock.service.callers.judging import JudgedCall
from interlock.service.json_shape import TEXT, YES, Shape, some, thing, whole_number

ASKED = "approval.requested"
"""The rule that speaks where a request was filed for a call."""
RETRY_SECONDS = 5
"""After so long it is worth to ask again whether a person has answered."""
MOST_SECONDS = 2**53 - 1
VERDICT: Shape = {"type": "string", "enum": ["allow", "ask", "deny"]}
FINDING = thing({"rule": TEXT, "action": TEXT}, {"message": TEXT, "instead": TEXT})
DUTY = thing({"name": TEXT}, {"detail": TEXT, "met": TEXT})
DECISION = thing(
    {
        "id": TEXT, "verdict": VERDICT, "reason": TEXT, "findings": some(FINDING),
        "obligations": some(DUTY), "coverage": TEXT, "observed": YES, "proven": YES,
    },
    {
        "rule": TEXT, "instead": TEXT, "request": TEXT, "page": TEXT,
        "retry_after": whole_number(0, MOST_SECONDS),
    },
)  # fmt: skip
DECISIONS = thing({"decisions": some(DECISION)})


def describe_decision(judged: JudgedCall) -> dict[str, Any]:
    """Return a decision as it is answered."""
    decision, verdict = judged.decision, verdict_of(judged)
    deciding = _deciding(decision, verdict)
    said: dict[str, Any] = {
        "id": decision.id,
        "verdict": verdict,
        "reason": " ".join(_distinct([one.message for one in deciding])),
        "findings": [_finding(one) for one in decision.findings],
        "obligations": [
            _drop_empty(name=one.name, detail=one.detail, met=one.met)
            for one in decision.obligations
        ],
        "coverage": decision.coverage,
        "observed": decision.observed,
        "proven": bool(decision.proof),
    }
    if decision.action > ALLOW:
        said["rule"] = deciding[0].rule
    return {**said, **_drop_empty(instead=_instead(deciding)), **_when(judged, verdict)}


def verdict_of(judged: JudgedCall) -> str:
    """Return allow, ask or deny. What waits for a person was denied, for now: it is an ask where
    nothing else denies it.
    """
    decision, filed = judged.decision, judged.filed
    waits = filed is not None and filed.id and decision.verdict == VERDICT_DENY
    if waits and {one.rule for one in decision.deciding} == {ASKED}:
        return "ask"
    return decision.verdict.name


def unmet(decision: Decision) -> list[str]:
    """Return the obligations that nobody has carried out or will, of what comes before a call."""
    return [one.name for one in decision.obligations if not one.met and one.name != NOTIFY]


def _deciding(decision: Decision, verdict: str) -> list[Finding]:
    """Return the findings that a reason is made of: of what asks those that ask, before the one
    that says where the question went.
    """
    if verdict != "ask":
        return list(decision.deciding)
    asking = [one for one in decision.findings if one.effective in (REVIEW, ASK)]
    return [*asking, *decision.deciding]


def _when(judged: JudgedCall, verdict: str) -> dict[str, Any]:
    """Return where a question waits, and when to come again."""
    filed, decision = judged.filed, judged.decision
    if verdict == "ask" and filed is not None:
        after = 0 if filed.granted else min(RETRY_SECONDS, filed.seconds)
        return {"request": filed.id, "page": filed.page, "retry_after": after}
    if decision.action == THROTTLE and not decision.observed:
        return {"retry_after": max(one.retry_after for one in decision.deciding)}
    return {}


def _instead(deciding: list[Finding]) -> str:
    return " ".join(_distinct([one.instead for one in deciding]))


def _finding(finding: Finding) -> dict[str, Any]:
    said = _drop_empty(message=finding.message, instead=finding.instead)
    return {"rule": finding.rule, "action": finding.effective.name, **said}


def _drop_empty(**texts: str) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}


def _distinct(texts: list[str]) -> list[str]:
    return [one for one in dict.fromkeys(texts) if one]
