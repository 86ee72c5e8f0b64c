"""How machines are: heard of, how far their record is here, whether their guard refuses."""

from __future__ import annotations

from time import gmtime, strftime, time

from interlock.model.record import Record
from interlock.service.machines.checks import (
    DISARMED,
    DRIFTED,
    PROVEN,
    UNPROVEN,
    read,
    stands,
)
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import CALLER, Machine

DAY = 86400
SILENT_SECONDS = 100
"""Three beats of a sidecar, and some."""
SILENT, RETIRED = "silent", "retired"
FIRST = (DISARMED, DRIFTED, SILENT, UNPROVEN, PROVEN, CALLER, RETIRED)
"""Which guards need a person before others do."""


class Health(Record):
    """One machine. ``guard``: proven (`interlock doctor` saw it refuse within a day), unproven,
    drifted, disarmed, silent, retired, or caller (a program, which has none and asks here);
    ``why``: the line that says so; ``told``: what is wrong with its record, in kinds;
    ``behind``: events that are not here yet.
    """

    machine: Machine
    guard: str
    proven: str
    events: int
    behind: int
    told: tuple[str, ...]
    sources: tuple[str, ...]
    why: str = ""


def health(known: ServiceReader) -> list[Health]:
    """Return all machines, those that need a person first."""
    now = time()
    told: dict[str, list[str]] = {}
    for one in known.problems(10_000):
        told.setdefault(one.chain, []).append(one.kind)
    chains: dict[str, list[str]] = {}
    for chain in known.chains():
        chains.setdefault(chain.machine, []).append(chain.id)
    found = [_health(known, one, chains.get(one.id, []), told, now) for one in known.machines()]
    return sorted(found, key=lambda one: (not one.told, FIRST.index(one.guard), one.machine.name))


def _health(
    known: ServiceReader,
    machine: Machine,
    chains: list[str],
    told: dict[str, list[str]],
    now: float,
) -> Health:
    branches = [one for chain in chains for one in known.branches(chain)]
    events = sum(one.seq - one.left for one in branches)
    ends = max([one.seq for one in branches], default=0)
    proven = max([known.proven(chain, _ago(now, DAY)) for chain in chains], default="")
    kinds = dict.fromkeys(kind for chain in chains for kind in told.get(chain, ()))
    rows = [row for check in known.checks(machine.id) for row in read(check.rows)]
    guard, why = stands(rows, proven)
    guard = SILENT if machine.seen < _ago(now, SILENT_SECONDS) else guard
    guard = CALLER if machine.platform == CALLER else guard
    guard = RETIRED if machine.retired else guard
    behind = max(0, machine.head - ends)
    return Health(machine, guard, proven, events, behind, tuple(kinds), tuple(chains), why)


def _ago(now: float, seconds: float) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(now - seconds))
