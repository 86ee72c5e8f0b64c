"""The generic cell rate algorithm (ITU-T I.371): one number for each rate, the time at which all
that was taken is paid off.

Times are whole microseconds, so that the same calls give the same answers in every process.
"""

from __future__ import annotations

SECOND = 1_000_000


def interval(count: int, seconds: int) -> int:
    """Return how long one call of a rate lasts, rounded up: never more than the rate."""
    return -(-seconds * SECOND // count)


def clamp_paid(paid: int, now: int, each: int, burst: int) -> int:
    """Return when all is paid off. Further ahead than a whole burst only a clock that went back can
    have left it: then the burst is used up.
    """
    return min(paid, now + each * burst)


def take_one(paid: int, now: int, each: int) -> int:
    """Return when all is paid off after one call more."""
    return max(paid, now) + each


def wait(paid: int, now: int, each: int, burst: int) -> int:
    """Return the microseconds until one call more is within the burst; 0 where it is."""
    return max(take_one(paid, now, each) - each * burst - now, 0)
