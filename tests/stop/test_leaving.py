"""What a session left running ends with it, however it was left; what is somebody else's lives on,
and so does all of it until then.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from interlock.audit.redact import Redactor
from interlock.cli.alarm import Alarm
from interlock.stop.processes import OURS, TAG
from tests.agent.processes import alive, gone, started
from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are seen by /proc only")

LEFT = {
    "in the background": "sh -c 'echo $$ > {mark}; exec sleep 600'",
    "with a session of its own": "setsid sh -c 'echo $$ > {mark}; exec sleep 600'",
    "deaf to the terminal": "nohup sh -c 'echo $$ > {mark}; exec sleep 600' > /dev/null 2>&1",
    "a daemon": "(setsid sh -c 'echo $$ > {mark}; exec sleep 600' &)",
    "a daemon without a variable": "(env -i setsid sh -c 'echo $$ > {mark}; exec sleep 600' &)",
    "deaf to the request to end": "sh -c 'trap \"\" TERM; echo $$ > {mark}; while :; do sleep 1; done'",
}
SESSION = f"""
import os, subprocess, sys, time
from interlock.stop.leftovers import leaving
with leaving(sys.argv[1], "here") as left:
    environment = {{**os.environ, "{TAG}": sys.argv[1]}}
    for line in sys.argv[4:]:
        subprocess.run(["/bin/sh", "-c", line + " &"], env=environment, stdout=subprocess.DEVNULL)
    open(sys.argv[2], "w").write(f"{{os.getpid()}}\\n")
    while not os.path.exists(sys.argv[3]):
        time.sleep(0.02)
"""


class Begun:
    """A session in a process of its own, with commands that leave something running."""

    def __init__(self, folder: Path, *lines: str) -> None:
        self.marks = [folder / f"mark{number}" for number in range(len(lines))]
        self.ends, ready = folder / "ends", folder / "ready"
        told = [line.format(mark=mark) for line, mark in zip(lines, self.marks, strict=True)]
        given = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", SESSION, f"left-{os.getpid()}-{os.urandom(4).hex()}", str(ready), str(self.ends), *told], env=given, text=True,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        started(ready)
        self.pids = [started(mark) for mark in self.marks]

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return its exit code and what it said."""
        said = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode, said


def test_what_was_left_ends_with_the_session_and_not_before(tmp_path: Path) -> None:
    """Every way to leave something running; a process beside it, of another session and of none,
    lives on.
    """
    others = [
        subprocess.Popen(["/bin/sleep", "600"], env=more, start_new_session=True)
        for more in ({}, {TAG: "another"}, {TAG: "left"})
    ]
    try:
        session = Begun(tmp_path, *LEFT.values())
        assert [alive(pid) for pid in session.pids] == [True] * len(LEFT)
        session.ends.touch()
        code, said = session.ended()
        for pid in session.pids:
            gone(pid)
        assert (code, said.startswith("here: ended "), "lives all the same" in said) == (
            0,
            True,
            False,
        )
        assert [one.poll() for one in others] == [None] * len(others)
    finally:
        for one in others:
            one.kill()
            one.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=str)
def test_who_ends_the_session_from_outside_ends_what_it_left(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A request to end, a terminal that is gone, an interrupt."""
    session = Begun(tmp_path, LEFT["a daemon"], LEFT["a daemon without a variable"])
    os.kill(session.process.pid, number)
    assert session.ended()[0] in (128 + number, -number)
    for pid in session.pids:
        gone(pid)


def test_a_session_that_left_nothing_says_nothing(tmp_path: Path) -> None:
    """The twin: no word, no wait."""
    session = Begun(tmp_path)
    session.ends.touch()
    assert session.ended() == (0, "")


def test_children_from_before_and_their_orphans_are_somebody_elses(tmp_path: Path) -> None:
    """A shell that became this process had children already: then only what bears the tag is the
    session's.
    """
    script = f"""
import os, subprocess, sys
sys.argv = ["-", {f"left-{os.urandom(4).hex()}"!r}, {str(tmp_path / "ready")!r}, {str(tmp_path / "ends")!r},
            "sh -c 'echo $$ > {tmp_path / "mine"}; exec sleep 600'"]
before = subprocess.Popen(
    ["/bin/sh", "-c", "(setsid sh -c 'echo $$ > {tmp_path / "other"}; exec sleep 600' &) ; echo $$ > {tmp_path / "child"}; exec sleep 600"]
)
exec({SESSION!r})
"""
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    process = subprocess.Popen([sys.executable, "-c", script], env=given, stderr=subprocess.DEVNULL)
    mine, other, child = [started(tmp_path / name) for name in ("mine", "other", "child")]
    try:
        (tmp_path / "ends").touch()
        process.wait(PATIENCE)
        gone(mine)
        assert [alive(other), alive(child)] == [True, True]
    finally:
        for pid in (other, child):
            os.kill(pid, signal.SIGKILL)


def test_who_tells_people_is_spared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What interlock starts to tell people bears a tag that says so, by which no session's end ends
    it.
    """
    told, python = tmp_path / "told", tmp_path / "python"
    python.write_text(f"#!/bin/sh\nenv > {told}.new; mv {told}.new {told}\n", encoding="utf-8")
    python.chmod(0o700)
    monkeypatch.setattr("interlock.cli.alarm.sys.executable", str(python))
    alarm = Alarm(
        {TAG: "left", "PATH": os.defpath}, str(tmp_path), Redactor(lambda: b"k" * 32), ("terminal",)
    )
    assert alarm.tell("a title", "a text") == ()
    monkeypatch.undo()
    end = time.monotonic() + PATIENCE
    while not told.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert OURS in told.read_text(encoding="utf-8").split("\n")
    session = Begun(
        tmp_path, f"{OURS} exec setsid sh -c 'echo $$ > {{mark}}; exec sleep 600' 2> /dev/null"
    )
    session.ends.touch()
    try:
        assert (session.ended(), alive(session.pids[0])) == ((0, ""), True)
    finally:
        os.kill(session.pids[0], signal.SIGKILL)


def test_a_tool_server_that_is_ended_ends_what_runs(tmp_path: Path) -> None:
    """SIGTERM in the middle of a call: the command and what left it behind are gone with the
    server.
    """
    (tmp_path / "project").mkdir()
    mark = tmp_path / "project/mark"
    command = f"(setsid sh -c 'date +%s%N > {mark}; exec sleep 600' &) ; sleep 600"
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "bash", "arguments": {"command": command}},
    }
    given = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    answers = tmp_path / "answers"
    with (
        answers.open("wb") as printed,
        subprocess.Popen(
            [sys.executable, "-m", "interlock", "tools"],
            stdin=subprocess.PIPE,
            stdout=printed,
            cwd=tmp_path / "project",
            env=given,
        ) as server,
    ):
        assert server.stdin is not None
        server.stdin.write(json.dumps(call).encode() + b"\n")
        server.stdin.flush()
        end = time.monotonic() + PATIENCE
        while not mark.exists():
            assert (server.poll(), answers.read_text()) == (None, "")
            assert time.monotonic() < end
            time.sleep(0.02)
        below = _below(server.pid)
        assert below
        server.terminate()
        assert server.wait(PATIENCE) == 143
    for pid in below:
        gone(pid)


def _below(pid: int) -> list[int]:
    """Return all that descends from a process."""
    found, left = [], [pid]
    while left:
        above = left.pop()
        with open(f"/proc/{above}/task/{above}/children", encoding="ascii") as file:
            more = [int(word) for word in file.read().split()]
        found += more
        left += more
    return found
