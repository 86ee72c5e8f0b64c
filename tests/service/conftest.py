"""A service that answers, for tests that need no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher

from interlock.service.people import passwords
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have passwords cost little: what they cost is one test's, and not each one's."""
    cheaper = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", cheaper)
    monkeypatch.setattr(passwords, "NOBODYS", cheaper.hash("nobody's"))
