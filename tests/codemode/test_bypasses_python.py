"""Every known way out of a guarded Python program, tried under every tier: stopped by the layers
its row names, its twin permitted.

All ways are tried in one run for each tier, each in a process of its own that the program forks.
"""

from __future__ import annotations

import pytest

from tests.codemode.rows_python import GUARD, ROWS, Row
from tests.codemode.scenes import HELD, NONE, needs
from tests.codemode.trying import Tried


@pytest.fixture(scope="module")
def tried() -> Tried:
    """Nothing is run before a test asks for it."""
    return Tried([(row.attempt, row.twin) for row in ROWS])


IDS = [f"{row.number}-{row.name}".replace(" ", "_") for row in ROWS]


@pytest.mark.parametrize(("at", "row"), list(enumerate(ROWS)), ids=IDS)
def test_the_guard_alone_stops_what_its_table_says(tried: Tried, at: int, row: Row) -> None:
    """With no walls at all the attempt is stopped where the table says that the guard does it, and
    its twin is not.
    """
    if row.raced:
        assert tried.under(NONE)[str(at)][1][0] == "got"
        return
    attempt, twin = _came(tried, NONE, at, stopped=GUARD in row.stopped_by)
    assert attempt[0] == ("stopped" if GUARD in row.stopped_by else "got"), attempt
    assert twin[0] == "got", f"its twin is stopped: {twin[1]}"


@pytest.mark.parametrize("tier", HELD)
@pytest.mark.parametrize(("at", "row"), list(enumerate(ROWS)), ids=IDS)
def test_the_walls_alone_stop_what_their_table_says(
    tried: Tried, at: int, row: Row, tier: str
) -> None:
    """Without any guard inside the attempt is stopped where the table says that these walls do it,
    and its twin is not.
    """
    needs(tier)
    attempt, twin = _came(tried, tier, at, stopped=tier in row.stopped_by)
    assert attempt[0] == ("stopped" if tier in row.stopped_by else "got"), attempt
    assert twin[0] == "got", f"its twin is stopped: {twin[1]}"


def _came(tried: Tried, tier: str, at: int, *, stopped: bool) -> tuple[list[str], list[str]]:
    """Return what an attempt and its twin came to; in the bare interpreter both have to succeed: a
    way that leads nowhere proves nothing.
    """
    bare, twin = tried.under("bare")[str(at)]
    attempt, permitted = tried.under(tier)[str(at)]
    if bare[0] != "got" and not (stopped and "refused by interlock" in attempt[1]):
        pytest.skip(f"on this machine it leads nowhere even without any protection: {bare[1]}")
    assert twin[0] == "got", twin
    return attempt, permitted
