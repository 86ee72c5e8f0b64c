"""No way to take the guard away is silent, and the ordinary use of each of their programs is
(``tests/ways_out.txt``).
"""

from __future__ import annotations

import pytest

from tests.guard.test_guarded_trees import Place
from tests.ways_out import PREPARED, Way, ways

GROUPS = {
    "files", "git", "patches and archives", "editors and filters", "languages", "package managers", "interlock's own commands", "environment",
    "processes", "database", "sockets", "clocks and disks", "other agents", "other users and later",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a home with the guard's files in it, and a project; nothing is run there."""
    place = Place(tmp_path_factory.mktemp("ways"))
    (place.home / ".local/state/interlock").mkdir(parents=True)
    (place.home / ".local/state/interlock/interlock.db").write_text("x", encoding="utf-8")
    (place.project / ".interlock").mkdir()
    (place.project / ".interlock/policy.yaml").write_text("version: 1\n", encoding="utf-8")
    place.run(PREPARED)
    return place


def test_every_kind_of_way_has_its_rows() -> None:
    """At least 120, each with its twin, none twice."""
    found = ways()
    assert {way.group for way in found} == GROUPS
    assert len({way.command for way in found}) == len(found) >= 120
    assert all(way.twin and way.answer in ("ask", "deny") for way in found)


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.command)
def test_a_way_is_answered_as_the_table_says(place: Place, way: Way) -> None:
    """Denied where that is certain, asked about otherwise."""
    assert str(place.judged(way.command).verdict) == way.answer


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.twin)
def test_an_ordinary_use_is_not_spoken_of(place: Place, way: Way) -> None:
    """No question, and no warning either."""
    decision = place.judged(way.twin)
    assert (str(decision.verdict), [finding.rule for finding in decision.findings]) == ("allow", [])
