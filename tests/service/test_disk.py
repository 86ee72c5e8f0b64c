"""A disk that is full, a database that something holds or that is none any more: each is one
sentence, nothing that was acknowledged is lost, and whoever can still be answered is.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.service.ingest.verify import verify
from interlock.service.people.signin import find_viewer
from interlock.service.secrets import later
from interlock.service.store import sqlite
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.sqlite import FILE, Database
from interlock.service.trouble import ServiceFailures
from interlock.sidecar.ship import Shipper
from tests.serving import Answered, Served, filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.service.store.rows import Visit


def no_room(service: Served, *, more: int) -> None:
    """Have the database's disk hold so many pages more than it holds now; as many as it likes
    where that is negative.
    """
    assert isinstance(service.scene.keeping, Database)
    writer = service.scene.keeping._writer
    pages = int(writer.execute("PRAGMA page_count").fetchone()[0])
    writer.execute(f"PRAGMA max_page_count={pages + more if more >= 0 else 2**30}")


def refused_for_room(service: Served, who: dict[str, str]) -> Answered:
    """Return how a form is answered once the pages that were begun are full, too."""
    headers = {**who, "Accept": "text/html"}
    for number in range(500):
        answer = service.ask("POST", "/people", headers, f"name=lena{number}")
        if answer.status != 200:
            break
    return answer


def visit_of(service: Served, headers: dict[str, str]) -> Visit:
    """Return the visit of a person's headers."""
    found = find_viewer(service.scene.keeping, headers["Cookie"].partition("=")[2])
    assert found is not None
    assert found.visit is not None
    return found.visit


def test_a_full_disk_loses_nothing_and_is_said_once(
    service: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A batch is answered 507, and a machine sends it again; pages go on; at the terminal one
    sentence says what to do.
    """
    store = filled(tmp_path / "home", 40)
    who = service.person("rita", "reader", "admin")
    where = service.enrolled(store)
    old = visit_of(service, who).replace(seen=later(-120))
    service.scene.keeping.write(lambda steps: steps.put_visit(old))
    no_room(service, more=0)
    with closing(Shipper(store, where)) as shipper:
        some = shipper.waiting()
        assert some is not None
        for _ in range(3):
            assert not shipper.send(some).done
        assert "the service's disk is full" in shipper.state.why
        assert str(tmp_path / "service") not in shipper.state.why
        assert service.ask("GET", "/machines", who).status == 200
        page = refused_for_room(service, who)
        assert (page.status, "disk is full" in page.text) == (507, True)
        said = capsys.readouterr().err
        assert said.count("database or disk is full; make room there") == 1
        assert "Traceback" not in said
        no_room(service, more=-1)
        shipped_all(shipper)
        assert (shipper.state.seq, shipper.state.failing) == (some.head, "")
    report = service.scene.keeping.read(verify)
    assert (report.events, report.problems) == (some.head, ())


def test_a_database_that_something_holds_is_said_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it is let go everything goes on."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    with served(tmp_path / "service") as service:
        who = service.person("rita", "reader", "admin")
        with closing(sqlite3.connect(tmp_path / "service" / FILE)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert service.ask("GET", "/machines", who).status == 200
            answer = service.ask("POST", "/people", who, "name=lena")
            assert (answer.status, answer.json["type"]) == (503, "store")
            assert str(tmp_path) not in answer.text
            assert "end the program that holds it" in capsys.readouterr().err
        assert service.ask("POST", "/people", who, "name=lena").status < 400


def _nonsense(path: Path) -> None:
    path.write_bytes(b"no database at all " * 500)


def _truncated(path: Path) -> None:
    os.truncate(path, 20_000)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (_nonsense, "put your backup"),
        (_truncated, "put your backup"),
        (_emptied, "is empty, and was not: put your backup"),
        (_folder, "cannot be opened"),
    ],
)
def test_a_file_that_is_no_database_is_not_taken_for_a_new_one(
    tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    """One sentence says what to do; a file that somebody removed is begun anew."""
    folder = tmp_path / "service"
    with served(folder):
        pass
    harm(folder / FILE)
    with pytest.raises(ServiceStoreError, match=words):
        Database(str(folder))
    harmed = folder / FILE
    harmed.rmdir() if harmed.is_dir() else harmed.unlink()
    Database(str(folder)).close()


def test_a_file_that_breaks_while_it_is_served_is_told_in_words(
    service: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """No page is half a page, and no answer is a trace."""
    who = service.person("rita", "reader")
    keeping = service.scene.keeping
    assert isinstance(keeping, Database)
    with keeping._turn, keeping._idle:  # the service's own tasks write, too
        keeping._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(keeping.path, "r+b") as file:
            file.write(b"\x55" * os.path.getsize(keeping.path))
        for connection in keeping._readers:
            connection.close()
        keeping._readers.clear()  # those that are opened from now on read what is there
    answer = service.ask("GET", "/machines", {**who, "Accept": "text/html"})
    assert (answer.status, "cannot use its database" in answer.text) == (503, True)
    said = capsys.readouterr().err
    assert "put your backup of it back" in said
    assert "Traceback" not in said


def test_a_sentence_is_said_once_and_again_much_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another sentence is said at once."""
    clock = [0.0]
    monkeypatch.setattr("interlock.service.trouble.monotonic", lambda: clock[0])
    trouble = ServiceFailures()
    for at, why in ((0.0, "a"), (1.0, "a"), (1.0, "b"), (899.0, "a"), (901.0, "a")):
        clock[0] = at
        trouble.say(why)
    assert [one[-1] for one in capsys.readouterr().err.splitlines()] == ["a", "b", "a"]
