"""Organisations in one process are apart: whatever one of them asks for by another's names, or with
another's credentials, is as if it were not there; and so are machines and people of one service.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.service.console import stream as live
from interlock.service.machines import stream as down
from interlock.service.roles import ANYONE, MACHINE
from interlock.service.routes import ROWS
from interlock.service.routing import Row
from interlock.service.store.sqlite import Database
from interlock.service.tenants import TenantError, address, folder_of, tenants
from interlock.sidecar.reading import portion
from interlock.store.chain import GENESIS
from interlock.wire.batch import pack_lines
from interlock.wire.token import read
from tests.furnished import ALL, Furnished, waiting
from tests.serving import Served, served_apart

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMED = [row for row in ROWS if "{" in row.path]
ENDLESS = (live.stream, down.stream)


class Two:
    """Two tenants: one with everything, of which the other asks."""

    def __init__(self, one: Served, other: Served, top: Path) -> None:
        self.one, self.other = one, other
        here, request = waiting(top / "one")
        self.store = here.store
        Furnished(one, here, request)  # so that numbers here are no numbers there
        self.names = Furnished(one, here, request)
        self.there = Furnished(other, *waiting(top / "other"), "cleo")

    def headers(self, row: Row, *, foreign: bool) -> dict[str, str]:
        """Return those of somebody who may everything in the tenant that is asked, or in the
        other.
        """
        of = self.one if foreign else self.other
        if row.permission.who == MACHINE:
            return {"Authorization": f"Bearer {of.enrolled(self.store).credential}"}
        return {**of.person("maker", *ALL), "Origin": self.other.url}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Return them."""
    top = tmp_path_factory.mktemp("tenants")
    with served_apart(top / "service", "corp", "shop") as [_, one, other]:
        yield Two(one, other, top)


WORDS = {"stops": '{"done":true}', "requests": '{"state":"refused","chain":"CHAIN","holder":"h"}'}
"""What is sent where a machine sends something."""


def changing(service: Served) -> list[str]:
    """Return all that a service keeps but for when machines were last heard of."""
    return [one for one in everything(service) if not one.startswith('INSERT INTO "machine" ')]


def everything(service: Served) -> list[str]:
    """Return all that a service keeps."""
    assert isinstance(service.scene.keeping, Database)
    return list(service.scene.keeping._writer.iterdump())


@pytest.mark.parametrize("row", NAMED, ids=lambda row: f"{row.method} {row.path}")
def test_a_foreign_name_is_as_one_that_nobody_has(two: Two, row: Row) -> None:
    """Every route that takes a name, with those of another tenant: nothing of it is shown, and
    nothing of it changes.
    """
    before = everything(two.one)
    headers = two.headers(row, foreign=False)
    answer = two.other.ask(row.method, two.names.path(row), headers)
    nobodys = two.other.ask(row.method, no_name(row), two.headers(row, foreign=False))
    assert answer.status == nobodys.status, answer.text
    if row.path != "/static/{name}":  # the console's own files are everybody's
        assert answer.status != 200
    assert everything(two.one) == before


