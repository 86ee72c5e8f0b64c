"""A service that answers, for tests that need no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found
