"""A stop as a whole: the flag, the processes, checkpoints, the record, and who is told."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.cli import build
from interlock.cli.main import main
from interlock.cli.stop import lines
from interlock.guard import stopping
from interlock.guard.stopping import StopCommand, StopContext, StopResult, stop
from interlock.model.call import SHELL, ToolCall
from interlock.stop import processes as of_processes
from interlock.stop.processes import (
    CALL_TAG,
    CALL_TAGS,
    TAG,
    SessionProcesses,
    tags_of,
)
from interlock.stop.rehearsal import Rehearsal
from interlock.stop.sessions import sessions_of
from interlock.store.database import Store
from tests.stop.children import OWN, SLEEP, agent_of, ended, started


class Room:
    """A store with a session whose agent runs, and its workspace."""

    def __init__(self, folder: Path, session: Rehearsal) -> None:
        self.store = Store(str(folder / "state"))
        self.root = folder / "work"
        self.root.mkdir()
        (self.root / "file").write_text("x", encoding="ascii")
        self.told: list[tuple[str, str]] = []
        audit = Audit(self.store)
        self.desk = StopContext(
            audit, lambda: Checkpoints(self.store.folder), self.tell, grouped=False
        )
        self.store.commit(
            [
                session.noted(),
                ("session", (session.session, "2026-11-21T00:00:00Z", f'["{self.root}"]')),
            ]
        )
        self.session = session

    def tell(self, title: str, text: str) -> tuple[str, ...]:
        """Be told."""
        self.told.append((title, text))
        return ()

    def stop(self, scope: str, why: str = "a reason") -> StopResult:
        """Stop a scope."""
        return stop(self.desk, StopCommand(scope, why, "ann"))


@pytest.mark.parametrize("scope", ["session:{session}", "project:{root}", "all"])
def test_a_stop_ends_keeps_records_and_tells(
    tmp_path: Path, session: Rehearsal, scope: str
) -> None:
    """Every scope that the session belongs to; the checkpoint holds its workspace, the audit and
    people get to know.
    """
    room = Room(tmp_path, session)
    done = room.stop(
        scope.format(session=session.session, root=room.root), "key AKIAIOSFODNN7EXAMPLE leaked"
    )
    assert (done.killed.count, done.killed.survivors, done.problems) == (8, (), ())
    assert session.left() == 0
    head = Checkpoints(room.store.folder).vault.head(done.checkpoints[0])
    assert (head.roots, head.files) == ((str(room.root),), 1)
    (body,) = room.store.query("SELECT body FROM audit_event WHERE kind = 'stop'")[0]
    assert "8" in body
    assert room.told
    for text in (body, *room.told[0]):
        assert "AKIAIOSFODNN7EXAMPLE" not in text


def test_another_scope_ends_nothing(tmp_path: Path, session: Rehearsal) -> None:
    """The twin: a session beside it, a folder beside its workspace."""
    room = Room(tmp_path, session)
    for scope in ("session:other", f"project:{room.root}-2", "agent:codex", "tenant:acme"):
        assert room.stop(scope).killed.count == 0
    assert session.left() == 8


def test_what_fails_is_said_and_the_rest_is_done(tmp_path: Path, session: Rehearsal) -> None:
    """No checkpoint, nobody to tell, no audit: the flag stands and the processes are ended."""
    room = Room(tmp_path, session)

    def broken(*_: object) -> tuple[str, ...]:
        raise OSError("no")

    (tmp_path / "state/checkpoints").write_text("x", encoding="ascii")
    room.desk = room.desk.replace(notify=broken)
    done = room.stop(f"session:{session.session}")
    assert done.killed.count == 8
    assert any("No checkpoint" in problem for problem in done.problems)
    assert any("Nobody could be told" in problem for problem in done.problems)
    assert (tmp_path / "state/flags").exists()


def test_what_is_only_starting_is_seen_a_moment_later() -> None:
    """Between fork(2) and execve(2) a process has no tag yet; its number and its ticks are the same
    when it has.
    """
    script = f"read go; {TAG}={OWN} exec {shlex.join(SLEEP)}"
    child = subprocess.Popen(
        ["/bin/sh", "-c", script], stdin=subprocess.PIPE, env={"PATH": os.defpath}
    )
    finder = SessionProcesses((), tags_of([OWN]))
    try:
        assert finder.find() == {}
        assert child.stdin is not None
        child.stdin.close()
        end = time.monotonic() + 60
        while not finder.find() and time.monotonic() < end:
            time.sleep(0.01)
        assert list(finder.find()) == [child.pid]
    finally:
        child.kill()
        child.wait()


def test_one_call_is_ended_without_a_flag(tmp_path: Path, session: Rehearsal) -> None:
    """What interlock itself runs bears its decision's id; the session goes on."""
    room = Room(tmp_path, session)
    child = started(**{TAG: session.session, CALL_TAG: OWN})
    try:
        done = stop(room.desk, StopCommand("all", "a reason", "ann"), call=OWN)
        assert (done.killed.count, done.problems) == (1, ())
        assert (child.wait(60), session.left()) == (-9, 8)
        assert list((tmp_path / "state").glob("flags/*")) == []
    finally:
        child.kill()
        child.wait()


