"""What a session did before, and what an embedder sees of the guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import interlock
from interlock.audit.log import Audit
from interlock.audit.query import last
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger, SessionState
from interlock.model.action import (
    VERDICT_ALLOW,
    VERDICT_ASK,
)
from interlock.model.call import ToolCall
from interlock.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

from tests.guard.test_check import CALL, HARMLESS, interlock_policy


def test_roots_are_fixed(tmp_path: Path) -> None:
    """The workspace is that of the session's first call; a later folder does not widen it, and
    another session has its own.
    """
    store = Store(str(tmp_path))
    guard = Guard(
        interlock_policy(), ask=NATIVE, facts=Recorded(), audit=Audit(store), ledger=Ledger(store)
    )
    shell = ToolCall("shell", "Bash", {"command": "rm -f ./a"}, "/home/user/p", session="s")
    assert guard.check(shell).verdict == VERDICT_ALLOW
    moved = shell.replace(cwd="/home/user/photos", roots=("/home/user/photos",))
    assert guard.check(moved).verdict == VERDICT_ASK
    assert guard.check(moved.replace(session="t")).verdict == VERDICT_ALLOW


@pytest.mark.parametrize(
    "cwd",
    [
        "/",
        "/home/user",
        "/home",
        "/etc",
        "/usr/lib",
        "",
        "relative",
        "/home/user/p/../..",
        "/root",
        "C:\\Windows\\x",
    ],
)
def test_what_is_no_workspace(tmp_path: Path, cwd: str) -> None:
    """The root, a home, what lies above it and the system's folders are never a workspace; a folder
    below the home is.
    """
    store = Store(str(tmp_path))
    guard = Guard(HARMLESS, ask=NATIVE, facts=Recorded(), audit=Audit(store), ledger=Ledger(store))
    guard.check(CALL.replace(cwd=cwd, roots=(), session="bad"))
    guard.check(CALL.replace(cwd="/home/user/p", roots=(), session="good"))
    assert Ledger(store).session("bad").replace(digest="") == SessionState(True, repeats=1)
    assert Ledger(store).session("good").roots == ("/home/user/p",)


def marked(ledger: Ledger, session: str, subject: str = "") -> frozenset[str]:
    """Return the marks of a session on a path, or on itself."""
    history = ledger.history(session, ledger.session(session))
    return history.labels(subject) if history is not None else frozenset()


def test_marks(tmp_path: Path) -> None:
    """A secret that was read is remembered by its session only, and only where the call may have
    run.
    """
    store = Store(str(tmp_path))
    ledger = Ledger(store)
    shell = ToolCall(
        "shell",
        "Bash",
        {"command": "cat ~/.ssh/id_rsa"},
        "/home/user/p",
        ("/home/user/p",),
        session="s",
    )
    Guard(interlock_policy(), facts=Recorded(), audit=Audit(store), ledger=ledger).check(
        shell.replace(session="denied")
    )
    Guard(
        interlock_policy(), ask=NATIVE, facts=Recorded(), audit=Audit(store), ledger=ledger
    ).check(shell)
    assert marked(ledger, "s") == {"secret-read"}
    assert marked(ledger, "denied") == frozenset()
    assert marked(ledger, "other") == frozenset()


def test_downloads_are_marked(tmp_path: Path) -> None:
    """A file that came over the network is marked, and the next call of the session is told; a file
    that was written is not.
    """
    store = Store(str(tmp_path))
    ledger = Ledger(store)
    guard = Guard(
        interlock_policy(), ask=NATIVE, facts=Recorded(), audit=Audit(store), ledger=ledger
    )
    shell = ToolCall(
        "shell",
        "Bash",
        {"command": "curl -o got.sh https://h.example.net/x; echo a > made.sh"},
        "/home/user/p",
        session="s",
    )
    guard.check(shell)
    assert marked(ledger, "s", "/home/user/p/got.sh") == {"downloaded"}
    assert marked(ledger, "s", "/home/user/p/made.sh") == frozenset()
    guard.check(shell.replace(input={"command": "sh got.sh"}))
    assert '"/home/user/p/got.sh":["downloaded"]' in str(last(store)[0]["facts"])


def test_prompts(tmp_path: Path) -> None:
    """Of a prompt a hash is kept, and the words, without secrets, only where the policy says so."""
    store = Store(str(tmp_path))
    words = "please use password=hunter2 for it"
    guard = Guard(HARMLESS, facts=Recorded(), audit=Audit(store), ledger=Ledger(store))
    assert guard.prompted(CALL, words) == ()
    guard.check(CALL)
    assert last(store)[0]["prompt_hash"] == Audit(store).redactor.digest(words)
    assert store.query("SELECT prompt FROM session") == [("",)]
    Guard(
        HARMLESS.replace(prompts_full=True),
        facts=Recorded(),
        audit=Audit(store),
        ledger=Ledger(store),
    ).prompted(CALL, words)
    ((kept,),) = store.query("SELECT prompt FROM session")
    assert kept.startswith("please use password=<password:")


def test_public_names() -> None:
    """The package gives its public names and no others."""
    assert interlock.Guard is Guard
    assert [getattr(interlock, name).__name__ for name in interlock.__all__] == interlock.__all__
    with pytest.raises(AttributeError, match="Guardian"):
        interlock.Guardian  # noqa: B018


def test_unknown_parts_are_refused() -> None:
    """A misspelt part is an error, not a guard without it."""
    with pytest.raises(TypeError, match="audti"):
        Guard(HARMLESS, facts=Recorded(), audti=None)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="facts"):
        Guard(HARMLESS)  # type: ignore[call-arg]
