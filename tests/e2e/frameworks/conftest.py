"""A bench for each test, and an event loop for frameworks that look for one without awaiting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.e2e.frameworks.shared import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Set one up."""
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def event_loop_of_its_own() -> Iterator[None]:
    """Lend a loop: a framework's synchronous call makes one otherwise, and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
