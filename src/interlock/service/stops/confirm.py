"""Who has confirmed a stop and who has not: machine by machine."""

from __future__ import annotations

from interlock.model.record import Record
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import CALLER, Machine, StopConfirmation, StopRow
from interlock.wire.orders import covers


class MachineConfirmation(Record):
    """A machine that is meant. ``seen``: what it reported, None where it has not; ``on``: whether
    it listens now.
    """

    machine: Machine
    seen: StopConfirmation | None
    on: bool

    @property
    def done(self) -> bool:
        """Whether its flag stands and its processes were ended."""
        return self.seen is not None and self.seen.done


class StopOverview(Record):
    """A stop, or its resumption, and the machines that it is meant for, those first that have not
    confirmed it.
    """

    stop: StopRow
    machines: tuple[MachineConfirmation, ...]

    @property
    def confirmed(self) -> int:
        """How many have confirmed."""
        return sum(one.done for one in self.machines)

    @property
    def ended(self) -> int:
        """How many processes were ended."""
        return sum(one.seen.ended for one in self.machines if one.seen is not None)

    @property
    def survivors(self) -> int:
        """How many machines named processes that still live."""
        return sum(bool(one.seen and one.seen.survivors) for one in self.machines)

    @property
    def whole(self) -> bool:
        """Whether all have confirmed."""
        return self.confirmed == len(self.machines)


def report(known: ServiceReader, stop: StopRow, connected: frozenset[str]) -> StopOverview:
    """Return who has confirmed a stop; once it is lifted, who has confirmed that. Callers have
    nothing to confirm: their calls are judged here.
    """
    told = {one.machine: one for one in known.find_stop_reports(stop.lifted or stop.epoch)}
    meant = [
        MachineConfirmation(one, told.get(one.id), one.id in connected)
        for one in known.machines()
        if not one.retired and one.platform != CALLER and covers(stop.place, one.id, one.team)
    ]
    return StopOverview(stop, tuple(sorted(meant, key=lambda one: (one.done, one.machine.name))))
