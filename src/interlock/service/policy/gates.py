"""What holds a stage: machines that have the newest policy and say that it does not load there, or
ask and deny much more than they did before they had it. A gate holds; it never takes back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from interlock.model.record import Record
from interlock.service.policy.reports import PolicyReport, read_reports
from interlock.service.store.protocol import ServiceReader
from interlock.wire.rollout import Rollout

WEEK = timedelta(days=7)
"""How long before a machine took the newest policy its calls are compared with those since."""
FEWEST = 20
"""Calls with the newest policy, below which nothing can be told from them."""


class GateReading(Record):
    """What a gate compares: of a hundred calls, so many before and since, and whether that holds
    the stage.
    """

    name: str
    said: str
    holds: bool


def read_gates(known: ServiceReader, rollout: Rollout) -> list[GateReading]:
    """Return what each gate of a rollout says."""
    reports = read_reports(known)
    failing = [one for one in reports if one.refused == rollout.bundle]
    names = ", ".join(one.name for one in failing[:5])
    said = f"{len(failing)} machines cannot load it{f': {names}' if names else ''}"
    gates = rollout.gates
    errors = GateReading("errors", said, bool(gates.errors) and len(failing) >= gates.errors)
    have = [one for one in reports if one.bundle == rollout.bundle]
    before, since = _count_before(known, have), _count_since(known, have)
    compared = [
        _compare(name, limit, (before[at], before[0]), (since[at], since[0]))
        for at, (name, limit) in enumerate((("asks", gates.asks), ("denies", gates.denies)), 1)
    ]
    return [errors, *compared]


def _compare(name: str, limit: int, before: tuple[int, int], since: tuple[int, int]) -> GateReading:
    was, now = [100 * count / calls if calls else 0.0 for count, calls in (before, since)]
    said = f"{now:.1f} of 100 calls since, {was:.1f} before"
    if since[1] < FEWEST or not before[1]:
        return GateReading(name, f"{said}; too few to tell", holds=False)
    return GateReading(name, said, limit > 0 and now > was * (1 + limit / 100))


def _count_before(known: ServiceReader, have: list[PolicyReport]) -> tuple[int, int, int]:
    return _sum([
        known.count_answers(chain, _begin_before(one.since), one.since)
        for one in have for chain in one.chains
    ])  # fmt: skip


def _begin_before(since: str) -> str:
    """Return from when on a machine's earlier calls count; what it said may be no time at all."""
    try:
        return (datetime.fromisoformat(since) - WEEK).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError):
        return since


def _count_since(known: ServiceReader, have: list[PolicyReport]) -> tuple[int, int, int]:
    return _sum([
        known.count_answers(chain, one.since, "9") for one in have for chain in one.chains
    ])  # fmt: skip


def _sum(counts: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    calls, asked, denied = [sum(one[at] for one in counts) for at in range(3)]
    return calls, asked, denied
