"""The limits of a policy file, as the records that are counted by."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.limits import (
    Concurrency,
    CostBudget,
    Duration,
    Limits,
    Price,
    Rate,
    TokenBudget,
    check_limits,
)
from interlock.model.record import Record
from interlock.policy.layer import Setting
from interlock.policy.reading import Section
from interlock.policy.source import PolicySource

ROWS: tuple[tuple[str, str, type[Record], dict[str, str]], ...] = (
    ("rates", "rates", Rate, {}),
    ("tokens", "tokens", TokenBudget, {}),
    ("cost", "costs", CostBudget, {}),
    ("concurrent", "concurrent", Concurrency, {}),
    ("duration", "durations", Duration, {"most": "seconds"}),
    ("prices", "prices", Price, {}),
)
"""A key of ``limits``, the field of ``Limits``, the record and keys of other names in it."""


def limits_of(section: Section, source: PolicySource) -> Iterator[Setting]:
    """Yield a setting for each limit; one that means nothing is a problem."""
    for key, field, record, renamed in ROWS:
        for one in section.get(key, ()):
            limit = (
                record(**{renamed.get(name, name): value for name, value in one.values.items()})
                if _whole(one, record, renamed)
                else None
            )
            if limit is not None and _means(Limits().replace(**{field: (limit,)}), one, source):
                yield Setting(f"limits.{field}", limit, source.at(one.node))
    if section.get("lease"):
        yield Setting("limits.lease", section.get("lease"), source.at(section.at("lease")))


def _whole(one: Section, record: type[Record], renamed: dict[str, str]) -> bool:
    """Whether every field that the record needs was read; gaps are problems of the file already."""
    there = {renamed.get(name, name) for name in one.values}
    return all(field in there or field in record.defaults for field in record.fields)


def _means(limits: Limits, one: Section, source: PolicySource) -> bool:
    try:
        check_limits(limits)
    except ValueError as error:
        source.say(one.node, str(error).partition(": ")[2] or str(error))
        return False
    return True
