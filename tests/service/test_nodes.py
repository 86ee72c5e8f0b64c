"""Nodes of one database: side by side they are one service, and what kills one of them, or the
database, loses nothing that was acknowledged.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from threading import Event
from typing import TYPE_CHECKING

import psycopg
import pytest

from interlock.cli.main import main
from interlock.cli.serve_start import back_up
from interlock.service.databases import FILE, name_database, open_store
from interlock.service.ingest.position import Batch
from interlock.service.ingest.verify import verify
from interlock.service.store.postgres_sql import FEW, PostgresSession
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.rows import StopRow
from interlock.service.store.sqlite import Database
from interlock.service.tenants import folder_of
from interlock.stop.flags import read_flags
from interlock.store.chain import FIELDS, GENESIS
from interlock.wire.batch import BatchLine, pack_lines
from tests.service.test_contract import run_of
from tests.service.test_laws import CHAIN, take
from tests.service.test_processes import Machine
from tests.service.test_stops import bearer, pressed
from tests.serving import filled, listening, served, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from interlock.store.elsewhere import EnrolmentState
    from interlock.store.protocol import Cursor
    from interlock.store.schema import Value
    from tests.postgres import PostgresServer
    from tests.serving import Answered, Served

AT = "2026-01-31T10:00:00.000Z"
PLACE = ".local/state/interlock/service"
BATCH = 20


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    """End what a test started."""
    with ExitStack() as stack:
        yield stack


def add_node(folder: Path, url: str, like: Path | None = None) -> Path:
    """Make the folder of a node, with the keys of another one."""
    name_database(str(folder), url, "")
    for key in like.glob("*.key") if like is not None else ():
        shutil.copy2(key, folder)
    return folder


def begin_two(postgres: PostgresServer, folder: Path, ending: ExitStack) -> list[Served]:
    """Serve one new database at two nodes."""
    url = postgres.create_database()
    one = ending.enter_context(served(add_node(folder / "one", url)))
    two = ending.enter_context(served(add_node(folder / "two", url, folder / "one")))
    return [one, two]


def name_of(url: str) -> str:
    """Return the name of a database by its address."""
    return url.partition("?")[0].rpartition("/")[2]


def send(node: Served, where: EnrolmentState, lines: list[BatchLine], previous: str) -> Answered:
    """Send a batch to a node."""
    said = [json.dumps(dict(zip(FIELDS, (*one.fields, one.hash), strict=True))) for one in lines]
    headers = {**bearer(where), "From": str(lines[0].seq), "Previous": previous}
    body = pack_lines([f"{one}\n" for one in said])
    return node.ask("POST", f"/v1/chains/{where.chain}/events", headers, body)


def test_a_chain_whose_batches_go_to_two_nodes_is_one(
    postgres: PostgresServer, tmp_path: Path, ending: ExitStack
) -> None:
    """Each batch behind the one that the other node has taken; one that comes to both is there
    once; either node says the same of it, and finds it intact.
    """
    nodes = begin_two(postgres, tmp_path, ending)
    where = nodes[0].enrolled(filled(tmp_path / "home", 0))
    previous = GENESIS
    for number in range(6):
        lines = run_of(BATCH, previous, number * BATCH + 1)
        for node in (nodes[number % 2], nodes[0]):
            answer = send(node, where, lines, previous)
            assert (answer.status, answer.json["acked"]) == (200, lines[-1].seq)
        previous = lines[-1].hash
    for node in nodes:
        keeping = node.scene.keeping
        report = keeping.read(verify)
        assert (report.events, report.problems, report.known) == (6 * BATCH, (), ())
        [branch] = keeping.read(lambda known: known.branches(where.chain))
        assert (branch.seq, branch.hash) == (6 * BATCH, previous)


@pytest.mark.parametrize("hinted", [True, False])
def test_a_stop_at_one_node_reaches_what_listens_at_another(
    postgres: PostgresServer, tmp_path: Path, ending: ExitStack, *, hinted: bool
) -> None:
    """And its resumption, and what the machine says of both; also where no hint comes."""
    one, two = begin_two(postgres, tmp_path, ending)
    if not hinted:
        url = json.loads((tmp_path / "one" / FILE).read_text())["url"]
        with psycopg.connect(url) as owner:
            owner.execute("ALTER TABLE interlock.stop DISABLE TRIGGER hint")
    store = filled(tmp_path / "home", 1)
    where = one.enrolled(store).replace(url=two.url)
    ada = one.person("ada", "operator")
    with listening(store, where):
        until(lambda: two.scene.bell.list_machines() == {where.machine})
        epoch = pressed(one, ada, whom="machine", machine=where.machine, why="odd")
        until(lambda: bool(read_flags(store.folder)))
        keeping = one.scene.keeping
        until(lambda: bool(keeping.read(lambda known: known.find_stop_reports(epoch))))
        assert one.ask("POST", f"/stops/{epoch}/resume", ada).status == 303
        until(lambda: not read_flags(store.folder))


def test_a_node_hears_what_another_one_wrote(postgres: PostgresServer) -> None:
    """At once, when it begins to listen and with each stop; and of what no machine is told,
    nothing.
    """
    heard = Event()
    url, key = postgres.create_database(), os.urandom(32)
    with closing(postgres.open_tenant(url, "", key)) as one:
        one.listen(heard.set)
        assert heard.wait(60)
        heard.clear()
        with closing(postgres.open_tenant(url, "", key)) as two:
            two.write(lambda steps: steps.set("a", "b"))
            assert not heard.wait(0.1)
            two.write(lambda steps: steps.add_stop(StopRow(1, "", "all", "", "ada", AT, "")))
            assert heard.wait(60)


def test_nothing_acknowledged_is_lost_when_a_node_is_killed_and_the_database_ends(
    postgres: PostgresServer, tmp_path: Path, ending: ExitStack
) -> None:
    """A node that is killed leaves nothing half done, and the other one goes on from what was
    acknowledged; without its database it says 503, and it goes on once that is back.
    """
    url = postgres.create_database()
    home = Machine(tmp_path / "home", ending)
    process = home.start("serve", "--database", url, "--listen", "127.0.0.1:0")
    assert process.stdout is not None
    address = process.stdout.readline().split(" at ")[1].strip()
    two = ending.enter_context(served(add_node(tmp_path / "two", url, home.home / PLACE)))
    where = two.enrolled(filled(tmp_path / "machine", 0))
    one = type(two)(two.scene)
    one.url, one.where = address, address.partition("://")[2]
    acknowledged, previous = 0, GENESIS
    lines = run_of(40 * BATCH)
    batches = [lines[start : start + BATCH] for start in range(0, len(lines), BATCH)]
    for number, batch in enumerate(batches):
        if number == len(batches) // 2:
            with ThreadPoolExecutor(1) as pool:
                sending = pool.submit(send, one, where, batch, previous)
                process.send_signal(signal.SIGKILL)
            process.wait()
            assert sending.exception() is None or isinstance(
                sending.exception(), OSError | HTTPException
            )
        node = (one, two)[number % 2] if process.poll() is None else two
        answer = send(node, where, batch, previous)
        assert (answer.status, answer.json["acked"]) == (200, batch[-1].seq)
        acknowledged, previous = answer.json["acked"], batch[-1].hash
    postgres.stop()
    try:
        assert two.ask("GET", "/v1/health").status == 503
        more = run_of(BATCH, previous, acknowledged + 1)
        refused = send(two, where, more, previous)
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    finally:
        postgres.start()
    until(lambda: two.ask("GET", "/v1/health").status == 200)
    assert send(two, where, more, previous).status == 200
    report = two.scene.keeping.read(verify)
    assert (report.events, report.problems) == (acknowledged + BATCH, ())


def test_a_database_goes_on_from_its_backup(postgres: PostgresServer, tmp_path: Path) -> None:
    """As the page on running it says: copied by `pg_dump` while it is used, put into an empty one
    by `pg_restore`. With the keys of its nodes all is there and intact; without them nothing is.
    """
    url = postgres.create_database()
    folder = add_node(tmp_path / "one", url)
    with closing(open_store(str(folder))) as keeping:
        lines = run_of(BATCH)
        keeping.write(lambda steps: steps.add_events("c", 0, lines))
        copy = f"{postgres.folder}/copy"
        postgres.run("pg_dump", "-U", "postgres", "-Fc", "-f", copy, name_of(url))
    other = postgres.create_database()
    postgres.run("pg_restore", "-U", "postgres", "-d", name_of(other), copy)
    again = add_node(tmp_path / "again", other, folder)
    with closing(open_store(str(again))) as keeping:
        found = keeping.read(lambda known: known.events("c", 0, 0, 100))
        assert [one.hash for one in found] == [one.hash for one in lines]
        keeping.write(lambda steps: steps.add_events("c", 0, run_of(1, lines[-1].hash, BATCH + 1)))
    with pytest.raises(ServiceStoreError, match="copy the"):
        open_store(str(add_node(tmp_path / "odd", other)))


def test_a_folder_says_where_its_service_keeps_things(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """For its owner alone; what SQLite kept there is not passed over, and what is no address is
    none. A tenant's rows are another's in one database.
    """
    url = postgres.create_database()
    folder = add_node(tmp_path / "one", url)
    assert os.stat(folder / FILE).st_mode & 0o077 == 0
    place = folder_of(str(folder), "corp")
    name_database(place, url, "corp")
    with closing(open_store(str(folder))) as first, closing(open_store(place)) as corp:
        first.write(lambda steps: steps.set("a", "first"))
        corp.write(lambda steps: steps.set("a", "corp"))
        found = [one.read(lambda known: known.setting("a")) for one in (first, corp)]
        assert found == ["first", "corp"]
    with pytest.raises(ServiceStoreError, match="postgresql://"):
        name_database(str(tmp_path / "two"), "mysql://x", "")
    Database(str(tmp_path / "three")).close()
    with pytest.raises(ServiceStoreError, match="not carried over"):
        name_database(str(tmp_path / "three"), url, "")
    (folder / FILE).write_text("[]")
    with pytest.raises(ServiceStoreError, match="cannot be read"):
        open_store(str(folder))


def test_a_node_that_cannot_serve_says_why(
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a sentence: where it listens is not said, the server is not there, its driver is not."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def refused(*words: str) -> str:
        assert main(["serve", *words]) == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1, said
        return said

    gone = f"postgresql://interlock@/x?host={tmp_path}/none"
    assert "--listen ADDRESS:PORT" in refused("--database", postgres.url)
    assert "no service has run here yet" in refused("--token")
    assert "No such file" in refused("--database", gone, "--listen", "127.0.0.1:0")
    assert "No such file" in refused("--verify")
    monkeypatch.setitem(sys.modules, "interlock.service.store.postgres", None)
    assert "interlock[postgres]" in refused("--verify")


def test_the_commands_find_the_database_that_the_folder_names(
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Once a node was started: a token, a link, what is found intact."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = add_node(tmp_path / PLACE, postgres.create_database())
    with closing(open_store(str(folder))) as keeping:
        keeping.write(lambda steps: steps.set("url", "https://team.example"))
    for words, said in (
        (["--token"], "interlock enrol il1_"),
        (["--link"], "https://team.example/signin/"),
        (["--verify"], "intact"),
    ):
        assert main(["serve", *words]) == 0
        assert said in capsys.readouterr().out


def test_the_backup_of_a_node_is_its_keys(
    postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And where its database is, which is copied where it lies; it says so."""
    folder = add_node(tmp_path / "one", postgres.create_database())
    open_store(str(folder)).close()
    assert back_up(str(folder), str(tmp_path / "copy")) == 0
    assert {*os.listdir(tmp_path / "copy")} == {FILE, "receipts.key"}
    assert "pg_dump" in capsys.readouterr().err


def test_a_batch_that_is_cut_at_any_statement_is_there_as_a_whole_or_not_at_all(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever its node dies; sent again it is there once."""
    lines = run_of(2 * FEW)
    batch = Batch("c", GENESIS, 0, len(lines), tuple(lines))
    execute = PostgresSession.execute
    for number in range(1, 100):
        left = [number]

        def cut(
            self: PostgresSession, sql: str, values: Sequence[Value] = (), left: list[int] = left
        ) -> Cursor:
            left[0] -= 1
            if not left[0]:
                self._connection.close()
            return execute(self, sql, values)

        with closing(postgres.create_tenant()) as keeping:
            keeping.write(lambda steps: steps.add_chain(CHAIN))
            with monkeypatch.context() as patched, suppress(ServiceStoreError):
                patched.setattr(PostgresSession, "execute", cut)
                take(keeping, batch)
            whole = left[0] > 0
            assert keeping.read(verify).events == (len(lines) if whole else 0)
            take(keeping, batch)
            report = keeping.read(verify)
            assert (report.events, report.problems) == (len(lines), ())
        if whole:
            assert number > 10
            return
    raise AssertionError("a batch takes more statements than this")
