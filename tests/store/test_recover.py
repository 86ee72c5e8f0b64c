"""What can still be read of a damaged file comes over into the new one; what is missing there is
named; what loosens does not come.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.verify import REMOVED, verify_store
from interlock.engine.decide import decide
from interlock.model.call import ToolCall
from interlock.model.effect import Reading
from interlock.model.policy import Policy
from interlock.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

POLICY = Policy((), hash="h")
JUDGED = 120
PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed store with judgements and marks."""
    folder = tmp_path_factory.mktemp("sound")
    store = Store(str(folder))
    for number in range(JUDGED):
        call = ToolCall(
            "shell",
            "Bash",
            {"command": f"echo {number} " + "x" * 700},
            "/w",
            ("/w",),
            session=f"s{number % 9}",
        )
        judged = Judgement(
            call, Reading(()), decide(call, Reading(()), POLICY, f"d-{number}"), POLICY
        )
        store.commit([Audit(store).judged(judged), ("session", (f"s{number % 9}", "2026", "[]"))])
    for label in ("made", "started 17", "secret-read", "refused-deny"):
        store.commit([("label", ("s1", f"/w/{label}", label, "2026"))])
    store.close()
    return folder


def damaged(sound: Path, folder: Path, page: int, data: bytes) -> Store:
    """Return a store whose file has one page written over."""
    shutil.copytree(sound, folder)
    with (folder / "interlock.db").open("r+b") as file:
        file.seek(page * PAGE)
        file.write(data)
    return Store(str(folder))


def pages(sound: Path) -> int:
    """Return how many pages the file has."""
    return (sound / "interlock.db").stat().st_size // PAGE


def found_damaged(store: Store) -> bool:
    """Look through the whole file as writes and questions do, and tell whether damage was found and
    set aside.
    """
    store.commit([("label", ("new", "", "secret-read", "2026"))])
    for table in ("guardrail_audit_log", "audit_event", "session", "label"):
        store.query(f"SELECT * FROM {table}")  # noqa: S608 - our own words
    return bool(store.notices)


def test_every_page_may_be_lost(sound: Path, tmp_path: Path) -> None:
    """Whichever page is written over, the store goes on; of a page in the middle few records are
    lost, and those are named, the others verified.
    """
    lost = []
    for page in range(1, pages(sound)):
        store = damaged(sound, tmp_path / str(page), page, os.urandom(PAGE))
        if not found_damaged(store):  # an index that no question above asks
            store.close()
            shutil.rmtree(tmp_path / str(page))
            continue
        (rows,) = store.query("SELECT count(*) FROM guardrail_audit_log")[0]
        (events,) = store.query("SELECT count(*) FROM audit_event WHERE kind = 'decision'")[0]
        lost.append(2 * JUDGED - rows - events)
        told = verify_store(store, [])
        # without its schema nothing of a file can be read
        assert (lost[-1] > 0) == bool(told.found) or told.first == told.last - 1, page
        assert told.set_aside
        assert all(
            "missing" in problem.what or "no record tells" in problem.what
            for problem in told.problems
        ), told.problems
        assert store.query("SELECT subject FROM audit_event WHERE kind = 'store-set-aside'")
        store.close()
        shutil.rmtree(tmp_path / str(page))
    assert len(lost) > pages(sound) // 2
    # half of all damage costs no more than what stood on the page
    assert sorted(lost)[len(lost) // 2] <= 12
    assert min(lost) == 0


def test_what_loosens_stays_behind(sound: Path, tmp_path: Path) -> None:
    """Marks that tighten come over, those that loosen do not, and every session counts as one of
    which not all is known.
    """
    with closing(sqlite3.connect(sound / "interlock.db")) as connection, connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'idx_guardrail_session'"
        ).fetchone()
    connection.close()
    store = damaged(sound, tmp_path / "s", page - 1, b"\xff" * PAGE)
    call = ToolCall("shell", "Bash", {"command": "ls"}, "/w", ("/w",), session="s1")
    store.commit(
        [
            Audit(store).judged(
                Judgement(call, Reading(()), decide(call, Reading(()), POLICY, "d-new"), POLICY)
            )
        ]
    )
    assert store.query("SELECT label FROM label WHERE session_id = 's1' ORDER BY label") == [
        ("forgotten",),
        ("refused-deny",),
        ("secret-read",),
    ]
    assert store.query(
        "SELECT count(*) FROM label WHERE session_id = '' AND label = 'forgotten'"
    ) == [(1,)]
    assert store.query("SELECT min(marks) > 0 FROM session WHERE id = 's2'") == [(1,)]
    assert f"{JUDGED} judgements" in store.notices[0]
    assert verify_store(store, []).problems == ()
    (aside,) = [
        path
        for path in (tmp_path / "s").glob("*.corrupt-*")
        if not path.name.endswith(("-wal", "-shm"))
    ]
    assert store.query("SELECT subject FROM audit_event WHERE kind = 'store-set-aside'") == [
        (str(aside),)
    ]


def test_what_is_lost_is_named(sound: Path, tmp_path: Path) -> None:
    """A page of events that is gone is told as the numbers that are missing, once, and the chain
    goes on behind them.
    """
    with closing(sqlite3.connect(sound / "interlock.db")) as connection, connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'audit_event'"
        ).fetchone()
    connection.close()
    data = (sound / "interlock.db").read_bytes()[(root - 1) * PAGE : root * PAGE]
    cells = int.from_bytes(data[3:5], "big")
    where = int.from_bytes(data[12 + 2 * (cells // 2) : 14 + 2 * (cells // 2)], "big")
    leaf = int.from_bytes(data[where : where + 4], "big")
    store = damaged(sound, tmp_path / "s", leaf - 1, os.urandom(PAGE))
    assert found_damaged(store)
    kinds = [problem.kind for problem in verify_store(store, []).problems]
    assert kinds.count(REMOVED) == 1
    assert REMOVED in kinds
    (seq,) = store.query("SELECT max(seq) FROM audit_event")[0]
    assert seq == JUDGED + 2
