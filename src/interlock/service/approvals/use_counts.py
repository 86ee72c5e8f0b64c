"""A yes that counts several times, on all machines together: the request that people answered has
one use of it, and every other request of the same call takes one with one update, as long as there
are some. A no ends what is left, wherever it went.
"""

from __future__ import annotations

from interlock.service.approvals.inbox import OPEN
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import RequestRow, UseGrant

MOST_USES = 100


def grant_uses(keeping: ServiceWriter, granted: RequestRow, uses: int) -> None:
    """Have the yes to a request count so often; once is what it does by itself."""
    if uses > 1 and granted.fleet:
        row = UseGrant(
            granted.machine, granted.id, granted.fleet, uses, uses - 1, granted.by, granted.expires
        )
        keeping.add_use_grant(row)
        keeping.note("uses-granted", granted.id, {"by": granted.by, "uses": uses})


def is_live(known: ServiceReader, request: RequestRow, at: str) -> bool:
    """Tell whether a no would end something of a yes that counts several times."""
    grant = known.use_grant(request.machine, request.id)
    if grant is None or grant.expires <= at:
        return False
    return grant.spare > 0 or bool(find_takers(known, request))


def find_takers(known: ServiceReader, request: RequestRow) -> list[RequestRow]:
    """Return the requests that took a use of the yes to this one, and were not made yet."""
    claims = known.find_given(f"{request.machine}/{request.id}")
    found = [known.request(one.machine, one.request) for one in claims]
    return [one for one in found if one is not None and one.state in OPEN]
