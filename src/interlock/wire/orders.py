"""What the service tells a machine to do, each thing signed: a stop, a resumption.

Every stop has a number of its own, its *epoch*, and so has every resumption; each is greater than
all before. A resumption names the stop that it ends. So it does not matter in which order they
come, nor how often: a stop stands where it came and its resumption did not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.record import Record
from interlock.wire.signed import encode_signed

FLEET, TEAM, MACHINE = "*", "team:", "machine:"
MOST_EPOCH = 2**53


class OrderError(ValueError):
    """What came is no order; one sentence says why."""


class StopOrder(Record):
    """``place``: the machines that are meant: ``FLEET``, ``team:NAME`` or ``machine:ID``.

    ``scope``: what of each, as ``interlock stop`` has it (``all``, ``session:ID``, ``agent:NAME``).
    """

    epoch: int
    place: str
    scope: str
    why: str
    by: str
    at: str
    signature: str = ""


class ResumeOrder(Record):
    """``stop``: the epoch of the stop that ends."""

    epoch: int
    stop: int
    by: str
    at: str
    signature: str = ""


def bytes_to_sign(order: StopOrder | ResumeOrder) -> bytes:
    """Return what is signed."""
    return encode_signed("stop" if isinstance(order, StopOrder) else "resume", order)


def plain(order: StopOrder | ResumeOrder) -> dict[str, Any]:
    """Return it as JSON has it."""
    return {name: getattr(order, name) for name in type(order).fields}


def stop_of(given: object) -> StopOrder:
    """Return the stop that JSON holds; raises ``OrderError``."""
    return StopOrder(**_fields(StopOrder, given))


def resume_of(given: object) -> ResumeOrder:
    """Return the resumption that JSON holds; raises ``OrderError``."""
    return ResumeOrder(**_fields(ResumeOrder, given))


def covers(place: str, machine: str, team: str) -> bool:
    """Tell whether a place holds a machine."""
    return place in (FLEET, MACHINE + machine) or (bool(team) and place == TEAM + team)


def _fields(kind: type[StopOrder | ResumeOrder], given: object) -> Mapping[str, Any]:
    found = {name: given.get(name) for name in kind.fields} if isinstance(given, dict) else {}
    numbers = ("epoch", "stop")
    right = [
        type(value) is int and 0 < value < MOST_EPOCH if name in numbers else type(value) is str
        for name, value in found.items()
    ]
    if not found or not all(right):
        raise OrderError(f"that is no {kind.__name__.lower()} of a service")
    return found
