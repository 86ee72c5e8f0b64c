"""A call whose end was told more than once: denied, and run all the same. Its row says the newest;
nobody changed anything, and what somebody does change is found.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest

from interlock.audit.export import export
from interlock.audit.source import ExportChain
from interlock.audit.verify import CHANGED, verify, verify_store
from interlock.cli import build
from interlock.model.call import Outcome, ToolCall
from interlock.sidecar.reading import portion
from interlock.store.database import Store
from interlock.wire.batch import pack_lines, unpack_lines, wrong

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ENDS = ("ran", "refused", "failed")


def told(home: Path, command: str, ends: Sequence[str], call_id: str = "c") -> Store:
    """Return a store in which a call's end was told so often."""
    guard = build.guard({"HOME": str(home)}, folder=str(home))
    call = ToolCall(
        "shell", "Bash", {"command": command}, str(home), (str(home),), session="s",
        agent="claude-code", call_id=call_id,
    )  # fmt: skip
    guard.check(call)
    for number, status in enumerate(ends, 1):
        guard.outcome(Outcome(call, status, f"said {number}", number))
    return Store(f"{home}/.local/state/interlock")


def exported(store: Store) -> list[str]:
    """Return the lines of an export."""
    lines: list[str] = []
    export(store, "jsonl", lines.append)
    return lines


@pytest.mark.parametrize("command", ["ls", "rm -rf /"])
@pytest.mark.parametrize("call_id", ["c", ""])
def test_what_was_told_twice_is_as_it_was_written(
    tmp_path: Path, command: str, call_id: str
) -> None:
    """Whichever ends, in the store, in an export and in what is sent."""
    for number, ends in enumerate(product(ENDS, repeat=3)):
        store = told(tmp_path / str(number), command, ends, call_id)
        assert verify_store(store, []).problems == (), ends
        assert verify(ExportChain(exported(store)), [], b"").problems == (), ends
        some = portion(store, 0)
        assert some is not None
        previous = some.previous
        for line in unpack_lines(pack_lines(some.lines)):
            assert wrong(line, previous) == "", ends
            previous = line.hash
        store.close()


@pytest.mark.parametrize(
    "setting",
    [
        "status = 'refused', result = 'said 1', duration_ms = 1",
        "status = 'failed'", "result = 'x'", "status = NULL, result = NULL, duration_ms = NULL",
    ],
)  # fmt: skip
def test_a_row_that_was_set_back_is_found(tmp_path: Path, setting: str) -> None:
    """Also to what an older record says: a denied call that ran did not stay refused. In the store,
    in an export, and in what is sent.
    """
    store = told(tmp_path, "rm -rf /", ("refused", "ran"))
    assert verify_store(store, []).problems == ()
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(f"UPDATE guardrail_audit_log SET {setting}")  # noqa: S608 - our own
    store = Store(store.folder)
    for report in (verify_store(store, []), verify(ExportChain(exported(store)), [], b"")):
        assert [(one.kind, one.seq) for one in report.problems] == [(CHANGED, 4)]
    some = portion(store, 0)
    assert some is not None
    lines = unpack_lines(pack_lines(some.lines))
    told_of = [wrong(line, before.hash) for before, line in pairwise(lines)]
    assert [one.startswith("what became of") for one in told_of] == [False, False, True]
    store.close()
