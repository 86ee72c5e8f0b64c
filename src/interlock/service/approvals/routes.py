"""What machines say of their requests, and how they get the answers."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from interlock.approvals.requests import PENDING
from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.approvals.anywhere import hand_over, is_offered
from interlock.service.approvals.claims import MOST_HOLDER, ClaimError, claim
from interlock.service.approvals.inbox import FullError, take, tell
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest, bad_request, texts
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Claim, Machine, RequestRow
from interlock.wire.asks import WireRequest, WireRequestError, ask_of, plain

SHOWN = 200
MOST_NAME = 100


def save_request(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Keep a request of a machine."""
    machine, given = asking.sender, asking.given
    chain = _chain(scene, machine, given)
    try:
        ask = _hash_fleet(scene, ask_of(given))
        scene.keeping.write(lambda keeping: take(keeping, machine, chain, ask, asking.at))
    except WireRequestError as error:
        raise bad_request(str(error)) from error
    except FullError:
        full = problem(429, "full", "too many requests of this machine wait", after=30)
        raise RequestEnd(full) from None
    _offer(scene, machine, asking.at)
    found = scene.keeping.read(lambda known: known.request(machine.id, ask.id))
    page = f"{scene.url}/inbox/{machine.id}/{ask.id}"
    state = found.state if found is not None else PENDING
    return json_response({"id": ask.id, "page": page, "state": state}, 201)


def _hash_fleet(scene: ServiceContext, ask: WireRequest) -> WireRequest:
    """Return a request with what its call is everywhere as nobody else can work it out."""
    return ask.replace(fleet=scene.keys.hash_text(f"fleet {ask.fleet}") if ask.fleet else "")


def _offer(scene: ServiceContext, machine: Machine, at: str) -> None:
    """Give the machine's requests what people said to the same calls elsewhere."""

    def find(known: ServiceReader) -> list[RequestRow]:
        waiting = known.requests(machine=machine.id, opened=True, most=SHOWN)
        return [one for one in waiting if is_offered(known, one, at)]

    for one in scene.keeping.read(find):
        scene.keeping.write(lambda keeping, row=one: hand_over(keeping, row, at))  # type: ignore[misc]


def answers(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say how a machine's newest requests stand."""
    machine = asking.sender
    _offer(scene, machine, asking.at)
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
    if not 0 < len(holder) <= MOST_HOLDER or "/" in holder:  # that is another request's name
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
