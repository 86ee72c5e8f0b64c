"""State survives many writers, full disks, damage, newer files and processes that are killed; what
it cannot keep it says.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from interlock.store.database import NewerStoreError, Store
from interlock.store.migrations import read_steps
from interlock.store.place import StoreError, state_folder
from interlock.store.schema import VERSION
from interlock.store.secret import key

if TYPE_CHECKING:
    from interlock.store.protocol import Connection

SRC = str(Path(__file__).parents[2] / "src")


def label(session: str, subject: str = "s") -> tuple[str, tuple[str, ...]]:
    """Return one small write."""
    return "label", (session, subject, "secret-read", "2026-01-01")


def count(store: Store) -> int:
    """Return how many of those writes were done."""
    return int(store.query("SELECT count(*) FROM label WHERE label != 'forgotten'")[0][0])


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python of our own with nothing of this process's environment."""
    return subprocess.Popen(
        [sys.executable, "-c", dedent(code), *arguments],
        env={"PYTHONPATH": SRC},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "/home/u"}, "/home/u/.local/state/interlock"),
        ({"HOME": "/home/u/"}, "/home/u/.local/state/interlock"),
        ({"HOME": "/home/u", "XDG_STATE_HOME": "/tmp/elsewhere"}, "/home/u/.local/state/interlock"),
        ({"USERPROFILE": "C:\\Users\\u"}, "C:\\Users\\u/.local/state/interlock"),
    ],
)
def test_place(environment: dict[str, str], folder: str) -> None:
    """State lives below the home folder, and no other variable moves it."""
    assert state_folder(environment) == folder


def test_no_place_is_said() -> None:
    """Without HOME there is no place, and the words name what is missing."""
    with pytest.raises(StoreError, match="HOME"):
        state_folder({})


def test_private_and_made_once(tmp_path: Path) -> None:
    """Folder, file and key are for their owner only, and two stores read the same key."""
    folder = str(tmp_path / "a" / "b" / "interlock")
    store = Store(folder)
    store.commit([label("x")])
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(store.path).st_mode) == 0o600
    assert key(folder) == key(folder)
    assert stat.S_IMODE(os.stat(folder + "/redaction.key").st_mode) == 0o600
    assert store.query("PRAGMA journal_mode") == [("wal",)]
    assert store.query("PRAGMA user_version") == [(VERSION,)]


def test_all_or_nothing(tmp_path: Path) -> None:
    """A write that cannot be done takes its companions back; the store works on."""
    store = Store(str(tmp_path))
    with pytest.raises(StoreError):
        store.commit([label("x"), ("label", ("too", "few"))])
    assert count(store) == 0
    store.commit([label("x")])
    assert count(store) == 1


def test_newer_file_is_refused(tmp_path: Path) -> None:
    """A file of a later interlock is left alone, with one clear sentence."""
    store = Store(str(tmp_path))
    store.commit([label("x")])
    store.close()
    with contextlib.closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(f"PRAGMA user_version={VERSION + 1}")
    connection.close()
    with pytest.raises(NewerStoreError, match="upgrade interlock"):
        Store(str(tmp_path)).commit([label("y")])
    assert not list(tmp_path.glob("*.corrupt-*"))


@pytest.mark.parametrize(
    "damage",
    [
        b"this is no database, though it is long enough to be one" * 100,
        b"SQLite format 3\x00" + b"\xff" * 8000,
    ],
)
def test_damaged_file_is_moved_aside(tmp_path: Path, damage: bytes) -> None:
    """Damage is kept for a person, reported, and does not stop the next record."""
    (tmp_path / "interlock.db").write_bytes(damage)
    store = Store(str(tmp_path))
    store.commit([label("x")])
    assert count(store) == 1
    (aside,) = tmp_path.glob("*.corrupt-*")
    assert aside.read_bytes() == damage
    assert str(aside) in store.notices[0]


