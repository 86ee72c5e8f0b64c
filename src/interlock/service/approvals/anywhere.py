"""A yes that another machine may use: where its rules say ``anywhere``, the first machine that asks
for the same call gets it, and nobody else does. It moves with one update, so it is spent once in
the whole fleet.
"""

from __future__ import annotations

from interlock.approvals.requests import GRANTED, PENDING
from interlock.service.approvals.claims import find_heirs
from interlock.service.approvals.inbox import settle, terms
from interlock.service.approvals.votes import VoteError, require_second
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Claim, RequestRow, UseGrant


def hand_over(keeping: ServiceWriter, request: RequestRow, at: str) -> RequestRow | None:
    """Give a request that waits the yes of another one of the same call, if nobody has that yet;
    return whose it was.
    """
    if not request.fleet or request.state != PENDING or request.expires <= at:
        return None
    grant = take_spare(keeping, request, at)
    if grant is not None:
        return keeping.request(grant.machine, grant.request)
    for twin in keeping.find_twins(request.fleet):
        if _may_have(keeping, request, twin, at) and _move(keeping, request, twin, at):
            return twin
    return None


def is_offered(known: ServiceReader, request: RequestRow, at: str) -> bool:
    """Tell whether there is a yes that a request may get."""
    if not request.fleet or request.state != PENDING:
        return False
    if find_spare(known, request, at) is not None:
        return True
    twins = known.find_twins(request.fleet)
    return any(_may_have(known, request, one, at) and _is_free(known, one) for one in twins)


def _is_free(known: ServiceReader, twin: RequestRow) -> bool:
    found = known.claim(twin.machine, twin.id)
    return found is not None and not found.holder


def _may_have(known: ServiceReader, request: RequestRow, twin: RequestRow, at: str) -> bool:
    """Tell whether what people said to one is an answer to the other."""
    if twin.state != GRANTED or twin.expires <= at:
        return False
    if terms(twin).replace(seconds=0) != terms(request).replace(seconds=0):
        return False
    return not request.second_person or _has_second(known, request, twin)


def _has_second(known: ServiceReader, request: RequestRow, twin: RequestRow) -> bool:
    """Tell whether none of those who said yes asks here: people, and not a request before, whose
    voters are not told here.
    """
    voters = [one.person for one in known.votes(twin.machine, twin.id) if one.yes]
    try:
        for person in voters:
            require_second(known, request, person)
    except VoteError:
        return False
    return bool(voters)


def _move(keeping: ServiceWriter, request: RequestRow, twin: RequestRow, at: str) -> bool:
    mine = f"{request.machine}/{request.id}"
    if not keeping.take_claim(Claim(twin.machine, twin.id, "", "", request.chain, mine, at)):
        return False
    granted = request.replace(state=GRANTED, by=twin.by, settled=at, expires=twin.expires)
    settle(keeping, granted, PENDING)
    keeping.add_claim(Claim(request.machine, request.id, twin.by, twin.expires))
    keeping.note("handed-over", twin.id, {"from": twin.machine, "to": mine})
    return True


def find_giver(known: ServiceReader, request: RequestRow) -> RequestRow | None:
    """Return the request whose yes this one got, as far as it is open, or counts several times."""
    mine = (request.machine, request.id)
    held = known.claim(*mine)
    if held is not None and held.giver:
        machine, _, name = held.giver.partition("/")
        return known.request(machine, name)
    for twin in known.find_twins(request.fleet) if request.fleet else ():
        if mine in [(one.machine, one.id) for one in find_heirs(known, twin)[:1]]:
            return twin
    return None


# -- a yes that counts several times --------------------------------------------------------------


def find_spare(known: ServiceReader, request: RequestRow, at: str) -> UseGrant | None:
    """Return what a request may take a use of."""
    if not request.fleet or request.state != PENDING or request.expires <= at:
        return None
    found = [one for one in known.use_grants(request.fleet) if _may_take(known, request, one, at)]
    return found[0] if found else None


def _may_take(known: ServiceReader, request: RequestRow, grant: UseGrant, at: str) -> bool:
    answered = known.request(grant.machine, grant.request)
    if answered is None or grant.expires <= at:
        return False
    if terms(answered).replace(seconds=0) != terms(request).replace(seconds=0):
        return False
    return not request.second_person or _has_second(known, request, answered)


def take_spare(keeping: ServiceWriter, request: RequestRow, at: str) -> UseGrant | None:
    """Give a request that waits a use of what is left; return of what."""
    grant = find_spare(keeping, request, at)
    if grant is None or not keeping.take_use(grant):
        return None
    giver = f"{grant.machine}/{grant.request}"
    moved = request.replace(state=GRANTED, by=grant.by, settled=at, expires=grant.expires)
    settle(keeping, moved, PENDING)
    keeping.add_claim(Claim(request.machine, request.id, grant.by, grant.expires, giver=giver))
    mine = f"{request.machine}/{request.id}"
    keeping.note("use-taken", grant.request, {"from": grant.machine, "to": mine})
    return grant
