"""What vanishes at the service itself is found: a record, the end of a chain, a whole chain."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.service.ingest import roots
from interlock.service.ingest.verify import verify
from interlock.service.store.commands import StoreCommands
from interlock.sidecar.ship import Shipper
from interlock.store.chain import GENESIS, digest
from tests.service.conftest import DATABASES, name_empty
from tests.serving import filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore, ServiceWriter

SOON = "2100-01-01T00:00:00.000Z"


@pytest.fixture(params=DATABASES)
def keeping(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServiceStore]:
    """Return a database with two machines' chains and a root over both."""
    name_empty(request, tmp_path / "service")
    with served(tmp_path / "service") as service:
        for name in ("one", "two"):
            store = filled(tmp_path / name, 4)
            where = service.enrolled(store, name)
            with closing(Shipper(store, where)) as shipper:
                shipped_all(shipper)
        assert service.scene.keeping.write(lambda steps: roots.take(steps, SOON)) is not None
        yield service.scene.keeping


def change(keeping: ServiceStore, statement: str, *values: str) -> None:
    """Change what is kept, past all operations."""

    def work(steps: ServiceWriter) -> None:
        assert isinstance(steps, StoreCommands)
        steps._did(statement, *values)

    keeping.write(work)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM chain_event WHERE seq = 4", "records 4 to 4 are missing"),
        ("DELETE FROM chain_event WHERE seq > 5", "are missing at the end"),
        ("UPDATE chain_event SET body = '{}' WHERE seq = 3", "record 3 ("),
        ("UPDATE chain_event SET row = replace(row, 'ls', 'rm') WHERE kind = 'decision'", "the judgement of record"),
        ("UPDATE root SET heads = '[]'", "does not follow from the one before"),
    ],
)  # fmt: skip
def test_what_is_changed_here_is_found(keeping: ServiceStore, statement: str, words: str) -> None:
    """By its place; before that there is nothing to find."""
    assert keeping.read(verify).problems == ()
    change(keeping, statement)
    assert any(words in one for one in keeping.read(verify).problems)


def test_a_whole_chain_that_vanished_is_found(keeping: ServiceStore) -> None:
    """Its last event was in a root, and is not here any more."""
    name = keeping.read(lambda known: known.chains())[0].id
    for table, column in (("chain", "id"), ("branch", "chain"), ("chain_event", "chain")):
        change(keeping, f"DELETE FROM {table} WHERE {column} = ?", name)  # noqa: S608 - our own words
    found = keeping.read(verify)
    assert found.chains == 1
    assert [name in one for one in found.problems] == [True]


def test_a_root_is_taken_where_something_moved(keeping: ServiceStore) -> None:
    """Not twice of the same state, and not of a minute that still goes on."""
    assert keeping.write(lambda steps: roots.take(steps, SOON)) is None
    assert len(keeping.read(lambda known: known.roots())) == 1


def test_a_root_outside_shows_what_was_worked_out_anew(keeping: ServiceStore) -> None:
    """Whoever can write the service may work out all of it anew; the root that was anchored is
    another one then. One that is as it was has nothing to tell, and neither has a text without.
    """
    root = keeping.read(lambda known: known.last_root())
    assert root is not None
    kept = ["# notes", roots.line(root)]
    assert keeping.read(lambda known: verify(known, kept)).problems == ()
    assert keeping.read(lambda known: verify(known, ["# notes"])).problems == ()
    anew = digest((GENESIS, root.minute, "[]"))
    change(keeping, "UPDATE root SET heads = '[]', hash = ?", anew)
    assert keeping.read(verify).problems == ()
    [said] = keeping.read(lambda known: verify(known, kept)).problems
    assert "is not the one that was anchored" in said
    change(keeping, "DELETE FROM root")
    [said] = keeping.read(lambda known: verify(known, kept)).problems
    assert "is not here any more" in said
    [said] = keeping.read(lambda known: verify(known, ["interlock-root {"])).problems
    assert "cannot be read" in said
