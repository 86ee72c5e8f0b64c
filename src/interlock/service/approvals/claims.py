"""The yes, for exactly one chain: one row, one update. Who has it gets it again, so that a sidecar
that died with it in its hands loses nothing; nobody else does.
"""

from __future__ import annotations

from interlock.approvals.requests import GRANTED
from interlock.service.approvals.inbox import terms
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Claim, RequestRow
from interlock.wire.asks import WireGrant, bytes_to_sign, roles_of

MOST_HOLDER = 200


class ClaimError(Exception):
    """A yes that is not given; one sentence says why."""


def claim(keeping: ServiceWriter, signer: Signer, wanted: Claim) -> WireGrant:
    """Give the yes of a request to a chain and its holder; raises ``ClaimError``."""
    request = keeping.request(wanted.machine, wanted.request)
    if request is None or request.chain != wanted.chain:
        raise ClaimError("there is no such request of this chain")
    if request.state != GRANTED or request.expires <= wanted.at:
        raise ClaimError("nothing was granted, or not any more")
    taken = keeping.take_claim(wanted)
    found = keeping.claim(wanted.machine, wanted.request)
    if not taken and found is not None and "/" in found.holder:
        raise ClaimError("another machine went on with this call: it counts once in all")
    if not taken:
        raise ClaimError("another machine has this yes: one of both is a copy of the other")
    if found is None:
        raise ClaimError("nothing was granted here")
    needed = terms(request)
    grant = WireGrant(
        request.id, request.digest, roles_of(needed.roles), needed.quorum,
        int(needed.second_person), found.by, found.chain, found.holder, found.expires,
    )  # fmt: skip
    keeping.note("claimed", request.id, {"chain": found.chain, "machine": request.machine})
    return grant.replace(signature=signer.sign(bytes_to_sign(grant)))


def find_heirs(known: ServiceReader, request: RequestRow) -> list[RequestRow]:
    """Return the requests of other machines that got the yes of this one, each from the one
    before.
    """
    found: list[RequestRow] = []
    while True:
        last = found[-1] if found else request
        held = known.claim(last.machine, last.id)
        machine, _, name = (held.holder if held is not None else "").partition("/")
        heir = known.request(machine, name) if name else None
        if heir is None or heir in found:
            return found
        found.append(heir)
