"""What each page asks of a record does not grow with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.service.history.everywhere import FleetHistory
from interlock.service.store.sqlite import Database
from interlock.wire.batch import KEPT, BatchLine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEPS = 100
"""Of SQLite's machine, between two counts."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database."""
    found = Database(str(tmp_path / "service"))
    yield found
    found.close()


def grown(database: Database, first: int, count: int) -> None:
    """Add so many decisions, each with its end."""
    row = ("",) * len(KEPT)
    lines = []
    for number in range(first, first + count):
        for turn, kind, kept in ((0, "decision", row), (1, "outcome", ("ran", "", 1))):
            fields = (2 * number + turn, f"k{number}-{turn}", "2026", kind, "s", f"d{number}", "{}")
            lines.append(BatchLine(fields, "h", kept))
    database.write(lambda steps: steps.add_events("c", 0, lines))


def cost(database: Database) -> int:
    """Return how much work it is to find where the record ends."""
    counted = []
    database.read(lambda known: known.machine_count())  # so that there is a connection
    for connection in database._readers:
        connection.set_progress_handler(lambda: counted.append(1), STEPS)
    assert FleetHistory(database, None).end()[1] > 0
    for connection in database._readers:
        connection.set_progress_handler(None, STEPS)
    return len(counted)


def test_where_a_record_ends_costs_the_same_however_long_it_is(database: Database) -> None:
    """Live asks it each time that it is opened."""
    grown(database, 0, 50)
    before = cost(database)
    grown(database, 50, 2000)
    assert cost(database) <= before + 2
    assert FleetHistory(database, None).end() == (0, 4100)
