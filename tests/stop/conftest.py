"""A session of real processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.stop.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(name="session")
def running() -> Iterator[Rehearsal]:
    """A small session: an agent, four stubborn children, two in a session of their own, two
    daemons.
    """
    session = Rehearsal({"PATH": os.defpath}, stubborn=4, apart=2)
    yield session
    session.end()
