"""Past days lie in files, too: each event once, as it is kept, and found as in the database."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

from interlock.service.archive.archive import ParquetArchive
from interlock.service.archive.files import ArchiveFile, find_gap, list_joined
from interlock.service.archive.opening import open_archive
from interlock.service.history.everywhere import FleetHistory
from interlock.service.history.query_words import query
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.rows import Machine
from interlock.service.store.sqlite import Database
from interlock.sidecar.ship import Shipper
from interlock.wire.batch import BatchLine
from tests.disks import full_disk
from tests.service.conftest import DATABASES, name_empty
from tests.serving import filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore
    from interlock.service.store.rows import EventRow

LATER = "2100-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the machine and of its service."""
    return tmp_path_factory.mktemp("archived")


@pytest.fixture(scope="module", params=DATABASES)
def kept(request: pytest.FixtureRequest, folder: Path) -> Iterator[ServiceStore]:
    """Return a database with a machine's calls, which nobody changes."""
    name_empty(request, folder / f"service-{request.param}")
    with served(folder / f"service-{request.param}") as service:
        store = filled(folder / f"one-{request.param}", 6)
        with closing(Shipper(store, service.enrolled(store, "one"))) as shipper:
            shipped_all(shipper)
        yield service.scene.keeping


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[ParquetArchive]:
    """Return an empty archive."""
    with closing(ParquetArchive(str(tmp_path))) as found:
        yield found


def all_of(kept: ServiceStore) -> list[EventRow]:
    """Return all events up to the last decision."""
    last = kept.read(lambda known: known.last_judged(LATER))
    return kept.read(lambda known: known.arrivals(0, last, 1000))


def numbers(archive: ParquetArchive) -> list[int]:
    """Return the numbers of the events in all files, by their order there."""
    tables = [parquet.read_table(one.path) for one in archive.files()]
    return [number for table in tables for number in table["id"].to_pylist()]


