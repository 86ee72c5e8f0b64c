"""Requests as machines send them, and how long they wait: by the service's clock and by the
machine's, whichever is first.
"""

from __future__ import annotations

from datetime import UTC, datetime

from interlock.approvals.requests import EXPIRED, GRANTED, PENDING, SPENT, STATES
from interlock.approvals.terms import ApprovalTerms
from interlock.model.jsontext import dumps, loads
from interlock.service import notices
from interlock.service.notices import REMINDER, REQUEST, SETTLED
from interlock.service.secrets import later
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import Machine, RequestRow
from interlock.wire.asks import WireRequest

OPEN = (PENDING, GRANTED)
MOST = 500
"""Requests of one machine that wait at once: more than people will ever answer."""
MOST_LINE = 200
REMINDERS = (50, 80)
"""Parts of its time, in percent, after which people are reminded of a request."""


class FullError(Exception):
    """So many requests of this machine wait that no more are taken."""


def take(keeping: ServiceWriter, machine: Machine, chain: str, ask: WireRequest, at: str) -> bool:
    """Keep a request; tell whether it is new. Raises ``FullError``."""
    if len(keeping.requests(machine=machine.id, opened=True, most=MOST)) >= MOST:
        raise FullError
    row = RequestRow(
        machine.id, ask.id, chain, ask.digest, ask.decision, ask.session, ask.project,
        ask.requester, ask.agent, dumps(dict(ask.shown)), dumps(list(ask.roles)), ask.quorum,
        ask.second_person, ask.seconds, at, later(min(ask.left, ask.seconds)), PENDING,
        fleet=ask.fleet,
    )  # fmt: skip
    new = keeping.add_request(row)
    if new:
        body = {"decision": ask.decision, "machine": machine.id, "roles": list(ask.roles)}
        keeping.note("request", ask.id, body)
        announce(keeping, REQUEST, row, f"{row.agent or 'An agent'} on {machine.name} asks:")
    return new


def announce(keeping: ServiceWriter, kind: str, request: RequestRow, said: str) -> None:
    """Have web hooks told of a request."""
    path = f"/inbox/{request.machine}/{request.id}"
    data = {
        "request": request.id, "machine": request.machine, "state": request.state,
        "expires": request.expires, "roles": loads(request.roles), "quorum": request.quorum,
    }  # fmt: skip
    notices.tell(keeping, kind, path, f"{said} {about(request)}", data)


def about(request: RequestRow) -> str:
    """Say in a line what a request is about, free of secrets."""
    try:
        first = loads(request.shown)["items"][0]
        return f"{first['message']} {first['words']}".strip()[:MOST_LINE]
    except (ValueError, KeyError, IndexError, TypeError):
        return request.id


def tell(keeping: ServiceWriter, request: RequestRow, state: str, by: str, at: str) -> bool:
    """Note what became of a request on its machine; tell whether that is news."""
    order = {GRANTED: (PENDING,)}.get(state, OPEN)
    if state not in STATES[1:] or request.state not in order:
        return False
    moved = request.replace(state=state, by=by or request.by, settled=at)
    return settle(keeping, moved, request.state, "there")


def settle(keeping: ServiceWriter, moved: RequestRow, before: str, where: str = "here") -> bool:
    """Note how a request stands from now on, and record it; tell whether it stood so before."""
    if not keeping.move_request(moved, before):
        return False
    body = {"by": moved.by, "machine": moved.machine, "reason": moved.reason, "where": where}
    keeping.note(f"request-{moved.state}", moved.id, body)
    if moved.state != SPENT:
        by = f" by {moved.by}" if moved.by else ""
        announce(keeping, SETTLED, moved, f"{moved.state.capitalize()}{by}:")
    return True


def look(keeping: ServiceWriter, at: str) -> None:
    """Let go what is late, and have people reminded of what will be."""
    expire(keeping, at)
    for one, percent in due(keeping, at):
        announce(keeping, REMINDER, one, f"{percent} % of the time to answer is over:")


def expire(keeping: ServiceWriter, at: str) -> list[RequestRow]:
    """Let go what was not answered in time; return it."""
    late = [one for one in keeping.requests(opened=True, most=MOST * 20) if one.expires <= at]
    return [one for one in late if settle(keeping, one.replace(state=EXPIRED, settled=at), PENDING)]


def due(keeping: ServiceWriter, at: str) -> list[tuple[RequestRow, int]]:
    """Return the requests that people are to be reminded of, each once for each part of its
    time.
    """
    found = []
    for one in keeping.requests(opened=True, most=MOST * 20):
        passed = [part for part in REMINDERS if at >= share(one, part)]
        if passed and passed[-1] > one.reminded and keeping.remind(one.machine, one.id, passed[-1]):
            found.append((one, passed[-1]))
    return found


def share(request: RequestRow, percent: int) -> str:
    """Return when so much of a request's time is over, UTC."""
    begun, ends = _seconds(request.at), _seconds(request.expires)
    return _format_time(begun + (ends - begun) * percent / 100)


def terms(request: RequestRow) -> ApprovalTerms:
    """Return on what terms it may be approved."""
    roles = tuple(str(one) for one in loads(request.roles))
    return ApprovalTerms(roles, request.quorum, request.second_person, request.seconds)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
