"""A decision as it came back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.jsontext import whole
from interlock.model.record import Record

ALLOW, ASK, DENY = "allow", "ask", "deny"
VERDICTS = (ALLOW, ASK, DENY)
FAILED = "client.no-decision"
"""The rule of what stands for a decision that did not come."""
TEXTS = ("id", "verdict", "reason", "rule", "instead", "request", "page", "coverage")


class RemoteDuty(Record):
    """What has to go with a call: ``met`` says by whom it is, empty where nobody does."""

    name: str
    detail: str = ""
    met: str = ""


class RemoteDecision(Record):
    """What may become of a call. ``verdict``: allow, ask or deny; ``reason`` and ``instead`` are
    for the agent that wanted it.

    Of an ask ``request`` is what waits for a person, who answers at ``page``; ``retry_after``: in
    so many seconds it is worth to ask again. ``findings``: what each rule said.
    """

    id: str
    verdict: str
    reason: str = ""
    rule: str = ""
    instead: str = ""
    request: str = ""
    page: str = ""
    coverage: str = ""
    retry_after: int = 0
    obligations: tuple[RemoteDuty, ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    observed: bool = False
    proven: bool = False

    @property
    def allowed(self) -> bool:
        """Whether the call may run now."""
        return self.verdict == ALLOW


class UnreadableError(ValueError):
    """What came back is no decision."""


def read_decision(given: object) -> RemoteDecision:
    """Return the decision that JSON holds; raises ``UnreadableError`` for anything else."""
    if not isinstance(given, dict) or given.get("verdict") not in VERDICTS:
        raise UnreadableError("the answer is no decision")
    texts = {name: given.get(name, "") for name in TEXTS}
    if not all(type(one) is str for one in texts.values()) or not texts["id"]:
        raise UnreadableError("the answer is no decision")
    return RemoteDecision(
        **texts,
        retry_after=max(0, whole(given.get("retry_after")) or 0),
        obligations=tuple([_duty(one) for one in _objects(given, "obligations")]),
        findings=tuple(_objects(given, "findings")),
        observed=given.get("observed") is True,
        proven=given.get("proven") is True,
    )


def stand_in(verdict: str, why: str) -> RemoteDecision:
    """Return what stands for a decision that did not come: an ask or a deny."""
    return RemoteDecision("", verdict, f"No decision came, so this does not run: {why}", FAILED)


def _objects(given: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = given.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UnreadableError(f"`{name}` of the answer is no list of objects")
    return found


def _duty(given: Mapping[str, Any]) -> RemoteDuty:
    return RemoteDuty(*[str(given.get(name, "")) for name in RemoteDuty.fields])
