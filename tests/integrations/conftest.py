"""A session of a program, with a guard and a store of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock import Guard, Session
from interlock.audit.log import Audit
from interlock.facts import Live
from interlock.ledger.sessions import Ledger
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.integrations.guarding import workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Open a store of this test's own."""
    return Store(str(tmp_path / "state"))


@pytest.fixture
def session(store: Store, tmp_path: Path) -> Session:
    """Open a session where nobody can be asked."""
    return Session(
        Guard(builtin(), facts=Live(), audit=Audit(store), ledger=Ledger(store)),
        id="s1",
        cwd=str(workspace(tmp_path)),
    )
