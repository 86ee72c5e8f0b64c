"""The last hour as bars: one a minute, what was asked and denied on top of what was allowed."""

from __future__ import annotations

from collections.abc import Mapping
from time import gmtime, strftime

from interlock.model.record import Record
from interlock.service.store.views import MinuteCounts

MINUTES = 60
HEIGHT = 40


class Bar(Record):
    """One minute: where it stands (``x``, of 60), and the heights of its parts, of ``HEIGHT``."""

    x: int
    allowed: int
    asked: int
    denied: int
    said: str


class Hour(Record):
    """What was decided in an hour."""

    calls: int
    asked: int
    denied: int
    bars: tuple[Bar, ...]


def minute_of(seconds: float) -> str:
    """Return a time (Unix) as the minute that it lies in, UTC."""
    return strftime("%Y-%m-%dT%H:%M", gmtime(seconds))


def hour(minutes: Mapping[str, MinuteCounts], now: float) -> Hour:
    """Return the hour up to a time (Unix)."""
    names = [minute_of(now - 60 * ago) for ago in range(MINUTES - 1, -1, -1)]
    found = [minutes.get(name, MinuteCounts(name, 0, 0, 0)) for name in names]
    most = max([one.calls for one in found], default=0) or 1
    bars = [_bar(x, one, most) for x, one in enumerate(found) if one.calls]
    sums = [sum(getattr(one, what) for one in found) for what in ("calls", "asked", "denied")]
    return Hour(sums[0], sums[1], sums[2], tuple(bars))


def _bar(x: int, one: MinuteCounts, most: int) -> Bar:
    denied, asked = [_height(count, most) for count in (one.denied, one.asked)]
    allowed = max(0, _height(one.calls, most) - denied - asked)
    said = f"{one.minute[11:]} UTC: {one.calls} calls, {one.asked} asked, {one.denied} denied"
    return Bar(x, allowed, asked, denied, said)


def _height(count: int, most: int) -> int:
    """Return a part's height; what is there at all can be seen."""
    return max(3, round(HEIGHT * count / most)) if count else 0
