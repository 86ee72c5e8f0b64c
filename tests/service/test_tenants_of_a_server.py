"""PostgreSQL's own: tenants are apart by keys, whoever connects; what a text of it cannot hold is
kept; its tables are those of SQLite.
"""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Event
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from interlock.service.ingest.verify import verify
from interlock.service.store.commands import COLUMNS
from interlock.service.store.migrating import CONTRACT, FOLDER, bring_up, list_migrations
from interlock.service.store.pool import Connections
from interlock.service.store.postgres import PostgresDatabase
from interlock.service.store.postgres_sql import FEW, translate
from interlock.service.store.protocol import ServiceStoreError, ServiceWriter
from interlock.service.store.rows import Branch, Chain, Person
from interlock.service.store.sqlite import Database
from interlock.store.chain import GENESIS, link
from interlock.wire.batch import BatchLine
from tests.service.test_contract import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgres import PostgresServer

AT = "2026-01-31T10:00:00.000Z"
SHOW = "SET search_path TO interlock; SET interlock.key TO '{}'"
TABLES = """SELECT relname, relispartition, relrowsecurity AND relforcerowsecurity,
    (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid) FROM pg_class
    WHERE relnamespace = 'interlock'::regnamespace AND relkind IN ('r', 'p')
    AND relname NOT IN ('migration', 'tenant')"""


@pytest.fixture
def connection(postgres: PostgresServer) -> Iterator[psycopg.Connection[Any]]:
    """Return a connection of interlock's role that shows no key yet."""
    how = {"autocommit": True, "cursor_factory": psycopg.RawCursor}
    with psycopg.connect(postgres.url, **how) as found:  # type: ignore[arg-type]
        yield found


def fill(keeping: PostgresDatabase) -> None:
    """Keep a person and an event."""
    fields = (1, "e-1", AT, "prompt", "s", "", "{}")
    line = BatchLine(fields, link(GENESIS, fields))

    def work(steps: ServiceWriter) -> None:
        steps.add_person(Person("ada", "Ada", AT))
        steps.add_chain(Chain("c", "m-1", 1))
        steps.put_branch(Branch("c", 0, 0, 0, GENESIS, 1, line.hash, "", AT, AT))
        steps.add_events("c", 0, [line])
        steps.note("tested", "", {})

    keeping.write(work)


