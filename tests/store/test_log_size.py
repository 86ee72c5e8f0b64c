"""The write-ahead log stays short, in whatever way the processes end that write into it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.store.database import MAX_LOG, MAX_TIDIED, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.store.protocol import Connection

SOURCE = str(Path(__file__).parents[2] / "src")
PROGRAM = """
import os, signal, sys
from interlock.store.database import Store
folder = sys.argv[1]
log = folder + "/interlock.db-wal"
def work(connection):
    connection.execute("CREATE TABLE IF NOT EXISTS filled (text)")
    connection.execute("INSERT INTO filled VALUES (?)", ("x" * 40_000,))
for _ in range(60):
    pid = os.fork()
    if not pid:
        store = Store(folder)
        store.transact(work)
        {end}
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(code, os.path.getsize(log) if os.path.exists(log) else 0, flush=True)
"""
"""Becomes sixty processes, one after the other, and tells how each ended and left the log."""
ENDS = {
    "closed": "store.close(); sys.exit()",
    "left": "os._exit(0)",
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
}
ROOM = 1 << 19
"""What one write may add to the log before it is emptied again."""


def size(folder: Path) -> int:
    """Return how long the log is."""
    path = folder / "interlock.db-wal"
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize("how", ENDS)
def test_it_is_emptied_however_a_process_ends(tmp_path: Path, how: str) -> None:
    """Sixty processes write two megabytes, and the log holds no more than its bound; every row is
    there.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(end=ENDS[how]), str(tmp_path)],
        env={"PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=True,
    )
    ended = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    assert [code for code, _ in ended] == [-signal.SIGKILL if how == "killed" else 0] * 60
    assert max(size for _, size in ended) <= MAX_LOG + ROOM
    store = Store(str(tmp_path))
    assert store.query("SELECT count(*) FROM filled") == [(60,)]
    assert store.query("PRAGMA integrity_check") == [("ok",)]
    store.close()


def test_a_reader_holds_nobody_up(tmp_path: Path) -> None:
    """While somebody reads an old state the log may grow, and no write waits for them; when they
    are done it is emptied.
    """
    store, reader = Store(str(tmp_path), busy_seconds=60), Store(str(tmp_path))

    def fill(connection: Connection) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS filled (text)")
        connection.execute("INSERT INTO filled VALUES (?)", ("x" * 40_000,))

    store.transact(fill)
    seen: list[int] = []

    def reading(connection: Connection) -> None:
        seen.append(connection.execute("SELECT count(*) FROM filled").fetchone()[0])
        for _ in range(60):
            store.transact(fill)
        seen.append(connection.execute("SELECT count(*) FROM filled").fetchone()[0])

    reader.view(reading)
    assert seen == [1, 1]
    assert size(tmp_path) > MAX_LOG
    store.transact(fill)
    assert size(tmp_path) <= ROOM
    assert store.query("SELECT count(*) FROM filled") == [(62,)]
    for one in (store, reader):
        one.close()
    assert os.path.exists(store.path)


def test_whoever_stays_tidies_when_nobody_waits(tmp_path: Path) -> None:
    """No write empties the log; between two it grows to its bound at most, and is emptied then."""
    stays = Store(str(tmp_path), tidied=True)

    def fill(connection: Connection) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS filled (text)")
        connection.execute("INSERT INTO filled VALUES (?)", ("x" * 400_000,))

    longest = emptied = 0
    for _ in range(50):
        stays.transact(fill)
        before = size(tmp_path)
        stays.tidy()
        longest, emptied = max(longest, size(tmp_path)), emptied + (size(tmp_path) < before)
    assert MAX_LOG < longest <= MAX_TIDIED + ROOM
    assert emptied
    assert stays.query("SELECT count(*) FROM filled") == [(50,)]
    stays.close()
