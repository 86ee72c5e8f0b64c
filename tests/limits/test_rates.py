"""Rates: how they are written, what the algorithm promises, and where it differs from the windows
of the ``limits`` library.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import limits as library
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.limits import gcra
from interlock.model.codec import decode, encode
from interlock.model.jsontext import dumps, loads
from interlock.model.limits import (
    Concurrency,
    CostBudget,
    Duration,
    Limits,
    Price,
    Rate,
    TokenBudget,
    check_limits,
    parse_rate,
)
from interlock.model.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60/minute", (60, 60)),
        ("100/minutes", (100, 60)),
        ("10/30s", (10, 30)),
        ("10 / 30 seconds", (10, 30)),
        ("1/s", (1, 1)),
        ("500/2hours", (500, 7200)),
        ("3/day", (3, 86400)),
        (" 5/10m ", (5, 600)),
    ],
)
def test_rates_are_read(text: str, expected: tuple[int, int]) -> None:
    """A count and a time, in the words people use."""
    assert parse_rate(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "60", "60/", "/minute", "60/fortnight", "0/minute", "-1/minute", "1.5/minute", "60/0s", "60/minute/2", "x/minute", "6\u0660/minute",
     "60/1_0s", "60/minutes ago", "1e3/minute", "99999999999/s", "60 per minute"],
)  # fmt: skip
def test_a_rate_that_is_none_is_said(text: str) -> None:
    """One sentence, with what was written and how it is written right."""
    with pytest.raises(
        ValueError, match="is no rate: write COUNT/TIME, such as 60/minute"
    ) as error:
        parse_rate(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        (Limits(rates=(Rate("60/mintue"),)), Limits(rates=(Rate("60/minute"),)), r"limits.rates\[0\]: '60/mintue' is no rate"),
        (Limits(rates=(Rate("6/m", "bash_comands"),)), Limits(rates=(Rate("6/m", "bash_commands"),)), "no class of tools 'bash_comands'"),
        (Limits(rates=(Rate("6/m", "Bash"),)), Limits(rates=(Rate("6/m", "tool:Bash"),)), "no class of tools 'Bash'"),
        (Limits(rates=(Rate("6/m", per="sesion"),)), Limits(rates=(Rate("6/m", per="agent"),)), "per 'sesion' is not one of"),
        (Limits(rates=(Rate("6/m", burst=7),)), Limits(rates=(Rate("6/m", burst=6),)), "burst of 7"),
        (Limits(tokens=(TokenBudget(0),)), Limits(tokens=(TokenBudget(1),)), "limit is 0"),
        (Limits(tokens=(TokenBudget(9, 0.9, 0.8),)), Limits(tokens=(TokenBudget(9, 0.8, 0.9),)), "warning at 0.9"),
        (Limits(tokens=(TokenBudget(9, 80, 95),)), Limits(tokens=(TokenBudget(9, 0.8, 0.95),)), "warning at 80"),
        (Limits(tokens=(TokenBudget(9, of="contxt"),)), Limits(tokens=(TokenBudget(9, of="context"),)), "of 'contxt'"),
        (Limits(costs=(CostBudget(float("nan")),)), Limits(costs=(CostBudget(0.5),)), "threshold is nan"),
        (Limits(concurrent=(Concurrency(0),)), Limits(concurrent=(Concurrency(1),)), "most is 0"),
        (Limits(durations=(Duration(-5),)), Limits(durations=(Duration(5),)), "seconds is -5"),
        (Limits(prices=(Price("m", -1, 1, 1, 1),)), Limits(prices=(Price("m", 0, 1, 1, 1),)), "input is -1"),
        (Limits(lease=0), Limits(lease=1), "lease"),
    ],
)  # fmt: skip
def test_a_limit_that_means_nothing_is_said(wrong: Limits, right: Limits, words: str) -> None:
    """A typing error is an error and no limit that is off; its twin is taken."""
    with pytest.raises(ValueError, match=words):
        check_limits(wrong)
    assert check_limits(right) is right


def test_limits_are_plain_data() -> None:
    """All of them survive the way to plain data and back, as part of a policy too."""
    limits = Limits(
        (Rate("60/minute", "bash_commands", "user", 5),),
        (TokenBudget(1000, 0.5, 0.9, "agent", "context", 60, cached=False, reserve=7),),
        (CostBudget(2.5, "tenant", 86400, 0.25, "admin"),),
        (Concurrency(3, "tool:x"),),
        (Duration(60, 0.5),),
        (Price("m", 1.0, 2.0, 0.5, 1.5),),
        lease=30,
    )
    assert decode(Limits, loads(dumps(encode(limits)))) == limits
    policy = Policy((), limits=limits)
    assert decode(Policy, loads(dumps(encode(policy)))) == policy
    assert encode(Policy(())) == {"rules": []}


# -- the algorithm ---------------------------------------------------------------------------------

RATES = st.tuples(st.integers(1, 20), st.integers(1, 100))
GAPS = st.lists(st.integers(0, 40_000_000), max_size=60)


def admitted(times: Iterable[int], count: int, seconds: int, burst: int) -> list[int]:
    """Play calls at such times (microseconds) and return those that pass."""
    each, paid, passed = gcra.interval(count, seconds), 0, []
    for now in times:
        paid = gcra.clamp_paid(paid, now, each, burst)
        if not gcra.wait(paid, now, each, burst):
            paid = gcra.take_one(paid, now, each)
            passed.append(now)
    return passed


def times_of(gaps: Iterable[int], begin: int = 10**15) -> list[int]:
    """Return the times of calls that come so far apart."""
    times = [begin]
    for gap in gaps:
        times.append(times[-1] + gap)
    return times


@given(rate=RATES, gaps=GAPS, burst=st.integers(1, 20))
def test_never_more_than_its_bound(rate: tuple[int, int], gaps: list[int], burst: int) -> None:
    """In any stretch of time at most a burst passes, and what is paid off in that time."""
    count, seconds = rate
    passed = admitted(times_of(gaps), count, seconds, burst)
    for first in range(len(passed)):
        for last in range(first, len(passed)):
            assert last - first + 1 <= burst + (passed[last] - passed[first]) * count // (
                seconds * gcra.SECOND
            )


@given(rate=RATES, gaps=GAPS, jumps=st.lists(st.integers(-4_000_000_000, 0), max_size=60))
def test_a_clock_that_goes_back_never_loosens(
    rate: tuple[int, int], gaps: list[int], jumps: list[int]
) -> None:
    """Told in true time, no more pass than the bound allows when the clock is set back now and
    then; and it recovers within one whole burst.
    """
    count, seconds = rate
    each, true, shift, paid, passed = gcra.interval(count, seconds), 10**15, 0, 0, list[int]()
    for number, gap in enumerate(gaps):
        true += gap
        shift += jumps[number] if number < len(jumps) and jumps[number] % 3 == 0 else 0
        now = true + shift
        paid = gcra.clamp_paid(paid, now, each, count)
        if not gcra.wait(paid, now, each, count):
            paid = gcra.take_one(paid, now, each)
            passed.append(true)
    for first in range(len(passed)):
        for last in range(first, len(passed)):
            assert last - first + 1 <= count + (passed[last] - passed[first]) * count // (
                seconds * gcra.SECOND
            )
    assert (
        gcra.wait(gcra.clamp_paid(paid, true + shift, each, count), true + shift, each, count)
        <= each
    )


@given(rate=RATES, gaps=GAPS)
def test_what_is_given_back_was_never_taken(rate: tuple[int, int], gaps: list[int]) -> None:
    """A call that passes and is given back leaves every later answer as it would have been."""
    count, seconds = rate
    each, paid, other = gcra.interval(count, seconds), 0, 0
    for number, now in enumerate(times_of(gaps)):
        assert gcra.wait(paid, now, each, count) == gcra.wait(other, now, each, count)
        if not gcra.wait(paid, now, each, count):
            paid = gcra.take_one(paid, now, each)
            if number % 3:
                paid -= each
            else:
                other = gcra.take_one(other, now, each)


# -- beside the windows of `limits` ----------------------------------------------------------------


class Window:
    """The library's moving window, on a clock that is set by hand."""

    def __init__(self, patch: pytest.MonkeyPatch, count: int, seconds: int) -> None:
        self.now = 0.0
        patch.setattr(time, "time", lambda: self.now)
        self.limiter = library.strategies.MovingWindowRateLimiter(library.storage.MemoryStorage())
        self.rate = library.RateLimitItemPerSecond(count, seconds)

    def hit(self, micros: int) -> bool:
        """Tell whether a call at this time passes."""
        self.now = micros / gcra.SECOND
        return bool(self.limiter.hit(self.rate, "key"))


