"""What machines ask about stops, and what they report."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.answers import Stop, problem, said
from interlock.service.asked import Asking, malformed, number, texts
from interlock.service.scene import Scene
from interlock.service.stops import stops
from interlock.service.store.protocol import Reading
from interlock.service.store.rows import Machine, StopSeen
from interlock.wire.orders import MOST_EPOCH, covers, plain

MOST_HAVE, MOST_TEXT = 200, 2000


def standing(scene: Scene, asking: Asking) -> Response:
    """Say what stands for a machine, and what of that which it has was resumed."""
    machine = asking.sender
    words = asking.words.get("have", "").split(",")[:MOST_HAVE]
    have = [int(word) for word in words if word.isdecimal() and len(word) < 17]
    if scene.keeping.read(lambda known: stops.forgotten(known, have)):
        scene.keeping.write(lambda keeping: stops.remember(keeping, machine, have))
    return said(scene.keeping.read(lambda known: _standing(known, machine, have)))


def _standing(known: Reading, machine: Machine, have: list[int]) -> dict[str, object]:
    found = [
        {**plain(one.order), **_told(known, one.epoch, machine)}
        for one in known.stops(0, standing=True)
        if one.signature and covers(one.place, machine.id, machine.team)
    ]
    mine = [known.stop(epoch) for epoch in have]
    resumes = [plain(one.resumption) for one in mine if one is not None and one.lifted]
    return {"epoch": known.epoch(), "stops": found, "resumes": resumes}


def _told(known: Reading, epoch: int, machine: Machine) -> dict[str, object]:
    """Return what a machine reported of a stop already: it need not do so again."""
    seen = [one for one in known.stop_seen(epoch) if one.machine == machine.id]
    return {"told": any(one.done for one in seen), "freed": any(one.freed for one in seen)}


def reported(scene: Scene, asking: Asking) -> Response:
    """Note what a machine did about a stop or a resumption."""
    machine, word = asking.sender, asking.names["epoch"]
    epoch = int(word) if word.isdecimal() and len(word) < 17 else 0
    seen = _seen(asking, machine.id, epoch)
    if not scene.keeping.write(lambda keeping: _meant(keeping, epoch, machine)):
        raise Stop(problem(404, "unknown", "there is no such stop of this machine"))
    scene.keeping.write(lambda keeping: keeping.saw_stop(seen))
    return said({"at": asking.at})


def _meant(known: Reading, epoch: int, machine: Machine) -> bool:
    """Tell whether an epoch is a stop's, or a resumption's, that is meant for a machine."""
    if not 0 < epoch < MOST_EPOCH:
        return False
    found = known.stop(epoch) or known.resumed_by(epoch)
    return found is not None and covers(found.place, machine.id, machine.team)


def _seen(asking: Asking, machine: str, epoch: int) -> StopSeen:
    given = asking.given
    done, ended = given.get("done"), number(given, "ended", 0, least=0, most=2**31 - 1)
    if type(done) is not bool:
        raise malformed("expected what was done about a stop")
    words = [text[:MOST_TEXT] for text in texts(given, "survivors", "problems", "freed")]
    return StopSeen(epoch, machine, asking.at, done, ended, *words)
