"""A fleet whose service is killed while it works: ``bench/service_fleet.py`` in small, and the proof
that its check sees what is missing, what is twice and what is another.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from bench.service_fleet import SoakFleet, SoakPlan
from interlock.service.store.sqlite import SqliteCommands
from interlock.store.elsewhere import load_enrolment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e
PLAN = SoakPlan(machines=2, rounds=2, calls=16, hooks=8)
_ONE = "FROM chain_event WHERE seq = 3 AND chain = ?"
_BRANCH = 'INSERT INTO branch SELECT chain, 1, 0, "left", base, seq, hash, kind, since, grown'
_EVENT = "seq, key, at, kind, session, subject, body, hash, row"
SPOILT: dict[str, tuple[tuple[str, ...], str]] = {
    "lost": ((f"DELETE {_ONE}",), "records of"),
    "twice": (
        (
            f"{_BRANCH} FROM branch WHERE chain = ?",
            f"INSERT INTO chain_event SELECT id + 100000, chain, 1, {_EVENT} {_ONE}",
        ),
        "records of",
    ),
    "another": (
        ("UPDATE chain_event SET hash = hash || 'x' WHERE seq = 3 AND chain = ?",),
        "another one than on its machine",
    ),
}
"""What is done to the service's file, and what is said of it."""


def test_nothing_is_lost_or_twice_in_a_fleet_whose_service_is_killed(tmp_path: Path) -> None:
    """Two machines, a kill in the middle of each round; then each kind of damage is told."""
    with ExitStack() as ending:
        fleet = SoakFleet(tmp_path, PLAN, ending)
        for _ in range(PLAN.rounds):
            fleet.round()
        found = fleet.report()
        assert found.wrong == ()
        assert found.events > PLAN.rounds * PLAN.calls
        chain = load_enrolment(fleet.machines[0].store.folder)
        assert chain is not None
        for name, (statements, said) in SPOILT.items():
            with closing(sqlite3.connect(f"{fleet.node.store.folder}/service/service.db")) as file:
                for statement in statements:
                    assert file.execute(statement, (chain.chain,)).rowcount == 1, name
                assert said in str([*fleet.compare(SqliteCommands(file))]), name
                file.rollback()
        assert fleet.report().wrong == ()
