"""A real service, a real sidecar, real hooks: ended with ``kill -9`` in the middle, and nothing
that was acknowledged is lost, and nothing is there twice.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from interlock.sidecar.reading import ends, hash_of
from interlock.sidecar.run import is_running
from interlock.store.database import Store
from interlock.store.elsewhere import ENROLLED, load_progress
from interlock.wire.batch import lines
from tests.serving import filled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60


class Machine:
    """A home with an interlock of its own, and processes that end with the test."""

    def __init__(self, home: Path, ending: ExitStack) -> None:
        self.home, self._ending = home, ending
        home.mkdir(exist_ok=True)
        self.store = Store(f"{home}/.local/state/interlock")

    @property
    def environment(self) -> dict[str, str]:
        """Return what its processes find around them."""
        return {**os.environ, "HOME": str(self.home), "INTERLOCK_RESIDENT": "off"}

    def interlock(
        self, *words: str, text: str = "", more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; ``more``: variables that it finds, too."""
        return subprocess.run(
            [sys.executable, "-m", "interlock", *words],
            input=text, env={**self.environment, **(more or {})}, cwd=self.home, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip

    def start(self, *words: str, errors: int | None = None) -> subprocess.Popen[str]:
        """Start a command. ``errors``: where what it complains of goes."""
        process = subprocess.Popen(
            [sys.executable, "-m", "interlock", *words],
            env=self.environment, cwd=self.home, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
        self._ending.callback(self._end, process)
        return process

    def served(self) -> subprocess.Popen[str]:
        """Start a service and wait until it is ready."""
        process = self.start("serve")
        assert process.stdout is not None
        assert "ready at" in process.stdout.readline()
        return process

    def hook(self, command: str) -> int:
        """Have its hook judge a command; return the exit code."""
        event = {
            "session_id": "s",
            "cwd": str(self.home),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"t{time.monotonic_ns()}",
        }
        return self.interlock("hook", "claude-code", text=json.dumps(event)).returncode

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=SECONDS)


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    """End what a test started."""
    with ExitStack() as stack:
        yield stack


def until_sent(machine: Machine) -> int:
    """Wait until a machine's record is acknowledged; return its last number."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        last = ends(machine.store)[1]
        state = load_progress(machine.store.folder)
        if state.seq == last:
            return last
        time.sleep(0.1)
    raise AssertionError(f"{state} of {last}")


@pytest.mark.parametrize("rounds", [2, pytest.param(30, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, ending: ExitStack, rounds: int
) -> None:
    """Whatever is killed: the service, the sidecar, both at once."""
    node, machine = Machine(tmp_path / "node", ending), Machine(tmp_path / "machine", ending)
    service = node.served()
    assert machine.hook("ls -la") == 0
    token = node.interlock("serve", "--token").stdout.split()[-1]
    enrolled = machine.interlock("enrol", token, "--no-start")
    assert enrolled.returncode == 0, enrolled.stderr
    mode = os.stat(f"{machine.store.folder}/{ENROLLED}").st_mode & 0o777
    sidecar = machine.start("sidecar")
    acknowledged: dict[int, str] = {}
    for number in range(rounds):
        assert machine.hook("rm -rf /") == 2
        filled(machine.home, 20, 20 * number)
        state = load_progress(machine.store.folder)
        acknowledged[state.seq] = state.hash
        for process in ([service, sidecar], [sidecar], [service])[number % 3]:
            process.send_signal(signal.SIGKILL)
            process.wait(SECONDS)
        filled(machine.home, 5, 10_000 + 5 * number)
        service = service if service.poll() is None else node.served()
        sidecar = sidecar if sidecar.poll() is None else machine.start("sidecar")
    last = until_sent(machine)
    report = node.interlock("serve", "--verify")
    assert (report.returncode, mode) == (0, 0o600), report.stdout
    assert f"{last} records of 1 chain" in report.stdout
    assert "!" not in report.stdout
    kept = {seq: hash_of(machine.store, seq) for seq in acknowledged if seq}
    assert kept == {seq: hashed for seq, hashed in acknowledged.items() if seq}


def test_a_service_says_when_it_runs_already_and_ends_when_asked(
    tmp_path: Path, ending: ExitStack
) -> None:
    """The second one names the first one's address; the port stays for the next time; SIGTERM ends
    it with exit code 0.
    """
    node = Machine(tmp_path / "node", ending)
    service = node.served()
    other = node.interlock("serve")
    assert (other.returncode, "it runs already, at http://127.0.0.1:" in other.stderr) == (1, True)
    address = other.stderr.split("at ")[1].split(": interlock")[0]
    service.terminate()
    assert service.wait(SECONDS) == 0
    process = node.start("serve")
    assert process.stdout is not None
    assert address in process.stdout.readline()


def test_of_many_services_that_start_at_once_one_serves(tmp_path: Path, ending: ExitStack) -> None:
    """In a folder where none was before: the others say so, and nothing is broken."""
    node = Machine(tmp_path / "node", ending)
    started = [node.start("serve", errors=subprocess.PIPE) for _ in range(4)]
    until_one = time.monotonic() + SECONDS
    while sum(one.poll() is None for one in started) > 1:
        assert time.monotonic() < until_one
        time.sleep(0.05)
    [serving] = [one for one in started if one.poll() is None]
    assert serving.stdout is not None
    assert "ready at" in serving.stdout.readline()
    for one in started:
        if one is not serving:
            assert one.stderr is not None
            said = one.stderr.read()
            assert (one.returncode, said.count("\n")) == (1, 1), said
            assert "it runs already, a" in said
    assert node.interlock("serve", "--verify").returncode == 0


def test_enrolling_starts_a_sidecar_and_leaving_ends_it(tmp_path: Path, ending: ExitStack) -> None:
    """One alone for a store, in the background; the console opens by a link of the service that
    runs already. An agent enrols nothing: the service may approve what its machines ask about.
    """
    node, machine = Machine(tmp_path / "node", ending), Machine(tmp_path / "machine", ending)
    node.served()
    filled(machine.home, 3)
    token = node.interlock("serve", "--token").stdout.split()[-1]
    refused = machine.interlock("enrol", token, more={"CLAUDECODE": "1"})
    assert "an agent may not enrol this machine" in refused.stderr
    done = machine.interlock("enrol", token)
    ending.callback(machine.interlock, "enrol", "--leave")
    assert done.returncode == 0, done.stderr
    until_sent(machine)
    assert machine.interlock("sidecar", "--detach").stdout == "a sidecar runs already\n"
    assert "another sidecar sends this store already" in machine.interlock("sidecar").stderr
    link = node.interlock("ui", "--no-browser").stdout
    assert "/signin/" in link
    assert machine.interlock("enrol", "--leave").returncode == 0
    until = time.monotonic() + SECONDS
    while is_running(machine.store.folder):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert load_progress(machine.store.folder).seq == 0


def test_an_export_of_the_machine_is_what_is_sent(tmp_path: Path, ending: ExitStack) -> None:
    """The lines of ``interlock audit export`` are those of a batch."""
    machine = Machine(tmp_path / "machine", ending)
    filled(machine.home, 3)
    text = machine.interlock("audit", "export").stdout
    assert [one.seq for one in lines(text.encode())] == list(range(1, len(text.splitlines()) + 1))