@pytest.mark.parametrize(("count", "seconds", "gaps"), [
    (1, 10, [0, 9_000_000, 1_000_001, 5_000_000, 5_000_001, 30_000_000, 0]),
    (3, 60, [0, 0, 0, 0, 70_000_000, 0, 0, 0]),
    (5, 1, [0] * 8 + [1_500_000] + [0] * 7),
    (1, 1, [300_000] * 12),
])  # fmt: skip
def test_bursts_after_a_rest_are_the_librarys(
    count: int, seconds: int, gaps: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one call at a time, and of bursts with a whole window's rest between them, both let the
    same calls pass.
    """
    window = Window(monkeypatch, count, seconds)
    times = times_of(gaps)
    assert admitted(times, count, seconds, count) == _passed(window, times)


def _passed(window: Window, times: list[int]) -> list[int]:
    return [now for now in times if window.hit(now)]


@given(rate=RATES, gaps=GAPS)
def test_what_the_window_admits_passes_here(rate: tuple[int, int], gaps: list[int]) -> None:
    """Calls that keep to the library's moving window are never throttled here: its limit is the
    harder one.
    """
    count, seconds = rate
    with pytest.MonkeyPatch.context() as patch:
        kept = _passed(Window(patch, count, seconds), times_of(gaps))
    # half a microsecond of a float is not what is compared: a call on the very edge of the window
    # comes a moment later
    assert admitted(
        [now + number * 2 for number, now in enumerate(kept)], count, seconds, count
    ) == [now + n * 2 for n, now in enumerate(kept)]


def test_where_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a burst the window is shut until it has passed; here one call passes each time that one
    is paid off, so up to twice as many in all.
    """
    window, times = Window(monkeypatch, 6, 60), times_of([0] * 5 + [10_000_001] * 5)
    assert len(_passed(window, times)) == 6
    assert len(admitted(times, 6, 60, 6)) == 11
