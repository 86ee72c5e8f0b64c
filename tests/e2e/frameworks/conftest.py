"""A bench for each test; frameworks warn of their own dependencies, which is not this project's to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.frameworks.shared import Bench

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Set one up."""
    return Bench(tmp_path)