def count_rows(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Return how many rows each table shows."""
    found: dict[str, int] = {}
    for table, *_ in connection.execute(TABLES).fetchall():
        asked = f"SELECT count(*) FROM {table}"  # noqa: S608 - our own words
        [[found[table]]] = connection.execute(asked.encode()).fetchall()
    return found


def test_a_forged_tenant_reads_and_writes_nothing(
    postgres: PostgresServer, connection: psycopg.Connection[Any]
) -> None:
    """By its name, by the hash that the database keeps, by no key, by another tenant's; a part of a
    table shows nothing by itself, to the right key either. With the key everything is there.
    """
    key = os.urandom(32)
    with closing(PostgresDatabase(postgres.url, "corp", key)) as keeping:
        fill(keeping)
    with closing(PostgresDatabase(postgres.url, "other", os.urandom(32))) as other:
        assert other.read(lambda known: known.persons()) == []
    connection.execute(b"SET search_path TO interlock")
    assert set(count_rows(connection).values()) == {0}
    kept = connection.execute("SELECT key FROM tenant WHERE name = 'corp'").fetchone()
    assert kept is not None
    for forged in ("corp", kept[0], "", "' OR true"):
        connection.execute("SELECT set_config('interlock.key', $1, false)", (forged,))
        assert set(count_rows(connection).values()) == {0}, forged
        with pytest.raises(psycopg.Error):
            connection.execute("INSERT INTO setting VALUES ('a', 'b', 'corp')")
        assert connection.execute("DELETE FROM person").rowcount == 0
    connection.execute(SHOW.format(key.hex()).encode())
    shown = count_rows(connection)
    assert (shown["person"], shown["chain_event"], shown["audit_event"]) == (1, 1, 1)
    parts = [count for name, count in shown.items() if name.startswith("chain_event_")]
    assert (len(parts), set(parts)) == (1, {0})
    assert connection.execute("UPDATE setting SET tenant = 'other'").rowcount == 0
    with pytest.raises(psycopg.Error):
        connection.execute("UPDATE person SET tenant = 'other'")


def test_every_table_is_apart(
    postgres: PostgresServer, connection: psycopg.Connection[Any]
) -> None:
    """By a policy that its owner is held to as well; a part by having none."""
    with closing(postgres.create_tenant()) as keeping:
        fill(keeping)
    found = {(part, held, count) for _, part, held, count in connection.execute(TABLES).fetchall()}
    assert found == {(False, True, 1), (True, True, 0)}


def test_a_node_with_other_keys_is_told_so(postgres: PostgresServer) -> None:
    """Before it serves; with the same keys it sees what the first one kept."""
    key = os.urandom(32)
    with closing(PostgresDatabase(postgres.url, "shared", key)) as keeping:
        fill(keeping)
        with pytest.raises(ServiceStoreError, match=r"copy the \*\.key files"):
            PostgresDatabase(postgres.url, "shared", os.urandom(32))
        with closing(PostgresDatabase(postgres.url, "shared", key)) as node:
            assert node.read(verify).events == 1


def test_who_sees_every_tenant_does_not_serve(postgres: PostgresServer) -> None:
    """A superuser is told what to make instead."""
    with pytest.raises(ServiceStoreError, match="CREATE ROLE interlock"):
        PostgresDatabase(postgres.url.replace("interlock@", "postgres@"), "", b"k")


def test_an_event_that_no_text_can_hold_is_kept_as_it_was_hashed(
    postgres: PostgresServer,
) -> None:
    """A NUL in any field; elsewhere it becomes a sign that can be kept."""
    fields = (1, "e\0", AT, "\0", "s\0", "\0\0", '{"a": "\\u0000"}')
    line = BatchLine(fields, link(GENESIS, fields))
    with closing(postgres.create_tenant()) as keeping:
        keeping.write(lambda steps: steps.add_events("c", 0, [line]))
        [found] = keeping.read(lambda known: known.events("c", 0, 0, 9))
        assert BatchLine(found.fields, found.hash, found.row) == line
        keeping.write(lambda steps: steps.set("a\0", "b\0"))
        assert keeping.read(lambda known: known.setting("a\0")) == "b\ufffd"


def test_its_tables_are_those_of_sqlite(
    postgres: PostgresServer, connection: psycopg.Connection[Any], tmp_path: Path
) -> None:
    """The same columns in the same order, and behind them what it has of its own."""
    postgres.create_tenant().close()
    Database(str(tmp_path)).close()
    with closing(sqlite3.connect(tmp_path / "service.db")) as other:
        names = other.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        wanted = {
            name: [row[1] for row in other.execute(f"PRAGMA table_info({name})")]
            for (name,) in names
            if not name.startswith("sqlite_")
        }
    more = {"chain_event": ["exact", "received", "tenant"]}
    rows = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'interlock' AND table_name !~ '_[0-9]' AND table_name NOT IN ('tenant', 'migration') ORDER BY ordinal_position"
    ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    whole = {name: columns + more.get(name, ["tenant"]) for name, columns in wanted.items()}
    assert {name: sorted(columns) for name, columns in found.items()} == {
        name: sorted(columns) for name, columns in whole.items()
    }


def test_a_node_that_does_not_know_what_was_taken_away_stays_away(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """What was added it need not know: older and newer ones serve side by side. A step is done
    once, in order.
    """
    for step in list_migrations():
        (tmp_path / os.path.basename(step.path)).write_bytes(step.text)
    url = postgres.create_database()
    PostgresDatabase(url, "", b"k").close()
    last = list_migrations()[-1].number
    (tmp_path / f"{last + 1:04}-expand.sql").write_text(
        "".join(
            f"ALTER TABLE interlock.{table} ADD COLUMN more text DEFAULT 'x';"
            for table in ("machine", "setting", "stop_voice", "audit_event", *COLUMNS)
        )
    )
    with psycopg.connect(url, cursor_factory=psycopg.RawCursor) as connection:
        for _ in range(2):
            bring_up(connection, "here", str(tmp_path))
    with closing(PostgresDatabase(url, "", b"k")) as older:
        fill(older)
        older.write(lambda steps: steps.add_events("d", 0, run_of(2 * FEW)))
        older.write(lambda steps: steps.add_voice(1, "ada", AT))
    (tmp_path / f"{last + 2:04}-{CONTRACT}.sql").write_text("DROP TABLE interlock.stop_voice")
    with psycopg.connect(url, cursor_factory=psycopg.RawCursor) as connection:
        bring_up(connection, "here", str(tmp_path))
    with pytest.raises(ServiceStoreError, match="newer interlock"):
        PostgresDatabase(url, "", b"k")
    kinds = {one.kind for one in list_migrations(FOLDER)}
    assert kinds <= {"expand", "contract"}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("a = ? AND b IN (?, ?)", b"a = $1 AND b IN ($2, $3)"),
        ("a = ?2 AND b = ?1 AND c = ?2", b"a = $2 AND b = $1 AND c = $2"),
        ("a LIKE ? ESCAPE '\\'", b"a ILIKE $1 ESCAPE '\\'"),
        ("liked = 1", b"liked = 1"),
    ],
)
def test_a_statement_is_translated(given: str, wanted: bytes) -> None:
    """Its marks are numbered, and what is like a text is so whatever its capitals."""
    assert translate(given) == wanted


def test_a_step_that_passed_over_an_error_is_undone(postgres: PostgresServer) -> None:
    """And said to be so; the next one works. A connection that the server ended is replaced, and
    what it was about to write is not half there.
    """
    with closing(postgres.create_tenant()) as keeping:

        def work(steps: ServiceWriter) -> None:
            steps.add_person(Person("ada", "Ada", AT))
            with suppress(psycopg.Error):
                steps.add_person(Person("ada", "Ada", AT))

        def cut(steps: ServiceWriter) -> None:
            steps.add_person(Person("ben", "Ben", AT))
            with psycopg.connect(postgres.url.replace("interlock@", "postgres@")) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE usename = 'interlock' AND state = 'idle in transaction'"
                )
            steps.add_person(Person("eve", "Eve", AT))

        for wrong in (work, cut):
            with pytest.raises(ServiceStoreError):
                keeping.write(wrong)
            assert keeping.read(lambda known: known.persons()) == []
        keeping.write(lambda steps: steps.add_person(Person("ada", "Ada", AT)))
        assert len(keeping.read(lambda known: known.persons())) == 1


def test_a_node_that_hangs_in_a_write_keeps_nobody_for_ever(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends what it left open, so another node writes; its own step is undone."""
    key = os.urandom(32)
    with closing(PostgresDatabase(postgres.url, "hanging", key)) as other:
        monkeypatch.setattr("interlock.service.store.postgres.HANGS_SECONDS", 1)
        with closing(PostgresDatabase(postgres.url, "hanging", key)) as node:
            begun, ended = Event(), Event()

            def hang(steps: ServiceWriter) -> None:
                steps.set("who", "node")
                begun.set()
                ended.wait(60)

            with ThreadPoolExecutor(1) as pool:
                hanging = pool.submit(node.write, hang)
                assert begun.wait(60)
                other.write(lambda steps: steps.set("who", f"{steps.setting('who')}other"))
                ended.set()
                assert isinstance(hanging.exception(), ServiceStoreError)
            assert node.read(lambda known: known.setting("who")) == "other"


def test_writers_take_turns_whatever_their_node(postgres: PostgresServer) -> None:
    """Two nodes count to forty together, reading before they write, and no step is lost; readers
    wait for nobody.
    """
    key = os.urandom(32)
    nodes = [PostgresDatabase(postgres.url, "counted", key) for _ in range(2)]

    def count(number: int) -> None:
        def work(steps: ServiceWriter) -> None:
            steps.set("count", str(int(steps.setting("count") or "0") + 1))

        nodes[number % 2].write(work)

    with closing(nodes[0]), closing(nodes[1]):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(count, range(40)))
        assert nodes[1].read(lambda known: known.setting("count")) == "40"

        def look(steps: ServiceWriter) -> str:
            steps.set("count", "41")
            return nodes[1].read(lambda known: known.setting("count"))

        assert nodes[0].write(look) == "40"


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://db.example/x", "require"),
        ("postgresql://127.0.0.1,db.example/x", "require"),
        ("postgresql://db.example/x?sslmode=verify-full", "verify-full"),
        ("postgresql://db.example/x?sslmode=disable", "disable"),
        ("postgresql://localhost/x", None),
        ("postgresql:///x?host=/run/postgresql", None),
    ],
)
def test_a_server_elsewhere_is_talked_to_by_tls(url: str, mode: str | None) -> None:
    """Unless its address says otherwise; on this machine nobody is on the way."""
    assert Connections(url)._how.get("sslmode") == mode
