"""A stop ends a session's processes, all of them where it can, and never anybody else's."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.cli import build
from interlock.cli.main import main
from interlock.cli.stop import lines
from interlock.facts import processes
from interlock.guard import stopping
from interlock.guard.stopping import Desk, Order, Stopped, stop
from interlock.model.call import SHELL, ToolCall
from interlock.stop import cgroup
from interlock.stop import processes as of_processes
from interlock.stop.kill import CGROUP, SIGNALS, Hold, send
from interlock.stop.processes import (
    CALL_TAG,
    CALL_TAGS,
    SESSION_TAGS,
    TAG,
    Belonging,
    gone,
    tags_of,
)
from interlock.stop.rehearsal import Rehearsal
from interlock.stop.sessions import sessions_of
from interlock.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are seen by /proc only")
NOBODY = 65534
OWN = f"test-{os.getpid()}-{os.urandom(4).hex()}"
"""A session of this run alone: what bears it is ended on the whole machine."""
SLEEP = [sys.executable, "-c", "import time; time.sleep(300)"]


def writable() -> bool:
    """Whether this machine lets us make control groups."""
    made = cgroup.make([])
    if made is not None:
        made.close()
    return made is not None


needs_groups = pytest.mark.skipif(not writable(), reason="no control group may be made here")
GROUPED = [pytest.param(True, id="cgroup", marks=needs_groups), pytest.param(False, id="signals")]


@pytest.fixture(name="session")
def running() -> Iterator[Rehearsal]:
    """A small session: an agent, four stubborn children, two in a session of their own, two
    daemons.
    """
    session = Rehearsal({"PATH": os.defpath}, stubborn=4, apart=2)
    yield session
    session.end()


def agent_of(session: Rehearsal) -> list[tuple[int, int]]:
    """Return the agent as it is recorded."""
    itself = processes.running(session.agent.pid)
    assert itself is not None
    return [(itself.pid, itself.ticks)]


@pytest.mark.parametrize("grouped", GROUPED)
def test_what_bears_the_tag_is_ended_to_the_last(session: Rehearsal, *, grouped: bool) -> None:
    """Those that ignore SIGTERM, those with a session of their own, daemons; the agent itself lives
    on.
    """
    killed = Hold(
        Belonging(agent_of(session), [f"{TAG}={session.session}"]), grouped=grouped
    ).kill()
    assert (killed.count, killed.survivors, killed.how) == (8, (), CGROUP if grouped else SIGNALS)
    assert session.left() == 0
    assert session.agent.poll() is None


@pytest.mark.parametrize("grouped", GROUPED)
def test_without_a_tag_only_daemons_are_out_of_reach(session: Rehearsal, *, grouped: bool) -> None:
    """What left its parents behind and bears no tag cannot be told from anybody else's, so it
    lives: two of eight.
    """
    killed = Hold(Belonging(agent_of(session), []), grouped=grouped).kill()
    assert killed.count == 6
    assert session.left() == 2
    Hold(Belonging((), [f"{TAG}={session.session}"]), grouped=False).kill()


@pytest.mark.parametrize("grouped", GROUPED)
def test_nobody_elses_process_is_touched(session: Rehearsal, *, grouped: bool) -> None:
    """A process beside the agent, one with another session's tag, one whose tag only begins alike,
    the test itself: all live.
    """
    bystanders = [
        subprocess.Popen(SLEEP, env={"PATH": os.defpath, **more})
        for more in (
            {},
            {TAG: "another"},
            {TAG: session.session + "-2"},
            {"X": f"{TAG}={session.session}"},
            {CALL_TAG: session.session},
        )
    ]
    try:
        Hold(Belonging(agent_of(session), [f"{TAG}={session.session}"]), grouped=grouped).kill()
        assert [one.poll() for one in bystanders] == [None] * len(bystanders)
        stopped = [
            process for one in bystanders if (process := processes.running(one.pid)) is not None
        ]
        assert len(stopped) == len(bystanders)
    finally:
        for one in bystanders:
            one.kill()
            one.wait()


def test_who_stops_is_not_stopped_with_it() -> None:
    """A stop that is called from inside the session ends its siblings, and neither itself nor the
    shells above it.
    """
    program = f"""
