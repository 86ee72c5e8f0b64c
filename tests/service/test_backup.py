"""A service is backed up while it runs, and goes on from its backup on another machine."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from interlock.cli.serve_start import back_up
from interlock.service.serving import ServingError
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.sqlite import Database
from interlock.service.tenants import folder_of
from interlock.sidecar.reading import ends
from tests.service.test_processes import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACE = ".local/state/interlock/service"


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    """Have everything end."""
    with ExitStack() as found:
        yield found


def test_a_service_goes_on_from_its_backup(tmp_path: Path, ending: ExitStack) -> None:
    """As the page on running it says: copied while it runs, put in the place of one that is gone,
    started. Its keys are the same, so machines go on sending; what came after the backup they send
    again, and all of it is intact.
    """
    node = Machine(tmp_path / "node", ending)
    process = node.served()
    token = node.interlock("serve", "--token").stdout.split()[-1]
    member = Machine(tmp_path / "member", ending)
    member.hook("ls")
    assert member.interlock("enrol", token, "--no-start").returncode == 0
    assert member.interlock("sidecar", "--drain").returncode == 0
    copy = tmp_path / "backup"
    done = node.interlock("serve", "--backup", str(copy))
    assert done.returncode == 0, done.stderr
    member.hook("ls -la")
    assert member.interlock("sidecar", "--drain").returncode == 0
    process.terminate()
    process.wait(60)
    shutil.rmtree(node.home / PLACE)
    shutil.copytree(copy, node.home / PLACE)
    node.served()
    member.hook("ls -l")
    assert member.interlock("sidecar", "--drain").returncode == 0
    report = node.interlock("serve", "--verify")
    assert report.returncode == 0, report.stdout
    with_all = Database(str(node.home / PLACE))
    try:
        [chain] = with_all.read(lambda known: known.chains())
        [branch] = with_all.read(lambda known: known.branches(chain.id))
        assert branch.seq == ends(member.store)[1]
    finally:
        with_all.close()


def test_tenants_and_keys_are_in_it_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """For their owner alone; a folder with something in it is refused."""
    here, there = tmp_path / "service", tmp_path / "backup"
    for place in (str(here), folder_of(str(here), "corp")):
        Database(place).close()
        for name in ("receipts.key", "people.key", "oidc.json", "serve.lock"):
            with open(f"{place}/{name}", "w", encoding="ascii") as file:
                file.write(name)
    assert back_up(str(here), str(there)) == 0
    for folder in (there, there / "tenants/corp"):
        assert {*os.listdir(folder)} - {"tenants"} == {
            "service.db", "receipts.key", "people.key", "oidc.json",
        }  # fmt: skip
        assert os.stat(folder / "service.db").st_mode & 0o077 == 0
    with pytest.raises(ServiceStoreError, match="not empty"):
        back_up(str(here), str(there))
    with pytest.raises(ServingError, match="no service has run here"):
        back_up(str(tmp_path / "none"), str(tmp_path / "new"))
