"""A service that publishes a team's policy, and a machine that has one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.store.database import Store
from tests.policies import Publisher, forget, in_place, machine, policy
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.sidecar.policy import FleetPolicy


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers; each test begins a repository of its own."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def publisher(service: Served) -> Publisher:
    """Return who publishes at it, in a repository without a policy."""
    forget(service)
    return Publisher(service)


@pytest.fixture
def kept(service: Served, publisher: Publisher, tmp_path: Path) -> FleetPolicy:
    """Return a machine that has bundle 1."""
    publisher.publish(policy(1))
    found = machine(service, Store(str(tmp_path / "state")), tmp_path / "place")
    found.step()
    assert in_place(found) == policy(1)
    return found
