"""The audit is found to be as it was written, or each record that is not is named; what no anchor
vouches for is said to be so.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit import anchor as anchoring
from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.sinks import SinkError, read, write
from interlock.audit.verify import (
    ADDED,
    CHANGED,
    MISSING_TAIL,
    REMOVED,
    REWRITTEN,
    UNSIGNED,
    VerifyReport,
    verify_store,
)
from interlock.engine.decide import decide
from interlock.model.call import Outcome, ToolCall
from interlock.model.effect import HOME, Deletes, Effect, Place, Reading
from interlock.model.policy import Policy
from interlock.store import chain
from interlock.store.database import Store
from interlock.store.schema import AUDIT_COLUMNS, SETTLED_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.audit.anchor import Anchor

POLICY = Policy((), hash="h")
READING = Reading((Effect(Deletes, "/home/u/x", Place(HOME)),))
CALLS = 6
"""Judgements of the sample, three of which have an outcome. Records: 1 the store, 2 to 7 the
judgements, 8 to 10 the outcomes, 11 a grant.
"""


def call(number: int, command: str = "ls") -> ToolCall:
    """Return a call with an id."""
    return ToolCall(
        "shell", "Bash", {"command": command}, "/w", ("/w",), session="s", call_id=f"c{number}"
    )


def record(store: Store, number: int, command: str = "ls") -> None:
    """Record one judgement."""
    decision = decide(call(number), READING, POLICY, f"d-{number}")
    store.commit([Audit(store).judged(Judgement(call(number, command), READING, decision, POLICY))])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with a short history."""
    store = Store(str(tmp_path / "state"))
    for number in range(1, CALLS + 1):
        record(store, number)
    for number in (1, 2, 3):
        store.commit(
            [Audit(store).outcome(Outcome(call(number), "ran", f"said {number}", 10 * number))]
        )
    store.commit([Audit(store).event("grant", "g-1", {"count": 3})])
    return store


def change(store: Store, *statements: str) -> None:
    """Change the file as somebody would who knows SQL and not the chain."""
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
    connection.close()


def kinds(report: VerifyReport) -> list[tuple[str, int]]:
    """Return what is wrong, and with which record."""
    return [(problem.kind, problem.seq) for problem in report.problems]


def test_a_chain_as_it_was_written(store: Store) -> None:
    """Nothing is found where nothing was done, and it is said that nothing outside vouches for
    it.
    """
    report = verify_store(store, [])
    assert (report.problems, report.first, report.last, report.older) == ((), 1, 11, 0)
    assert (report.anchored, report.unanchored) == (0, 11)


COLUMNS = [
    name
    for name in ("created_at", *AUDIT_COLUMNS)
    if name not in {"validation_result", "decision_id", *SETTLED_COLUMNS}
]


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_counts(store: Store, column: str) -> None:
    """A change of any column of a judgement is found, whatever it is."""
    change(store, f"UPDATE guardrail_audit_log SET {column} = 987 WHERE id = 4")  # noqa: S608 - our own words
    assert kinds(verify_store(store, [])) == [(CHANGED, 5)]