def test_past_days_are_written_once_and_as_they_are_kept(
    kept: ServiceStore, archive: ParquetArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In several files here; what was decided today waits, and nothing is written a second time."""
    monkeypatch.setattr("interlock.service.archive.archive.MOST", 4)
    events = all_of(kept)
    assert archive.add_past_days(kept, "2020-01-01T00:00:00.000Z") == 0
    assert archive.add_past_days(kept, LATER) == len(events) > 8
    assert archive.add_past_days(kept, LATER) == 0
    assert len(archive.files()) > 2
    assert numbers(archive) == [one.id for one in events]
    rows = [row for one in archive.files() for row in parquet.read_table(one.path).to_pylist()]
    names = ["seq", "key", "at", "kind", "session", "subject", "body"]
    for event, row in zip(events, rows, strict=True):
        line = BatchLine(tuple([row[name] for name in names]), row["hash"])
        assert (line.fields, line.hash) == (event.fields, event.hash)


ASKED = (
    "verdict:deny",
    "verdict:allow ls",
    "LS",
    "rule:*",
    "tool:Bash folder:*",
    "nothing-of-this",
    "100%",
    'session:s* "ls"',
)


def test_the_same_is_found_with_files_and_without(
    kept: ServiceStore, archive: ParquetArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same order, page by page, where a part is in files and a part came after."""
    monkeypatch.setattr("interlock.service.archive.archive.MOST", 5)
    monkeypatch.setattr(
        "interlock.service.archive.archive.find_gap",
        lambda files, through: find_gap(files, min(through, 9)),
    )
    archive.add_past_days(kept, LATER)
    without, with_files = FleetHistory(kept, None), FleetHistory(kept, None, archive)
    assert archive.files()[-1].through == 9 < all_of(kept)[-1].id
    for asked in map(query, ASKED):
        assert without.decisions(asked) == with_files.decisions(asked)
        before = ("", "")
        for _ in range(4):
            page = asked.replace(wanted=asked.wanted.replace(most=2, before=before))
            found = with_files.decisions(page)
            assert found == without.decisions(page)
            before = (found[-1].at, found[-1].name) if found else before


def test_calls_are_found_in_files(kept: ServiceStore, archive: ParquetArchive) -> None:
    """So the law above is not one about nothing."""
    archive.add_past_days(kept, LATER)
    through, found = archive.find(query("ls").wanted)
    assert through == all_of(kept)[-1].id
    assert len(found) > 0
    assert archive.find(query("nothing-of-this").wanted)[1] == []


KILLED = """
import os, signal, sys
from interlock.service.archive import archive, writing
from interlock.service.databases import open_store
where, step, folder = sys.argv[1:]
def end(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
if step == "written":
    writing._read_back = end
elif step == "before":
    os.replace = end
else:
    put = os.replace
    os.replace = lambda *names: (put(*names), end())
archive.MOST = 4
archive.ParquetArchive(folder).add_past_days(open_store(where), "2100-01-01T00:00:00.000Z")
"""


LONG = pytest.mark.long


@pytest.mark.parametrize(
    "step", ["before", *[pytest.param(one, marks=LONG) for one in ("written", "after")]]
)
@pytest.mark.parametrize("kept", ["sqlite"], indirect=True)
def test_a_kill_loses_nothing_and_doubles_nothing(
    kept: ServiceStore, archive: ParquetArchive, folder: Path, tmp_path: Path, step: str
) -> None:
    """Before a file is read back, before it is put in its place, and right after that."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder / "service-sqlite"), step, str(tmp_path)],
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL
    assert len(archive.files()) == (1 if step == "after" else 0)
    archive.add_past_days(kept, LATER)
    assert numbers(archive) == [one.id for one in all_of(kept)]
    assert not [name for name in os.listdir(archive.folder) if name.endswith(".part")]


@pytest.mark.parametrize("kept", ["sqlite"], indirect=True)
@pytest.mark.parametrize("room", [0, 2000])
def test_a_full_disk_is_said_and_nothing_of_the_file_stays(
    kept: ServiceStore, archive: ParquetArchive, room: int
) -> None:
    """What was written of it would keep the disk full, which is the database's, too; with room the
    file is written.
    """
    with full_disk(room), pytest.raises(ServiceStoreError, match="File too large"):
        archive.add_past_days(kept, LATER)
    assert os.listdir(archive.folder) == []
    assert archive.add_past_days(kept, LATER) == len(all_of(kept))


@pytest.mark.parametrize("kept", ["sqlite"], indirect=True)
def test_a_file_that_is_missing_is_written_again(
    kept: ServiceStore, archive: ParquetArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies behind it counts again once it is there; until then the database is asked."""
    monkeypatch.setattr("interlock.service.archive.archive.MOST", 4)
    archive.add_past_days(kept, LATER)
    whole, files = numbers(archive), archive.files()
    os.unlink(files[1].path)
    assert archive.files() == files[:1]
    assert archive.find(query("ls").wanted)[0] == files[0].through
    archive.add_past_days(kept, LATER)
    assert (numbers(archive), archive.files()) == (whole, files)


def test_what_is_missing_is_found_by_names() -> None:
    """A gap ends where the next file begins, so that none is written over another."""
    one, two, four = [ArchiveFile(*ends, "") for ends in ((0, 5), (5, 9), (12, 20))]
    assert find_gap([], 0) is None
    assert find_gap([], 7) == (0, 7)
    assert find_gap([one, two, four], 20) == (9, 12)
    assert find_gap([one, two], 9) is None
    assert find_gap([one, two], 30) == (9, 30)
    assert list_joined([one, two, four]) == [one, two]
    assert list_joined([four]) == []


@pytest.mark.parametrize("kept", ["sqlite"], indirect=True)
def test_a_damaged_file_is_said(kept: ServiceStore, archive: ParquetArchive) -> None:
    """In one sentence, with its path and what mends it; nothing is found in half."""
    archive.add_past_days(kept, LATER)
    path = archive.files()[0].path
    with open(path, "r+b") as file:
        file.truncate(100)
    with pytest.raises(ServiceStoreError, match="a damaged file that is moved away") as error:
        archive.find(query("ls").wanted)
    assert path in str(error.value)
    os.rename(path, path + ".damaged")
    archive.add_past_days(kept, LATER)
    assert archive.find(query("ls").wanted)[1]


def test_files_of_another_database_are_said(
    kept: ServiceStore, archive: ParquetArchive, tmp_path: Path
) -> None:
    """A backup was put back below them: nothing of theirs is shown as if it were here."""
    archive.add_past_days(kept, LATER)
    with closing(Database(str(tmp_path / "other"))) as other:
        other.write(lambda steps: steps.add_machine(Machine("m", "one", "linux", "0", "h", "")))
        for chain in kept.read(lambda known: known.chains()):
            other.write(lambda steps, one=chain: steps.add_chain(one.replace(machine="m")))  # type: ignore[misc]
        with pytest.raises(ServiceStoreError, match="is of another database: move it away"):
            FleetHistory(other, None, archive).decisions(query("ls"))
        assert FleetHistory(other, None, archive).decisions(query("")) == []


def test_a_service_has_one_where_it_can(tmp_path: Path) -> None:
    """In its own folder, empty on its first day."""
    with served(tmp_path) as service:
        assert service.scene.archive is not None
        assert service.scene.archive.folder == f"{tmp_path}/archive"
        assert service.scene.archive.add_past_days(service.scene.keeping, LATER) == 0
        assert service.ask("GET", "/search?q=ls", service.signed_in()).status == 200


def test_without_what_it_needs_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service without the extra answers out of its database alone."""
    with closing(open_archive(str(tmp_path))) as found:  # type: ignore[type-var]
        assert found is not None
    monkeypatch.setitem(sys.modules, "interlock.service.archive.archive", None)
    assert open_archive(str(tmp_path)) is None
