"""A service that answers, for tests that need no other."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher

from interlock.service.databases import name_database
from interlock.service.people import passwords
from interlock.service.signing import Signer
from interlock.service.store.sqlite import Database
from tests.postgres import LACKING, PostgresServer, find_programs, running
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore

DATABASES = ("sqlite", "postgres")
"""The databases that a service may have."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


@pytest.fixture
def home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home in whose state a module's ``folder`` lies, as the command line finds it."""
    monkeypatch.setenv("HOME", str(folder.parents[3]))
    return folder.parents[3]


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have passwords cost little: what they cost is one test's, and not each one's."""
    cheaper = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", cheaper)
    monkeypatch.setattr(passwords, "NOBODYS", cheaper.hash("nobody's"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a server of PostgreSQL's, the same one for all tests of a process."""
    if not find_programs():
        pytest.skip(LACKING)
    with running() as found:
        yield found


def name_empty(request: pytest.FixtureRequest, folder: Path) -> None:
    """Have a folder's service use an empty database of the kind that a fixture was asked for."""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        name_database(str(folder), server.url, server.name_tenant())


def open_empty(request: pytest.FixtureRequest, folder: Path) -> ServiceStore:
    """Return an empty database of the kind that a fixture was asked for."""
    if request.param == "sqlite":
        return Database(str(folder))
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_tenant()


@pytest.fixture(params=DATABASES)
def keeping(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServiceStore]:
    """Return an empty database, of each kind."""
    with closing(open_empty(request, tmp_path)) as found:
        yield found


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    """Return a service's key, the same one for all tests of a module."""
    return Signer(str(tmp_path_factory.mktemp("key")))
