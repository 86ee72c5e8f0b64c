"""What machines say of their requests, and how they get the answers."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.approvals.claims import MOST_HOLDER, ClaimError, claim
from interlock.service.approvals.inbox import FullError, take, tell
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest, bad_request, texts
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import Claim, Machine
from interlock.wire.asks import WireRequestError, ask_of, plain

SHOWN = 200
MOST_NAME = 100


def save_request(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Keep a request of a machine."""
    machine, given = asking.sender, asking.given
    chain = _chain(scene, machine, given)
    try:
        ask = ask_of(given)
        scene.keeping.write(lambda keeping: take(keeping, machine, chain, ask, asking.at))
    except WireRequestError as error:
        raise bad_request(str(error)) from error
    except FullError:
        full = problem(429, "full", "too many requests of this machine wait", after=30)
        raise RequestEnd(full) from None
    return json_response({"id": ask.id, "page": f"{scene.url}/inbox/{machine.id}/{ask.id}"}, 201)


def answers(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say how a machine's newest requests stand."""
    machine = asking.sender
    rows = scene.keeping.read(lambda known: known.requests(machine=machine.id, most=SHOWN))
    found = [{"id": one.id, "state": one.state, "by": one.by, "reason": one.reason} for one in rows]
    return json_response({"requests": found})


def settle_request(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Note what became of a request on its machine."""
    machine, given = asking.sender, asking.given
    state, by = texts(given, "state", "by")
    if not state:
        raise bad_request("expected a state, and by whom")

    def work(keeping: ServiceWriter) -> bool:
        found = keeping.request(machine.id, asking.names["request"])
        if found is None:
            raise RequestEnd(problem(404, "unknown", "there is no such request of this machine"))
        return tell(keeping, found, state, by[:MOST_NAME], asking.at)

    return json_response({"new": scene.keeping.write(work)})


def claim_grant(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Give a yes to the chain that asked."""
    machine, given = asking.sender, asking.given
    chain, [holder] = _chain(scene, machine, given), texts(given, "holder")
    if not 0 < len(holder) <= MOST_HOLDER:
        raise bad_request("expected who holds the chain")
    wanted = Claim(machine.id, asking.names["request"], "", "", chain, holder, asking.at)
    try:
        grant = scene.keeping.write(lambda keeping: claim(keeping, scene.signer, wanted))
    except ClaimError as error:
        raise RequestEnd(problem(409, "claim", str(error))) from error
    return json_response(plain(grant))


def _chain(scene: ServiceContext, machine: Machine, given: dict[str, Any]) -> str:
    """Return a chain of the machine that asks; raises ``RequestEnd`` for another's or none."""
    name = given.get("chain")
    found = scene.keeping.read(lambda known: known.chain(str(name)))
    if found is None or found.machine != machine.id:
        raise RequestEnd(problem(404, "unknown", "there is no such chain of this machine"))
    return found.id
