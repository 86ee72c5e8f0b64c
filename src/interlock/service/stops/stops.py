"""A stop of machines and its resumption: each a row, a number that grows, and a signature."""

from __future__ import annotations

from collections.abc import Sequence
from time import time

from interlock.model.record import Record
from interlock.service import notices
from interlock.service.notifier import Hint, Notifier
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import Machine, StopConfirmation, StopRow
from interlock.store.chain import now
from interlock.wire.orders import (
    FLEET,
    MACHINE,
    ResumeOrder,
    StopOrder,
    bytes_to_sign,
    covers,
    plain,
)

MOST_WHY = 500
MOST_FORGOTTEN = 20
AHEAD = 86_400_000
"""Milliseconds by which the clock of who made a stop may have been ahead of this one."""
STOP, RESUME = "stop", "resume"


class StopRequest(Record):
    """What a person wants stopped; as ``wire.orders.Stop``."""

    place: str
    scope: str
    why: str
    by: str


class ResumeResult(Record):
    """What came of a wish to resume. ``resume``: what machines are told, None while ``missing``
    more people have to want it.
    """

    resume: ResumeOrder | None
    missing: int = 0


def stop(keeping: ServiceWriter, signer: Signer, asked: StopRequest) -> StopRow:
    """Stop; where the very same is stopped already, the first reason stands."""
    for one in keeping.stops(0, standing=True):
        if (one.place, one.scope) == (asked.place, asked.scope):
            return one
    why = asked.why[:MOST_WHY] or f"stopped by {asked.by}"
    order = StopOrder(next_epoch(keeping), asked.place, asked.scope, why, asked.by, now())
    made = StopRow(**plain(order.replace(signature=signer.sign(bytes_to_sign(order)))))
    keeping.add_stop(made)
    body = {"by": made.by, "place": made.place, "scope": made.scope, "why": made.why}
    keeping.note(STOP, str(made.epoch), body)
    notices.tell(
        keeping, notices.STOPPED, f"/stops/{made.epoch}", f"Stopped by {made.by}: {why}", body
    )
    return made


def resume_quorum(place: str, people: int) -> int:
    """Return how many people it takes to resume: two for the whole fleet, where there are two."""
    return min(2, people) if place == FLEET else 1


def resume(
    keeping: ServiceWriter, signer: Signer, stopping: StopRow, person: str, people: Sequence[str]
) -> ResumeResult:
    """Resume, or note that somebody wants to. ``people``: who may, by now."""
    keeping.add_voice(stopping.epoch, person, now())
    voices = [one for one in keeping.voices(stopping.epoch) if one in people]
    missing = resume_quorum(stopping.place, len(people)) - len(voices)
    if missing > 0:
        keeping.note("resume-wanted", str(stopping.epoch), {"by": person, "missing": missing})
        return ResumeResult(None, missing)
    order = ResumeOrder(next_epoch(keeping), stopping.epoch, ", ".join(voices), now())
    order = order.replace(signature=signer.sign(bytes_to_sign(order)))
    if keeping.lift_stop(order):
        body = {"by": order.by, "epoch": order.epoch}
        keeping.note(RESUME, str(stopping.epoch), body)
        path, said_of = f"/stops/{stopping.epoch}", f"Resumed by {order.by}: {stopping.why}"
        notices.tell(keeping, notices.RESUMED, path, said_of, body)
    return ResumeResult(order)


def find_forgotten(known: ServiceReader, have: Sequence[int]) -> list[int]:
    """Return the stops that a machine has and this database does not: it was put back from a
    backup. What would be of the future is none.
    """
    latest = int(time() * 1000) + AHEAD
    return [one for one in have if 0 < one <= latest and known.stop(one) is None]


def remember(keeping: ServiceWriter, machine: Machine, have: Sequence[int]) -> None:
    """Keep such stops as this machine's, so that people can resume them."""
    place, why = f"{MACHINE}{machine.id}", "stopped before this service was put back"
    known = [one for one in keeping.stops(0, standing=True) if one.place == place]
    for epoch in find_forgotten(keeping, have)[: max(0, MOST_FORGOTTEN - len(known))]:
        keeping.add_stop(StopRow(epoch, place, "all", why, "a backup", now(), ""))
        keeping.put_stop_report(StopConfirmation(epoch, machine.id, now(), done=True))
        keeping.note("stop-remembered", str(epoch), {"machine": machine.id})


def next_epoch(keeping: ServiceReader) -> int:
    """Return a number greater than all before, also than those of a database that was put back
    from a backup: it is the time, in milliseconds.
    """
    return max(keeping.epoch() + 1, int(time() * 1000))


def ring(bell: Notifier, order: StopOrder | ResumeOrder, place: str) -> None:
    """Tell the machines that are meant."""
    bell.epoch = max(bell.epoch, order.epoch)
    kind = STOP if isinstance(order, StopOrder) else RESUME
    bell.ring(Hint(kind, plain(order)), lambda one: covers(place, one.machine, one.team))
