"""What machines ask about stops, and what they report."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest, bad_request, number, texts
from interlock.service.stops import stops
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import Machine, StopConfirmation
from interlock.wire.orders import MOST_EPOCH, covers, plain

MOST_HAVE, MOST_TEXT = 200, 2000


def standing(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say what stands for a machine, and what of that which it has was resumed."""
    machine = asking.sender
    words = asking.words.get("have", "").split(",")[:MOST_HAVE]
    have = [int(word) for word in words if word.isdecimal() and len(word) < 17]
    if scene.keeping.read(lambda known: stops.find_forgotten(known, have)):
        scene.keeping.write(lambda keeping: stops.remember(keeping, machine, have))
    return json_response(scene.keeping.read(lambda known: _standing(known, machine, have)))


def _standing(known: ServiceReader, machine: Machine, have: list[int]) -> dict[str, object]:
    found = [
        {**plain(one.order), **_report_to_dict(known, one.epoch, machine)}
        for one in known.stops(0, standing=True)
        if one.signature and covers(one.place, machine.id, machine.team)
    ]
    mine = [known.stop(epoch) for epoch in have]
    resumes = [plain(one.resumption) for one in mine if one is not None and one.lifted]
    return {"epoch": known.epoch(), "stops": found, "resumes": resumes}


def _report_to_dict(known: ServiceReader, epoch: int, machine: Machine) -> dict[str, object]:
    """Return what a machine reported of a stop already: it need not do so again."""
    seen = [one for one in known.find_stop_reports(epoch) if one.machine == machine.id]
    return {"told": any(one.done for one in seen), "freed": any(one.freed for one in seen)}


def save_report(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Note what a machine did about a stop or a resumption."""
    machine, word = asking.sender, asking.names["epoch"]
    epoch = int(word) if word.isdecimal() and len(word) < 17 else 0
    seen = _parse_report(asking, machine.id, epoch)
    if not scene.keeping.write(lambda keeping: _is_for_machine(keeping, epoch, machine)):
        raise RequestEnd(problem(404, "unknown", "there is no such stop of this machine"))
    scene.keeping.write(lambda keeping: keeping.put_stop_report(seen))
    return json_response({"at": asking.at})


def _is_for_machine(known: ServiceReader, epoch: int, machine: Machine) -> bool:
    """Tell whether an epoch is a stop's, or a resumption's, that is meant for a machine."""
    if not 0 < epoch < MOST_EPOCH:
        return False
    found = known.stop(epoch) or known.find_resumed(epoch)
    return found is not None and covers(found.place, machine.id, machine.team)


def _parse_report(asking: ServiceRequest, machine: str, epoch: int) -> StopConfirmation:
    given = asking.given
    done, ended = given.get("done"), number(given, "ended", 0, least=0, most=2**31 - 1)
    if type(done) is not bool:
        raise bad_request("expected what was done about a stop")
    words = [text[:MOST_TEXT] for text in texts(given, "survivors", "problems", "freed")]
    return StopConfirmation(epoch, machine, asking.at, done, ended, *words)
