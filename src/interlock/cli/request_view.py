"""A request as the commands of people show it: its state, how long is left, whose approval it
needs, and the call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from interlock.approvals import screen
from interlock.approvals.requests import ApprovalRequest
from interlock.approvals.summary import ApprovalSummary
from interlock.cli.colors import Painter


def render_request(request: ApprovalRequest, paint: Painter) -> Iterator[str]:
    """Yield a request line by line."""
    rest = (
        f", {screen.format_time_left(request.expires - time.time())} left"
        if request.state in ("pending", "granted")
        else ""
    )
    who = f" by {screen.sanitize_line(request.by)}" if request.by else ""
    asks = f"{screen.sanitize_line(request.agent)} asks" if request.agent else ""
    colour = {"pending": "amber", "granted": "green", "spent": "green"}.get(request.state, "grey")
    yield (
        f"{paint(request.id, 'bold')}  {paint(request.state + who, colour)}{rest}"
        f"  {', '.join(filter(None, (asks, needs(request))))}"
    )
    yield from screen.lines(ApprovalSummary.of(request.shown), paint, colour=paint.on)
    if request.reason:
        yield f"    reason: {screen.sanitize_line(request.reason)}"
    yield ""


def needs(request: ApprovalRequest) -> str:
    """Say whose approval a request needs, and how many have approved."""
    words = request.terms
    whose = f"needs {' and '.join(words.roles)}" if words.roles else ""
    many = f"{len(request.votes)} of {words.quorum} people" if words.quorum > 1 else ""
    other = f"not {request.requester}" if words.second_person else ""
    return ", ".join(filter(None, (whose, many, other)))
