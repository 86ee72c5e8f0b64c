"""What an event says, by the names that the forms of exports know it by. Secrets are marks in the
record already, and nothing else is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.audit.call_summary import briefly
from interlock.model.jsontext import JsonError, loads, object_of
from interlock.model.record import Record
from interlock.model.release import __version__
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import MAIN, Chain, EventRow, Machine
from interlock.store.schema import Value
from interlock.wire.batch import KEPT

MOST_TEXT = 1000
"""Characters of a call."""
APPROVED = ("approval-vote", "approval-granted", "approval-spent")
"""Events that say who approved a call."""
UNKNOWN_TIME = "1970-01-01T00:00:00.000Z"
Facts = Mapping[str, Any]
_SAID = {
    "action": "tool", "verdict": "verdict", "strictest": "strictest", "rule_id": "rule",
    "agent": "agent", "agent_id": "agent_id", "call_id": "call_id", "cwd": "cwd",
    "policy_hash": "policy", "profile": "profile", "coverage": "coverage",
}  # fmt: skip
_AT = [(KEPT.index(column), name) for column, name in _SAID.items()]
_PARAMETERS, _FINDINGS = KEPT.index("parameters"), KEPT.index("findings")
_ABOUT = {"by": "by", "why": "why", "reason": "why", "at": "where", "decision": "decision"}


class EventOrigin(Record):
    """Whose an event is."""

    chain: Chain
    machine: Machine


def read_origins(known: ServiceReader, events: Sequence[EventRow]) -> dict[str, EventOrigin]:
    """Return whose events are, by their chains."""
    found = {}
    for name in {one.chain for one in events}:
        chain = known.chain(name) or Chain(name, "", 1)
        machine = known.machine(chain.machine)
        found[name] = EventOrigin(chain, machine or Machine(chain.machine, "", "", "", "", ""))
    return found


def describe_event(event: EventRow, origin: EventOrigin) -> Facts:
    """Return what an event says."""
    seq, _, at, kind, session, subject, body = event.fields
    at, kind = at or UNKNOWN_TIME, kind or "unknown"
    machine = origin.machine
    found: dict[str, Any] = {
        "id": name_event(event), "chain": event.chain, "seq": seq, "branch": event.branch,
        "hash": event.hash, "at": at, "kind": kind, "session": session, "subject": subject,
        "machine": machine.id, "machine_name": machine.name, "team": machine.team,
        "owner": machine.owner, "platform": machine.platform, "version": machine.version,
        "exporter": __version__,
    }  # fmt: skip
    if kind == "decision":
        found["decision"] = subject
        if event.row is not None:
            found.update(_describe_decision(event.row))
    elif kind == "outcome":
        found.update(_describe_outcome(event, str(subject)))
    else:
        found.update(_describe_other(str(kind), str(body)))
    found["summary"] = _summarize(found)
    return found


def name_event(event: EventRow) -> str:
    """Return an event's name, the same for ever: its chain and number, and the branch of one that
    was written anew.
    """
    name = f"{event.chain}:{event.fields[0]}"
    return name if event.branch == MAIN else f"{name}:{event.branch}"


def _describe_decision(row: tuple[Value, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {name: row[at] for at, name in _AT if at < len(row)}
    found["call"] = briefly(str(row[_PARAMETERS] or ""), MOST_TEXT)
    found["tool"] = str(found["tool"] or "unknown")
    warned = (found["verdict"], found["strictest"]) == ("allow", "warn")
    found["answer"] = "warn" if warned else found["verdict"]
    spoke = _read_findings(row[_FINDINGS])
    named = [one for one in spoke if one.get("rule") == found["rule"]] or spoke[:1]
    for one in named[:1]:
        found.update(rule_said=one.get("message"), instead=one.get("instead"))
        found["rule"] = found["rule"] or one.get("rule")
    settled = [one["settled"].get("by") for one in spoke if isinstance(one.get("settled"), dict)]
    found["approved_by"] = ", ".join([str(one) for one in settled if one])
    return found


def _read_findings(text: Value) -> list[dict[str, Any]]:
    try:
        found = loads(str(text or "[]"))
    except JsonError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _describe_outcome(event: EventRow, decision: str) -> dict[str, Any]:
    status, _, duration = (*(event.row or ()), None, None, None)[:3]
    body = object_of(str(event.fields[6]))
    return {
        "decision": decision,
        "status": status or body.get("status"),
        "duration_ms": duration if duration is not None else body.get("duration_ms"),
    }


def _describe_other(kind: str, text: str) -> dict[str, Any]:
    body = object_of(text)
    found = {name: body[one] for one, name in _ABOUT.items() if isinstance(body.get(one), str)}
    found["body"] = text
    if kind in APPROVED:
        found["approved_by"] = found.get("by") or found.get("where")
    return found


def _summarize(found: Facts) -> str:
    """Return an event in a line."""
    kind = str(found["kind"])
    where = f" on {found['machine_name']}" if found["machine_name"] else ""
    if kind == "decision" and "tool" in found:
        why = f": {found['rule_said']}" if found.get("rule_said") else ""
        return f"{found['answer']} {found['tool']} {found['call']}{where}{why}"
    if kind == "outcome":
        return f"{found['status']} {found['decision']}{where}"
    by = f" by {found['by']}" if found.get("by") else ""
    return f"{kind} {found['subject']}".strip() + by + where