def no_name(row: Row) -> str:
    """Return a route's path with names of the right form that nobody has."""
    known = {"people": "nobody", "static": "console.css"}
    parts = row.path.split("/")
    return "/".join(
        known.get(parts[1], "7777" if part == "{epoch}" else "none") if "{" in part else part
        for part in parts
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_a_foreign_credential_is_none(two: Two, row: Row) -> None:
    """Every route, with the credential of somebody who may everything elsewhere: who asks is as
    unknown as if they showed nothing; with that of the tenant itself they are known.
    """
    if row.permission.who == ANYONE:
        return
    path = two.there.path(row)
    assert status(two.other, row, path, two.headers(row, foreign=True)) in (401, 303)
    assert status(two.other, row, path, {}) in (401, 303)
    assert status(two.other, row, path, two.headers(row, foreign=False)) != 401


def status(service: Served, row: Row, path: str, headers: dict[str, str]) -> int:
    """Return a route's status; a stream has no end, so nothing more is read."""
    port = int(service.where.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(row.method, path, headers={"Host": service.where, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


OWN = [row for row in NAMED if row.permission.who == MACHINE]


@pytest.mark.parametrize("row", OWN, ids=lambda row: f"{row.method} {row.path}")
def test_a_machine_has_its_own_names_alone(two: Two, row: Row) -> None:
    """Of one service, too: another machine's chain, request or stop is none."""
    mine = two.one.enrolled(two.store, "mine")
    headers = {"Authorization": f"Bearer {mine.credential}", "From": "1", "Previous": GENESIS}
    some = portion(two.store, 0)
    assert some is not None
    words = WORDS.get(row.path.split("/")[2], "").replace("CHAIN", mine.chain)
    body = words.encode() or pack_lines(some.lines)
    before = changing(two.one)
    assert two.one.ask(row.method, two.names.path(row), headers, body).status in (404, 409)
    assert changing(two.one) == before


def test_one_process_serves_them_by_name(tmp_path: Path) -> None:
    """A tenant that was named once is served from then on; its machines are enrolled at its own
    address, and the service's own name leads to no tenant.
    """
    with served_apart(tmp_path / "service", "corp") as [first, corp]:
        assert corp.url.startswith("http://corp.localhost:")
        token = corp.enrolled(waiting(tmp_path)[0].store)
        assert token.url == corp.url
        seen = [
            len(one.scene.keeping.read(lambda known: known.machines())) for one in (first, corp)
        ]
        assert seen == [0, 1]
        assert corp.ask("GET", "/v1/health", {"Host": f"x{corp.where}"}).status == 421
        assert first.scene.signer.public != corp.scene.signer.public
    assert tenants(str(tmp_path / "service")) == ["corp"]


@pytest.mark.parametrize("name", ["", "..", "a/b", "-a", "A", "a.b", "x" * 33])
def test_what_is_no_name_is_no_tenant(name: str) -> None:
    """A name is a folder and a part of an address; one that is neither is refused."""
    with pytest.raises(TenantError, match="no tenant's name"):
        folder_of("/srv", name)
    assert folder_of("/srv", "corp-2") == "/srv/tenants/corp-2"


def test_a_tenant_is_called_by_a_name() -> None:
    """In front of the service's own; a number has none, but for this machine's."""
    assert address("https://interlock.example.com", "corp") == "https://corp.interlock.example.com"
    assert address("http://127.0.0.1:80", "corp") == "http://corp.localhost:80"
    assert address("http://[::1]:80", "corp") == "http://corp.localhost:80"
    with pytest.raises(TenantError, match="--url https://NAME"):
        address("https://10.0.0.5:8443", "corp")


def test_a_tenant_is_served_from_the_command_line(tmp_path: Path) -> None:
    """Named once, it is served each time; its tokens lead to its own address. One that was never
    named has none.
    """
    home = {**os.environ, "HOME": str(tmp_path)}

    def said(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "interlock", "serve", *words]
        return subprocess.run(command, env=home, capture_output=True, text=True, timeout=60)  # noqa: PLW1510

    for words in (["--tenant", "corp"], []):
        process = subprocess.Popen(
            [sys.executable, "-m", "interlock", "serve", *words],
            env=home, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        lines = [next(process.stdout) for _ in range(4)]
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()
        [found] = [one.split() for one in lines if one.startswith("tenant ")]
        assert found[1] == "corp:"
        assert found[2].startswith("http://corp.localhost:")
    token = said("--token", "--tenant", "corp").stdout.split()[-1]
    assert read(token).url == found[2]
    nobodys = said("--token", "--tenant", "shop")
    assert nobodys.returncode == 1
    assert "no service has run here yet" in nobodys.stderr
