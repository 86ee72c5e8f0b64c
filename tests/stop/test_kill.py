"""A stop ends a session's processes, all of them where it can, and never anybody else's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.facts import processes
from interlock.stop import cgroup
from interlock.stop.kill import CGROUP, SIGNALS, HaltedProcesses, send
from interlock.stop.processes import (
    CALL_TAG,
    SESSION_TAGS,
    TAG,
    SessionProcesses,
    is_gone,
    tags_of,
)
from interlock.stop.rehearsal import Rehearsal
from tests.stop.children import OWN, SLEEP, agent_of, ended, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are seen by /proc only")
NOBODY = 65534


def writable() -> bool:
    """Whether this machine lets us make control groups."""
    made = cgroup.make([])
    if made is not None:
        made.close()
    return made is not None


needs_groups = pytest.mark.skipif(not writable(), reason="no control group may be made here")
GROUPED = [pytest.param(True, id="cgroup", marks=needs_groups), pytest.param(False, id="signals")]


@pytest.mark.parametrize("grouped", GROUPED)
def test_what_bears_the_tag_is_ended_to_the_last(session: Rehearsal, *, grouped: bool) -> None:
    """Those that ignore SIGTERM, those with a session of their own, daemons; the agent itself lives
    on.
    """
    killed = HaltedProcesses(
        SessionProcesses(agent_of(session), [f"{TAG}={session.session}"]), grouped=grouped
    ).kill()
    assert (killed.count, killed.survivors, killed.how) == (8, (), CGROUP if grouped else SIGNALS)
    assert session.left() == 0
    assert session.agent.poll() is None


@pytest.mark.parametrize("grouped", GROUPED)
def test_without_a_tag_only_daemons_are_out_of_reach(session: Rehearsal, *, grouped: bool) -> None:
    """What left its parents behind and bears no tag cannot be told from anybody else's, so it
    lives: two of eight.
    """
    killed = HaltedProcesses(SessionProcesses(agent_of(session), []), grouped=grouped).kill()
    assert killed.count == 6
    assert session.left() == 2
    HaltedProcesses(SessionProcesses((), [f"{TAG}={session.session}"]), grouped=False).kill()


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
        HaltedProcesses(
            SessionProcesses(agent_of(session), [f"{TAG}={session.session}"]), grouped=grouped
        ).kill()
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
from interlock.stop.processes import SessionProcesses
from interlock.stop.kill import HaltedProcesses
sibling = subprocess.Popen({SLEEP!r})
above = processes.running(os.getppid())
killed = HaltedProcesses(SessionProcesses([(above.pid, above.ticks)], ["{TAG}={OWN}"])).kill()
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
        assert is_gone(child.pid, itself.ticks + 1)
        send(child.pid, itself.ticks, 9)
        assert child.wait() == -9
    finally:
        child.kill()
        child.wait()


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
    HaltedProcesses(SessionProcesses((), tags_of([OWN])), grouped=False).kill()
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
        meant = SessionProcesses(
            [(itself.pid, itself.ticks)], tags_of([OWN]), beside=tags_of([OWN + "-2"])
        ).find()
        assert [name for name, child in children.items() if child.pid in meant] == ["mine", "none"]
        assert inner not in meant
        assert inner in SessionProcesses([(itself.pid, itself.ticks)], tags_of([OWN])).find()
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
            killed = HaltedProcesses(SessionProcesses((), [f"{TAG}={OWN}"])).kill()
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
    group = Path(cgroup.find_mount()) / f"interlock-test-{os.getpid()}"
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
