"""What people can act on: which rules ask most and are always let run, what is asked about again
and again, whose machines ask, which shared limits are nearly used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.model.leases import COST, TOKENS
from interlock.model.record import Record
from interlock.service.store.rows import SharedUseRow
from interlock.service.store.views import AskedCount, RepeatedQuestion, percent

MOST = 20
NEAR = 80
"""Percent of a limit from which on it is nearly used up."""
OFTEN = 3
"""So often a rule has to have asked before it is said that it might as well not."""


class QuestionCount(Record):
    """How often something asked. ``ran``: how many of those calls ran then; ``machines``: on how
    many.
    """

    name: str
    asked: int
    ran: int
    machines: int

    @property
    def share(self) -> int:
        """Return how many of a hundred ran."""
        return percent(self.ran, self.asked)

    @property
    def idle(self) -> bool:
        """Whether each call that it asked about was let run."""
        return self.asked >= OFTEN and self.ran == self.asked


class NearLimit(Record):
    """A limit that machines share, and how many of a hundred parts of it are used."""

    scope: str
    what: str
    used: int
    most: int
    percent: int


class Insights(Record):
    """Of what was asked from a time on; the most first."""

    asked: int
    ran: int
    rules: tuple[QuestionCount, ...]
    calls: tuple[RepeatedQuestion, ...]
    machines: tuple[QuestionCount, ...]
    teams: tuple[QuestionCount, ...]
    limits: tuple[NearLimit, ...] = ()

    @property
    def share(self) -> int:
        """Return how many of a hundred ran."""
        return percent(self.ran, self.asked)


def gather_insights(
    counts: Iterable[AskedCount],
    calls: Iterable[RepeatedQuestion],
    names: Mapping[str, str],
    teams: Mapping[str, str],
) -> Insights:
    """Return what is counted, by rule, machine and team. ``names`` and ``teams``: of sources."""
    some = list(counts)
    return Insights(
        sum(one.asked for one in some),
        sum(one.ran for one in some),
        _sum_up(some, {one.rule: one.rule for one in some}, "rule"),
        tuple(calls)[:MOST],
        _sum_up(some, names, "source"),
        _sum_up(some, teams, "source"),
    )


def _sum_up(
    counts: list[AskedCount], names: Mapping[str, str], by: str
) -> tuple[QuestionCount, ...]:
    """Return the counts by name, without those that have none."""
    found: dict[str, QuestionCount] = {}
    sources: dict[str, set[str]] = {}
    for one in counts:
        name = names.get(getattr(one, by), "")
        before = found.get(name, QuestionCount(name, 0, 0, 0))
        sources.setdefault(name, set()).add(one.source)
        found[name] = QuestionCount(
            name, before.asked + one.asked, before.ran + one.ran, len(sources[name])
        )
    found.pop("", None)
    return tuple(sorted(found.values(), key=lambda one: (-one.asked, one.name))[:MOST])


def find_near_limits(uses: Iterable[SharedUseRow], now: int) -> tuple[NearLimit, ...]:
    """Return the budgets that are nearly used up in their period, the fullest first. ``now``: in
    microseconds.
    """
    found = []
    for use in uses:
        over = use.every and now >= use.since + use.every * 1_000_000
        full = percent(use.used, use.most)
        if use.kind in (TOKENS, COST) and not over and full >= NEAR:
            found.append(NearLimit(use.scope, use.what, use.used, use.most, min(100, full)))
    return tuple(sorted(found, key=lambda one: -one.percent))
