"""Whose each chain of the record is: what people know instead of its name."""

from __future__ import annotations

from interlock.service.store.protocol import ServiceReader


def find_names(known: ServiceReader) -> dict[str, str]:
    """Return the machines' names by their chains."""
    machines = {one.id: one.name for one in known.machines()}
    return {one.id: machines.get(one.machine, one.machine) for one in known.chains()}


def find_teams(known: ServiceReader) -> dict[str, str]:
    """Return the machines' teams by their chains; empty for one of none."""
    machines = {one.id: one.team for one in known.machines()}
    return {one.id: machines.get(one.machine, "") for one in known.chains()}
