"""Every event of the audit holds the hash of the one before it, in the transaction of what it tells
of; a write done twice is one event.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.store import chain
from interlock.store.database import Store
from interlock.store.place import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.store.protocol import Connection

EVENT = chain.event("grant", "g-1", {"count": 3, "target": "/w"}, "s")


def events(store: Store) -> list[tuple[object, ...]]:
    """Return all events, oldest first."""
    return store.query(
        "SELECT seq, key, at, kind, session, subject, body, hash FROM audit_event ORDER BY seq"
    )


def linked(store: Store) -> bool:
    """Tell whether every event's hash follows from the one before it, and the head is the last."""
    previous, seq = chain.GENESIS, 0
    for found in events(store):
        if found[0] != seq + 1 or found[-1] != chain.link(previous, found[:-1]):  # type: ignore[arg-type]
            return False
        seq, previous = seq + 1, str(found[-1])
    return store.query("SELECT seq FROM sqlite_sequence WHERE name = 'audit_event'") == [(seq,)]


def test_events_are_linked(tmp_path: Path) -> None:
    """Events by commit, by a step and out of the spool make one chain without gaps, which begins
    with the store itself.
    """
    store = Store(str(tmp_path))
    store.commit([EVENT])
    store.transact(lambda connection: chain.extend(connection, "spent", "g-1", {"left": 2}, "s"))
    store.spool([chain.event("limit", "tokens", {"from": 1, "to": 2})])
    store.commit([])
    assert [found[3] for found in events(store)] == ["store", "grant", "spent", "limit"]
    assert json.loads(str(events(store)[1][6])) == {"count": 3, "target": "/w"}
    assert linked(store)


def test_a_write_done_twice_is_one_event(tmp_path: Path) -> None:
    """A spool that is taken in again after a crash adds nothing; another event with the same words
    is another event.
    """
    store = Store(str(tmp_path))
    store.commit([EVENT])
    store.spool([EVENT])
    store.commit([EVENT])
    assert len(events(store)) == 2
    store.commit([chain.event("grant", "g-1", {"count": 3, "target": "/w"}, "s")])
    assert len(events(store)) == 3
    assert linked(store)


def test_a_step_that_fails_leaves_no_event(tmp_path: Path) -> None:
    """An event stands or falls with the transaction it tells of."""
    store = Store(str(tmp_path))

    def fails(connection: Connection) -> None:
        chain.extend(connection, "spent", "g-1", {})
        raise ValueError("no")

    with pytest.raises(StoreError):
        store.transact(fails)
    with pytest.raises(StoreError):
        store.commit([EVENT, ("label", ("too", "few"))])
    assert len(events(store)) == 1
    assert linked(store)


@pytest.mark.parametrize(
    "pair",
    [
        (("a", "bc"), ("ab", "c")),
        ((None,), ("-",)),
        (("",), ("", "")),
        (("1:a",), ("a",)),
        ((1, 2), (12,)),
    ],
)
def test_no_two_rows_read_the_same(pair: tuple[tuple[object, ...], tuple[object, ...]]) -> None:
    """Values cannot flow into each other: another cut is another digest."""
    assert chain.digest(pair[0]) != chain.digest(pair[1])


def test_a_view_sees_one_state(tmp_path: Path) -> None:
    """Several questions of a view see the same state while another connection writes, and the
    writer does not wait.
    """
    store, other = Store(str(tmp_path)), Store(str(tmp_path))
    store.commit([EVENT])

    def twice(connection: Connection) -> tuple[int, int]:
        before = len(connection.execute("SELECT * FROM audit_event").fetchall())
        other.commit([chain.event("grant", "g-2", {})])
        return before, len(connection.execute("SELECT * FROM audit_event").fetchall())

    assert store.view(twice) == (2, 2)
    assert len(events(store)) == 3
    with closing(sqlite3.connect(store.path)) as plain, plain:
        assert plain.execute("SELECT max(seq) FROM audit_event").fetchone() == (3,)
    plain.close()
