"""Retention, export, and rows that are older than the chain."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit.export import CSV, JSONL, export
from interlock.audit.retention import AT_ONCE, prune
from interlock.audit.source import ExportChain, ExportError
from interlock.audit.verify import (
    CHANGED,
    REMOVED,
    UNSIGNED,
    verify,
    verify_store,
)
from interlock.store import chain
from interlock.store.database import Store
from interlock.store.migrations import read_steps
from interlock.store.schema import VERSION

if TYPE_CHECKING:
    from pathlib import Path

from tests.audit import test_verify
from tests.audit.test_verify import CALLS, anchored, change, kinds, rechain, record

store = test_verify.store


def age(store: Store, through: int) -> None:
    """Make the first records old, and the chain follow."""
    change(store, f"UPDATE audit_event SET at = '2020-01-01T00:00:00.000Z' WHERE seq <= {through}")  # noqa: S608 - a number
    rechain(store)


def test_retention_keeps_one_chain(store: Store, tmp_path: Path) -> None:
    """Old records go with their judgements; the rest is verified as before, and younger anchors
    still match.
    """
    found = anchored(store, f"file:{tmp_path}/anchors")
    age(store, 4)
    found = anchored(store, f"file:{tmp_path}/new")
    assert prune(store, "2021") == (4, 3)
    report = verify_store(store, found)
    assert (report.problems, report.base, report.first, report.last) == ((), 4, 5, 14)
    assert report.anchored == 13
    assert store.query("SELECT min(id), count(*) FROM guardrail_audit_log") == [(4, 3)]
    assert prune(store, "2021") == (0, 0)
    record(store, 60)
    change(store, "UPDATE audit_event SET at = '2020' WHERE seq = 6")
    assert kinds(verify_store(store, [])) == [(CHANGED, 6)]


def test_retention_of_everything(store: Store) -> None:
    """Where all records are old one stays, that they went, and it follows from the last of them."""
    assert prune(store, "9999") == (11, CALLS)
    record(store, 80)
    report = verify_store(store, [])
    assert (report.problems, report.first, report.last, report.base) == ((), 12, 13, 11)


def test_retention_in_steps(tmp_path: Path) -> None:
    """More than one step takes at once goes in several."""
    store = Store(str(tmp_path))
    store.commit([chain.event("grant", str(number), {}) for number in range(AT_ONCE + 50)])
    events, _ = prune(store, "9999")
    assert events >= AT_ONCE + 51
    report = verify_store(store, [])
    assert (report.problems, report.unanchored) == ((), 2)


def test_a_base_that_was_moved_is_found(store: Store) -> None:
    """Who cuts off the beginning by hand, and makes up a retention for it, lacks the key that signs
    one.
    """
    age(store, 4)
    change(
        store,
        "DELETE FROM audit_event WHERE seq <= 4",
        "DELETE FROM guardrail_audit_log WHERE id <= 3",
    )
    (hashed,) = store.query("SELECT hash FROM audit_event WHERE seq = 5")[0]
    made_up = {"hash": hashed, "through": 4, "row": 3, "signature": "0" * 64}
    store.commit([chain.event("retention", "", made_up)])
    assert UNSIGNED in {kind for kind, _ in kinds(verify_store(store, []))}


def test_an_export_is_verified_like_the_store(store: Store) -> None:
    """JSON lines hold the whole chain: as it is it is whole, changed in one letter it is not;
    anybody can check it, without a key.
    """
    lines: list[str] = []
    assert export(store, JSONL, lines.append) == 11
    assert verify(ExportChain(lines), [], b"").problems == ()
    changed = [line.replace("said 2", "said 3") for line in lines]
    assert kinds(verify(ExportChain(changed), [], b"")) == [(CHANGED, 9)]
    assert kinds(verify(ExportChain([*lines[:5], *lines[6:]]), [], b"")) == [(REMOVED, 7)]
    assert kinds(verify(ExportChain([*lines[:5], lines[6], lines[5], *lines[7:]]), [], b""))
    for bad in ("[]", "{}", "{", '{"seq": "x"}', lines[3].replace('"seq":4', '"seq":"x"')):
        with pytest.raises(ExportError, match="line 2"):
            ExportChain([lines[0], bad])


def test_every_word_of_an_export_counts(store: Store) -> None:
    """What an export says twice, in the line of a judgement and in that of its outcome, is proven
    both times; nothing in it is unproven.
    """
    lines: list[str] = []
    export(store, JSONL, lines.append)
    for at, text in enumerate(lines):
        said = json.loads(text)
        row = said.get("row", {})
        for part, name in (
            [(said, name) for name in said if name != "row"]
            + [(row, name) for name in row]
            + [(said, "more"), (row, "more")]
        ):
            before = part.get(name)
            part[name] = before + 1 if isinstance(before, int) else f"{before or ''}x"
            changed = json.dumps(said if not row else {**said, "row": row})
            assert broken([*lines[:at], changed, *lines[at + 1 :]]) or (not row and part is row), (
                at,
                name,
            )
            part[name] = before
            if before is None:
                del part[name]
                if name != "more":
                    part[name] = None


def broken(lines: list[str]) -> bool:
    """Tell whether an export is found not to be as it was written."""
    try:
        return bool(verify(ExportChain(lines), [], b"").found)
    except ExportError:
        return True


def test_csv_is_for_tables(store: Store) -> None:
    """A line for each record; what holds a comma, a quote or a line end is one field, and nothing
    is worked out as a formula.
    """
    import csv
    import io

    record(store, 70, '=cmd|"/c calc"!A1,\nx')
    texts: list[str] = []
    export(store, CSV, texts.append)
    rows = list(csv.DictReader(io.StringIO("".join(texts), newline="")))
    assert len(rows) == 12
    assert '=cmd|\\"/c calc\\"!A1,\\nx' in rows[11]["parameters"]
    assert rows[1]["verdict"] == "allow"
    store.commit([chain.event("grant", "=1+1", {})])
    texts.clear()
    export(store, CSV, texts.append)
    assert ",'=1+1," in texts[-1]


def test_rows_from_before_the_chain(tmp_path: Path) -> None:
    """Judgements of version 2 are counted as not covered; one that is gone or came later is
    found.
    """
    with closing(sqlite3.connect(tmp_path / "interlock.db")) as old, old:
        for step in read_steps()[:2]:
            for statement in step:
                old.execute(statement)
        for number in range(3):
            old.execute(
                "INSERT INTO guardrail_audit_log (timestamp, action, validation_result, session_id, decision_id, verdict, strictest, findings, "
                "obligations, checks, effects, facts, coverage, observed, policy_hash, profile, agent, agent_id, call_id, cwd, roots, intent, "
                "prompt_hash, call, judged_us, schema) VALUES ('2026', 'Bash', 'allowed', 's', ?, 'allow', 'allow', '[]', '[]', '[]', '[]', '{}', "
                "'full', 0, '', '', '', '', ?, '', '[]', '', '', '{}', 1, 1)",
                (f"old-{number}", f"c{number}"),
            )
        old.execute("PRAGMA user_version=2")
    old.close()
    (tmp_path / "spool.jsonl").write_text(
        '[["outcome",["ran","x",5,"s","c1"]]]\n[["outcome",["ran","x",5,"s","c1"]]]\n'
    )
    store = Store(str(tmp_path))
    store.commit([])
    record(store, 4)
    assert store.query("PRAGMA user_version") == [(VERSION,)]
    assert store.query(
        "SELECT status, result, duration_ms FROM guardrail_audit_log WHERE decision_id = 'old-1'"
    ) == [("ran", "x", 5)]
    report = verify_store(store, [])
    assert (report.problems, report.older, report.last) == ((), 3, 3)
    change(store, "DELETE FROM guardrail_audit_log WHERE id = 2")
    assert kinds(verify_store(store, [])) == [(REMOVED, 1)]