import os, subprocess, sys
from interlock.facts import processes
from interlock.stop.processes import Belonging
from interlock.stop.kill import Hold
sibling = subprocess.Popen({SLEEP!r})
above = processes.running(os.getppid())
killed = Hold(Belonging([(above.pid, above.ticks)], ["{TAG}={OWN}"])).kill()
print(killed.count, sibling.wait(), killed.survivors)
"""
    # under a shell of its own: this process may have others below it
    line = ["/bin/sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, program]
    done = subprocess.run(
        line, env={"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path), TAG: OWN}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["1", "-9", "()"], done.stderr


def test_a_number_that_was_used_again_gets_no_signal() -> None:
    """A process is told by its number and when it began."""
    child = subprocess.Popen(SLEEP)
    try:
        itself = processes.running(child.pid)
        assert itself is not None
        send(child.pid, itself.ticks + 1, 9)
        time.sleep(0.05)
        assert child.poll() is None
        assert gone(child.pid, itself.ticks + 1)
        send(child.pid, itself.ticks, 9)
        assert child.wait() == -9
    finally:
        child.kill()
        child.wait()


def started(**variables: str) -> subprocess.Popen[bytes]:
    """Start a process that bears variables."""
    return subprocess.Popen(SLEEP, env={"PATH": os.defpath, **variables})


def ended(children: dict[str, subprocess.Popen[bytes]]) -> set[str]:
    """Return which of the children were killed, and end the others."""
    dead = {name for name, child in children.items() if child.poll() is not None}
    for child in children.values():
        child.kill()
        child.wait()
    return dead


@pytest.mark.parametrize("name", SESSION_TAGS)
def test_a_clients_own_tag_is_as_good(name: str) -> None:
    """A process that bears the session's id under the name that its client gives it is ended; the
    id under another name is nobody's.
    """
    children = {
        "tagged": started(**{name: OWN}),
        "another": started(**{name: OWN + "-2"}),
        "elsewhere": started(SOME_ID=OWN),
    }
    Hold(Belonging((), tags_of([OWN])), grouped=False).kill()
    assert ended(children) == {"tagged"}


def test_an_agent_that_serves_two_sessions_loses_only_the_one_that_is_meant() -> None:
    """What bears the other session's tag lives, with what it started; what bears none was started
    by the agent that is meant, and goes.
    """
    itself = processes.this()
    assert itself is not None
    shell = "env -i sleep 300 & echo $!; wait"  # what it starts bears nothing
    below = subprocess.Popen(
        ["/bin/sh", "-c", shell],
        env={"PATH": "/usr/bin:/bin", TAG: OWN + "-2"},
        stdout=subprocess.PIPE,
    )
    assert below.stdout is not None
    inner = int(below.stdout.readline())
    children = {
        "mine": started(**{TAG: OWN}),
        "none": started(),
        "other": started(CODEX_THREAD_ID=OWN + "-2"),
        "shell": below,
    }
    try:
        meant = Belonging(
            [(itself.pid, itself.ticks)], tags_of([OWN]), beside=tags_of([OWN + "-2"])
        ).find()
        assert [name for name, child in children.items() if child.pid in meant] == ["mine", "none"]
        assert inner not in meant
        assert inner in Belonging([(itself.pid, itself.ticks)], tags_of([OWN])).find()
    finally:
        os.kill(inner, signal.SIGKILL)
        below.stdout.close()
        ended(children)


def as_somebody_else(group: Path) -> list[object]:
    """In a process that is a user without rights, in this group: start three of its own, end them;
    return how many, how, and who survived.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            for _ in range(3):
                subprocess.Popen(
                    ["/bin/sleep", "300"], env={TAG: OWN}, start_new_session=True, cwd="/"
                )
            killed = Hold(Belonging((), [f"{TAG}={OWN}"])).kill()
            os.write(
                writer, json.dumps([killed.count, killed.how, killed.survivors]).encode("ascii")
            )
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="ascii") as file:
        said = file.read()
    os.waitpid(child, 0)
    return list(json.loads(said))


@needs_groups
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # of os.fork
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a group and hands it over")
@pytest.mark.parametrize("delegated", [True, False])
def test_a_user_without_rights_uses_a_group_that_was_handed_over(*, delegated: bool) -> None:
    """As systemd hands a user their own part of the hierarchy (Delegate=): it is used; where
    nothing was handed over, signals end as many.
    """
    group = Path(cgroup.mounted()) / f"interlock-test-{os.getpid()}"
    group.mkdir()
    try:
        if delegated:
            for path in (
                group,
                *[
                    group / name
                    for name in ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads")
                ],
            ):
                os.chown(path, NOBODY, NOBODY)
        assert as_somebody_else(group) == [3, CGROUP if delegated else SIGNALS, []]
    finally:
        end = time.monotonic() + 60
        while (group / "cgroup.procs").read_text(encoding="ascii") and time.monotonic() < end:
            time.sleep(0.01)
        for inner in group.glob(f"{cgroup.NAME}-*"):
            inner.rmdir()
        group.rmdir()


# -- the whole order -------------------------------------------------------------------------------


class Room:
    """A store with a session whose agent runs, and its workspace."""

    def __init__(self, folder: Path, session: Rehearsal) -> None:
        self.store = Store(str(folder / "state"))
        self.root = folder / "work"
        self.root.mkdir()
        (self.root / "file").write_text("x", encoding="ascii")
        self.told: list[tuple[str, str]] = []
        audit = Audit(self.store)
        self.desk = Desk(audit, lambda: Checkpoints(self.store.folder), self.tell, grouped=False)
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

    def stop(self, scope: str, why: str = "a reason") -> Stopped:
        """Stop a scope."""
        return stop(self.desk, Order(scope, why, "ann"))


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
    finder = Belonging((), tags_of([OWN]))
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
        done = stop(room.desk, Order("all", "a reason", "ann"), call=OWN)
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
    done = stop(room.desk, Order("all", "a reason", "ann"), call=decision.id)
    assert (ended(children), done.killed.count, session.left()) == ({"it"}, 1, 8)
    again = stop(room.desk, Order("all", "a reason", "ann"), call=decision.id)
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
    painted = lines(Stopped("session:s1", "x", problems=("it did not",)), colour=True)
    assert any("it did not" in line and line.startswith("\x1b[") for line in painted)
    assert painted[-1] == "to resume: interlock resume --session s1"