_OTHERS = ", ".join([name for name in ("created_at", *AUDIT_COLUMNS) if name != "decision_id"])
MADE_UP = f"""INSERT INTO guardrail_audit_log (id, decision_id, {_OTHERS}) SELECT 99, 'd-99', {_OTHERS} FROM guardrail_audit_log WHERE id = 1"""  # noqa: S608 - our own words
EVENT = "INSERT INTO audit_event (seq, key, at, kind, session, subject, body, hash)"
TAMPERED = {
    "a judgement's row removed": (["DELETE FROM guardrail_audit_log WHERE id = 4"], [(REMOVED, 5)]),
    "a judgement's result": (["UPDATE guardrail_audit_log SET validation_result = 'throttled' WHERE id = 4"], [(CHANGED, 5)]),
    "two judgements exchanged": (
        ["UPDATE guardrail_audit_log SET id = 99 WHERE id = 4", "UPDATE guardrail_audit_log SET id = 4 WHERE id = 5",
         "UPDATE guardrail_audit_log SET id = 5 WHERE id = 99"],
        [(CHANGED, 5), (CHANGED, 6)],
    ),
    "what a call printed": (["UPDATE guardrail_audit_log SET result = 'other' WHERE id = 1"], [(CHANGED, 8)]),
    "how long it took": (["UPDATE guardrail_audit_log SET duration_ms = 1 WHERE id = 1"], [(CHANGED, 8)]),
    "an outcome made up": (["UPDATE guardrail_audit_log SET status = 'refused' WHERE id = 4"], [(CHANGED, 5)]),
    "an outcome wiped": (["UPDATE guardrail_audit_log SET status = NULL, result = NULL, duration_ms = NULL WHERE id = 1"], [(CHANGED, 8)]),
    "a row made up": (
        [MADE_UP],
        [(ADDED, 0)],
    ),
    "a row made up, with a record before the first": (
        [MADE_UP, f"{EVENT} VALUES (-5, 'd-99', '', 'decision', '', 'd-99', '', '')"],
        [(ADDED, -5), (CHANGED, -5), (CHANGED, 1), (CHANGED, -5)],
    ),
    "a record of number nought": (
        [f"{EVENT} VALUES (0, 'x', '', 'grant', '', '', '', '')"],
        [(ADDED, 0), (CHANGED, 1)],
    ),
    "a trigger that keeps records away": (
        ["CREATE TRIGGER t BEFORE INSERT ON guardrail_audit_log WHEN new.action = 'rm' BEGIN SELECT raise(IGNORE); END"], [(ADDED, 0)],
    ),
    "an event's body": (["UPDATE audit_event SET body = '{\"count\":9}' WHERE seq = 11"], [(CHANGED, 11)]),
    "an event's time": (["UPDATE audit_event SET at = '2020' WHERE seq = 4"], [(CHANGED, 4)]),
    "an event's kind": (["UPDATE audit_event SET kind = 'grant' WHERE seq = 8"], [(CHANGED, 8), (CHANGED, 2)]),
    "an event removed": (["DELETE FROM audit_event WHERE seq = 11 - 1"], [(REMOVED, 11), (CHANGED, 4)]),
    "an event and its row removed": (["DELETE FROM audit_event WHERE seq = 5", "DELETE FROM guardrail_audit_log WHERE id = 4"], [(REMOVED, 6)]),
    "the first records removed": (
        ["DELETE FROM audit_event WHERE seq <= 3", "DELETE FROM guardrail_audit_log WHERE id <= 2"], [(REMOVED, 4)],
    ),
    "two events exchanged": (
        [f"UPDATE audit_event SET seq = {to} WHERE seq = {seq}" for seq, to in ((9, 99), (10, 9), (99, 10))],  # noqa: S608 - numbers
        [(CHANGED, 9), (CHANGED, 10), (CHANGED, 11)],
    ),
    "the end cut off": (["DELETE FROM audit_event WHERE seq > 9"], [(CHANGED, 4), (MISSING_TAIL, 9)]),
    "all removed": (["DELETE FROM audit_event", "DELETE FROM guardrail_audit_log"], [(REMOVED, 0), (MISSING_TAIL, 0)]),
    "the head wiped": (["DELETE FROM sqlite_sequence"], [(CHANGED, 11)]),
    "the head set back": (["UPDATE sqlite_sequence SET seq = 9"], [(CHANGED, 11)]),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_done_to_the_file_is_found(store: Store, name: str) -> None:
    """What somebody changed, removed, added or moved who does not work out the chain anew is found,
    at its record.
    """
    statements, expected = TAMPERED[name]
    change(store, *statements)
    found = kinds(verify_store(store, []))
    assert found == expected
    # and the store works on, and what was found stays found; a note of the head is only a note
    record(store, 99)
    assert kinds(verify_store(store, [])) or name.startswith("the head")


def anchored(store: Store, sink: str) -> list[tuple[str, Anchor]]:
    """Anchor the head in a sink, and return what the sink holds."""
    write(sink, anchoring.line(anchoring.record_anchor(store, sink)))
    return [(sink, one) for one in anchoring.anchors(read(sink))[0]]


def rechain(store: Store) -> None:
    """Work out the whole chain anew, as somebody who knows this program could."""
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        previous, seq = chain.GENESIS, 0
        for row in connection.execute(
            "SELECT seq, key, at, kind, session, subject, body FROM audit_event ORDER BY seq"
        ).fetchall():
            previous, seq = chain.link(previous, row), row[0]
            connection.execute("UPDATE audit_event SET hash = ? WHERE seq = ?", (previous, seq))
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit_event'", (seq,))
    connection.close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return an empty git repository, whose hook must not run."""
    made = tmp_path / "repository"
    subprocess.run(
        ["git", "init", "-q", str(made)],
        check=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    hook = made / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    return made


@pytest.mark.parametrize("kind", ["file", "git"])
def test_anchored_unanchored_and_missing_tail(
    store: Store, tmp_path: Path, repository: Path, kind: str
) -> None:
    """An anchor tells what is vouched for, what is not yet, and that records which were there are
    gone.
    """
    sink = f"git:{repository}" if kind == "git" else f"file:{tmp_path}/anchors"
    found = anchored(store, sink)
    assert (verify_store(store, found).anchored, verify_store(store, found).unanchored) == (12, 0)
    record(store, 50)
    found = anchored(store, sink)
    record(store, 51)
    report = verify_store(store, found)
    assert (report.problems, report.anchors, report.anchored, report.unanchored) == ((), 2, 14, 1)
    change(
        store,
        "DELETE FROM audit_event WHERE seq > 9",
        "DELETE FROM guardrail_audit_log WHERE id > 6",
    )
    change(
        store,
        "UPDATE guardrail_audit_log SET status = NULL, result = NULL, duration_ms = NULL WHERE id = 3",
    )
    rechain(store)
    # the file alone proves nothing against who can work it out
    assert verify_store(store, []).problems == ()
    assert kinds(verify_store(store, found)) == [(MISSING_TAIL, 12), (MISSING_TAIL, 14)]
    assert not list(repository.rglob("ran"))


def test_a_repository_runs_nothing(store: Store, tmp_path: Path, repository: Path) -> None:
    """A repository whose settings name programs to fetch what is missing is read as it is, and none
    of them runs.
    """
    anchored(store, f"git:{repository}")
    ran = tmp_path / "ran"
    config = repository / ".git" / "config"
    config.write_text(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = evil\n"
        '[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n'
        f'[remote "evil"]\n\turl = "ext::touch {ran}"\n\tpromisor = true\n'
    )
    for path in (repository / ".git" / "objects").glob("??/*"):
        path.unlink()
    with pytest.raises(SinkError):
        read(f"git:{repository}")
    assert not ran.exists()


def test_a_chain_worked_out_anew_is_no_more_the_anchored_one(store: Store, tmp_path: Path) -> None:
    """Who changes a record and the whole chain behind it is found by the anchor alone."""
    found = anchored(store, f"file:{tmp_path}/anchors")
    change(store, "UPDATE audit_event SET body = '{}' WHERE seq = 11")
    rechain(store)
    assert verify_store(store, []).problems == ()
    assert kinds(verify_store(store, found)) == [(REWRITTEN, 12)]


def test_anchors_that_are_not_ours(store: Store, tmp_path: Path) -> None:
    """Another store's anchor proves nothing, a changed or made-up one is said to be so, and a torn
    line is counted.
    """
    other = Store(str(tmp_path / "other"))
    other.commit([])
    (_, own), *_ = anchored(store, f"file:{tmp_path}/anchors")
    (_, foreign), *_ = anchored(other, f"file:{tmp_path}/others")
    report = verify_store(store, [("x", foreign)])
    assert (report.problems, report.foreign, report.anchored) == ((), 1, 0)
    assert kinds(verify_store(store, [("x", own.replace(seq=own.seq + 5))])) == [
        (UNSIGNED, own.seq + 5)
    ]
    lines = [
        f"Jan 1 host interlock[9]: {anchoring.line(own)}",
        "interlock-anchor {torn",
        'interlock-anchor {"seq":"1"}',
        "other words",
    ]
    assert anchoring.anchors(lines) == ([own], 2)


def test_a_key_that_was_replaced(store: Store, tmp_path: Path) -> None:
    """An anchor by a lost key still vouches for the record whose hash it holds; one that matches no
    record is counted, never passed over.
    """
    found = anchored(store, f"file:{tmp_path}/anchors")
    (tmp_path / "state" / "audit.key").unlink()
    report = verify_store(store, found)
    assert (report.problems, report.anchored, report.foreign) == ((), 12, 0)
    change(store, "UPDATE audit_event SET body = '{}' WHERE seq = 11")
    rechain(store)
    report = verify_store(store, found)
    assert (report.anchored, report.foreign) == (0, 1)


def test_sinks_that_fail_say_so(tmp_path: Path) -> None:
    """A place that cannot be written or read is one sentence."""
    for sink in (f"file:{tmp_path}/no/such", f"git:{tmp_path}/no"):
        with pytest.raises(SinkError):
            write(sink, "x")
        with pytest.raises(SinkError):
            read(sink)


def test_a_pipe_in_the_place_of_anchors_is_not_waited_for(store: Store, tmp_path: Path) -> None:
    """Whoever can put a pipe, or a device without an end, where anchors are kept makes neither
    ``anchor`` nor ``verify`` wait for ever.
    """
    pipe, endless = tmp_path / "pipe", tmp_path / "endless"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    with pytest.raises(SinkError, match="cannot be written"):
        anchored(store, f"file:{pipe}")
    for place in (pipe, endless, tmp_path, "/dev/full"):
        with pytest.raises(SinkError, match="is no file"):
            read(f"file:{place}")
    there, here = os.pipe()
    os.write(here, b"one\ntwo\n")
    os.close(here)
    assert read(f"file:/dev/fd/{there}") == ["one", "two"]  # what a shell makes of <(command)
    os.close(there)


def test_an_anchor_of_no_record_is_none(store: Store) -> None:
    """Numbers begin at one: a line with another is told to be unreadable."""
    own = anchoring.record_anchor(store, "file:x")
    assert anchoring.anchors(
        [anchoring.line(own.replace(seq=seq)) for seq in (0, -5, own.seq)]
    ) == ([own], 2)