def test_damage_in_the_middle(tmp_path: Path) -> None:
    """Damage that shows only at a write is moved aside as well, and the write is done in the new
    file.
    """
    store = Store(str(tmp_path))
    store.commit([label(str(n), "y" * 300) for n in range(200)])
    store.close()
    data = bytearray(Path(store.path).read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    Path(store.path).write_bytes(data)
    store.commit([label("z")])
    assert count(store) < 200
    assert store.query("SELECT count(*) FROM label WHERE session_id = 'z'") == [(1,)]
    assert store.notices


def test_file_deleted_under_us(tmp_path: Path) -> None:
    """A long-lived process whose file is deleted writes to a new one, not into nothing."""
    store = Store(str(tmp_path))
    store.commit([label("a")])
    for path in tmp_path.glob("interlock.db*"):
        path.unlink()
    store.commit([label("b")])
    assert Store(str(tmp_path)).query("SELECT session_id FROM label") == [("b",)]


def test_locked_database_goes_to_the_spool(tmp_path: Path) -> None:
    """The wait for another writer is bounded; the record waits in the spool and the next writer
    takes it in, once.
    """
    store = Store(str(tmp_path), busy_seconds=0.05)
    store.commit([label("a")])
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreError, match="locked"):
        store.commit([label("b")])
    assert time.monotonic() - began < 5
    store.spool([label("b")])
    assert count(store) == 1
    other.execute("ROLLBACK")
    other.close()
    store.commit([label("c")])
    assert count(store) == 3
    assert not store.spooled.waiting()


def test_bad_spool_lines_are_kept(tmp_path: Path) -> None:
    """A line that a killed process left unfinished is put aside and said; the good ones beside it
    are taken in.
    """
    store = Store(str(tmp_path))
    (tmp_path / "spool.jsonl").write_bytes(b'[["label",["cut",')
    store.spool([label("good")])
    with (tmp_path / "spool.jsonl").open("ab") as file:
        file.write(
            b'[["no-such-write",[1]]]\n[["label",["few"]]]\n[["label",[[],{},null,1]]]\n\xff\n7\n'
        )
    store.commit([label("later")])
    assert store.query("SELECT session_id FROM label ORDER BY 1") == [("good",), ("later",)]
    assert "6 unreadable lines" in store.notices[0]
    assert (tmp_path / "spool.bad.jsonl").read_bytes().count(b"\n") == 6


def test_spool_is_bounded(tmp_path: Path) -> None:
    """A spool that nobody takes in does not fill the disk; the refusal is said."""
    with (tmp_path / "spool.jsonl").open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    with pytest.raises(StoreError, match="takes no more"):
        Store(str(tmp_path)).spool([label("x")])


WRITER = """
    import sys
    from interlock.store.database import Store
    from interlock.store.place import StoreError
    for n in range(int(sys.argv[3])):
        store = Store(sys.argv[1])
        writes = [("label", (sys.argv[2], str(n), "secret-read", ""))]
        try:
            store.commit(writes)
        except StoreError as error:
            store.spool(writes)
        print(n, flush=True)
    """


def test_sixty_four_processes(tmp_path: Path) -> None:
    """64 processes that open a fresh store and write at once lose no row, whoever makes the
    file.
    """
    folder = str(tmp_path / "state")
    writers = [run(WRITER, folder, str(n), "3") for n in range(64)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    store = Store(folder)
    store.commit([label("last")])
    assert count(store) == 64 * 3 + 1
    assert not list((tmp_path / "state").glob("*.corrupt-*"))


def test_killed_while_writing(tmp_path: Path) -> None:
    """A kill -9 in the middle of writing loses no row that was said to be written, and leaves a
    sound file.
    """
    folder = str(tmp_path)
    said = 0
    for round_ in range(5):
        writer = run(WRITER, folder, str(round_), "100000")
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.02 * round_)
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate(timeout=30)
        said += 1 + rest.count("\n")
    store = Store(folder)
    store.commit([label("last")])
    assert count(store) >= said + 1
    assert store.query("PRAGMA integrity_check") == [("ok",)]


FULL = """
    import resource, sys
    from interlock.store.database import Store
    from interlock.store.place import StoreError
    store = Store(sys.argv[1])
    store.commit([("label", ("first", "", "", ""))])
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    writes = [("label", ("big" * 100000, "", "", ""))]
    for attempt in (store.commit, store.spool):
        try:
            attempt(writes)
            print("done")
        except StoreError as error:
            print("refused", error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    """