SCOPES = (
    ("all", "s1 s2 s3"), ("session:s1", "s1"), ("session:s", ""), ("agent:claude-code", "s1 s2"), ("agent:codex", "s3"), ("agent:claude", ""),
    ("tenant:acme", "s1 s3"), ("tenant:acm", ""), ("user:ann", "s1"), ("user:bob", "s2 s3"), ("user:", ""), ("project:{top}/one", "s1"),
    ("project:{top}", "s1 s2 s3"), ("project:{top}/on", ""), ("agent:s1/a1", ""), ("nonsense:x", ""),
)  # fmt: skip
"""Scopes, and the sessions of the three below whose processes belong to each. A sub-agent's cannot
be told from its session's.
"""


def test_each_scope_means_its_sessions(tmp_path: Path) -> None:
    """By the client, tenant and user of their calls, by their folders; near misses mean none."""
    guard = build.guard({"HOME": str(tmp_path / "home"), "PATH": os.defpath}, "native")
    assert guard.store is not None
    for session, agent, tenant, user, name in (
        ("s1", "claude-code", "acme", "ann", "one"),
        ("s2", "claude-code", "", "bob", "two"),
        ("s3", "codex", "acme", "bob", "three"),
    ):
        root = tmp_path / name
        root.mkdir()
        guard.check(
            ToolCall(
                SHELL,
                "Bash",
                {"command": "ls"},
                str(root),
                (str(root),),
                session=session,
                agent=agent,
                tenant=tenant,
                user=user,
            )
        )
    for scope, meant in SCOPES:
        assert {one.id for one in sessions_of(guard.store, scope.format(top=tmp_path))} == set(
            meant.split()
        ), scope


@pytest.mark.parametrize("name", CALL_TAGS)
def test_one_call_is_ended_by_its_clients_own_id(
    tmp_path: Path, session: Rehearsal, name: str
) -> None:
    """Only together with its session's tag: ids of calls are the model's, and two sessions may have
    the same one.
    """
    room = Room(tmp_path, session)
    call = ToolCall(
        SHELL, "Bash", {"command": "ls"}, "/", session=session.session, call_id="call_1"
    )
    decision = build.guard({"HOME": str(tmp_path / "home"), "PATH": os.defpath}, "native").check(
        call
    )
    room.desk = room.desk.replace(audit=Audit(Store(str(tmp_path / "home/.local/state/interlock"))))
    children = {
        "it": started(CODEX_THREAD_ID=session.session, **{name: "call_1"}),
        "another call": started(CODEX_THREAD_ID=session.session, **{name: "call_2"}),
        "another session": started(CODEX_THREAD_ID="other", **{name: "call_1"}),
        "no session": started(**{name: "call_1"}),
    }
    done = stop(room.desk, StopCommand("all", "a reason", "ann"), call=decision.id)
    assert (ended(children), done.killed.count, session.left()) == ({"it"}, 1, 8)
    again = stop(room.desk, StopCommand("all", "a reason", "ann"), call=decision.id)
    assert (again.killed.count, "bears this call's mark" in " ".join(again.problems)) == (0, True)


def test_every_session_of_a_process_is_known(tmp_path: Path, session: Rehearsal) -> None:
    """A client that begins a new session in the same process, or a program that serves several:
    each has its agent, and knows of the others.
    """
    room = Room(tmp_path, session)
    write, values = session.noted()
    room.store.commit([(write, (*values[:3], "second", *values[4:]))])
    (first,), (second,) = [
        sessions_of(room.store, f"session:{name}") for name in (session.session, "second")
    ]
    assert first.agents == second.agents == tuple(agent_of(session))
    assert (first.beside, second.beside) == (("second",), (session.session,))
    assert [one.beside for one in sessions_of(room.store, "session:third")] == []
    assert room.stop("session:second").killed.count == 0
    assert session.left() == 8


def test_the_drill_proves_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """26 processes are started and none is left; nothing stays stopped."""
    monkeypatch.setenv("HOME", str(tmp_path))
    code = main(["stop", "--drill"])
    said = capsys.readouterr().out
    assert (code, "26 of 26" in said, "FAILED" in said) == (0, True, False), said
    assert list((tmp_path / ".local/state/interlock/flags").iterdir()) == []


def test_where_processes_cannot_be_seen_that_is_said(
    tmp_path: Path, session: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and Windows: calls are denied, nothing is ended, and the answer says so."""
    room = Room(tmp_path, session)
    for module in (of_processes, stopping):
        monkeypatch.setattr(module, "running", dict)
    done = room.stop(f"session:{session.session}")
    monkeypatch.undo()
    assert (done.killed.count, session.left()) == (0, 8)
    assert "processes cannot be seen" in " ".join(done.problems)
    assert (tmp_path / "state/flags").exists()


def test_a_problem_is_shown_on_a_terminal() -> None:
    """What went wrong is told in a colour that there is, and every line is there."""
    painted = lines(StopResult("session:s1", "x", problems=("it did not",)), colour=True)
    assert any("it did not" in line and line.startswith("\x1b[") for line in painted)
    assert painted[-1] == "to resume: interlock resume --session s1"