def test_full_disk(tmp_path: Path) -> None:
    """Where not another byte can be written, both commit and spool say so, and nothing half-written
    stays.
    """
    writer = run(FULL, str(tmp_path), "1")
    said, errors = writer.communicate(timeout=30)
    assert [line.split()[0] for line in said.splitlines()] == ["refused", "refused"], said + errors
    store = Store(str(tmp_path))
    assert count(store) == 1
    assert not store.spooled.waiting()


READ_ONLY = """
    import _json, _sqlite3, fcntl, os, sys
    import interlock.store.spool
    from interlock.store.database import Store
    from interlock.store.place import StoreError
    if os.getuid() == 0:  # nobody may be unable to read where these sources are
        os.setgroups([])
        os.setuid(65534)
    store = Store(sys.argv[1])
    for attempt in (store.commit, store.spool):
        try:
            attempt([("label", ("x", "", "", ""))])
            print("done")
        except StoreError as error:
            print("refused", error)
    """


@pytest.mark.parametrize("existing", [True, False])
def test_read_only_folder(tmp_path: Path, existing: bool) -> None:
    """A folder that may not be written gives sentences, not tracebacks, whether or not a database
    is there.
    """
    folder = tmp_path / "state"
    if existing:
        store = Store(str(folder))
        store.commit([label("x")])
        store.close()
    for above in [tmp_path, *tmp_path.parents][:3]:
        above.chmod(stat.S_IMODE(above.stat().st_mode) | 0o055)
    (folder if existing else tmp_path).chmod(0o555)
    said, errors = run(READ_ONLY, str(folder)).communicate(timeout=30)
    tmp_path.chmod(0o700)
    assert [line.split()[0] for line in said.splitlines()] == ["refused", "refused"], said + errors
    assert "Traceback" not in errors


def test_every_step_has_its_number() -> None:
    """The file of steps and the version that a file is brought to say the same."""
    steps = read_steps()
    assert len(steps) == VERSION
    assert all(steps), "a step of no statement"
    assert all(len(" ".join(step).split()) >= 3 for step in steps)


def test_an_older_store_is_brought_up(tmp_path: Path) -> None:
    """A store of the first version keeps its sessions and marks; a line of its spool is still taken
    in.
    """
    path = tmp_path / "interlock.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        for statement in read_steps()[0]:
            old.execute(statement)
        old.execute(
            "INSERT INTO session (id, started, roots) VALUES ('s', '2026-01-01', '[\"/p\"]')"
        )
        old.execute("INSERT INTO label VALUES ('s', '/p/f.sh', 'downloaded', '2026-01-01')")
        old.execute("PRAGMA user_version=1")
        old.commit()
    (tmp_path / "spool.jsonl").write_text(
        '[["session",["t","2026-01-01","[]"]],["label",["s","/p/g.sh","downloaded","2026-01-01"]]]\n'
    )
    store = Store(str(tmp_path))
    store.commit([label("s", "/x")])
    assert store.query("SELECT marks FROM session WHERE id = 's'") == [(1,)]
    assert store.query("SELECT subject FROM label WHERE call = '' ORDER BY subject") == [
        ("/p/f.sh",),
        ("/p/g.sh",),
        ("/x",),
    ]
    assert store.query("SELECT count(*) FROM session") == [(2,)]
    assert store.query("PRAGMA user_version") == [(VERSION,)]


def test_a_step_that_reads_and_writes_is_whole(tmp_path: Path) -> None:
    """Eight processes that each count on, from what they read, end with the exact sum; a step that
    fails leaves nothing.
    """
    code = """
        import sys
        from interlock.store.database import Store
        store = Store(sys.argv[1], busy_seconds=30)
        def on(connection):
            found = connection.execute("SELECT count(*) FROM label").fetchone()[0]
            connection.execute("INSERT INTO label (session_id, subject, label, since) VALUES ('s', ?, 'l', 't')", (str(found),))
        for _ in range(25):
            store.transact(on)
    """
    workers = [run(code, str(tmp_path)) for _ in range(8)]
    assert [(worker.communicate(timeout=120)[1], worker.returncode) for worker in workers] == [
        ("", 0)
    ] * 8
    store = Store(str(tmp_path))
    assert count(store) == 200

    def fails(connection: Connection) -> None:
        connection.execute("DELETE FROM label")
        raise ValueError("changed its mind")

    with pytest.raises(StoreError, match="changed its mind"):
        store.transact(fails)
    assert count(store) == 200
