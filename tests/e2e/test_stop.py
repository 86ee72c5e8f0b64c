"""A stop with the real clients: what their shell started is ended wherever it went, as far as the
client marks it; the client itself is not.
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

from interlock.stop.processes import read_process
from tests.e2e.clients import CLIENTS, CODEX, GEMINI, OPENCODE, Client, desk_of
from tests.e2e.test_clients import row

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e
COMMAND = """tail -f /dev/null & echo $! >> pids
setsid tail -f /dev/null & echo $! >> pids
sh -c 'setsid tail -f /dev/null & echo $! >> pids'
touch started
wait"""
"""A child, one with a session of its own, and a daemon that left its parents behind."""
PATIENCE = 180.0
MARKED = (CODEX, OPENCODE)
"""Clients whose calls can be ended one by one."""
UNMARKED = (GEMINI,)
"""Clients that give what they start no session's tag: daemons are out of reach."""


@pytest.mark.long
@pytest.mark.parametrize("client", [row(client) for client in CLIENTS])
def test_a_stop_reaches_what_the_client_marks(client: Client, tmp_path: Path) -> None:
    """One call where the client marks calls, the session in any case; a daemon too, but with
    Gemini, which marks nothing. The client lives on.
    """
    desk = desk_of(client, tmp_path)
    with client.wire(client.run_shell(COMMAND)) as model:
        argv, environment = desk.line(model)
        with (tmp_path / "said").open("wb") as said:
            running = subprocess.Popen(
                argv,
                env=environment,
                cwd=desk.project,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        started: list[int] = []
        try:
            started = _started(desk.project, running)
            [call] = [json.loads(line) for line in desk.interlock("log", "--json").splitlines()]
            done = desk.run("stop", "--call", call["decision_id"], "--reason", "this call")
            assert _alive(started) == ([] if client in MARKED else started), (
                done.stdout + done.stderr
            )
            done = desk.run("stop", "--session", call["session_id"], "--reason", "all of it")
            assert _alive(started) == (started[-1:] if client in UNMARKED else []), (
                done.stdout + done.stderr
            )
            _end(started)
            assert running.wait(PATIENCE) >= 0
        finally:
            _end(started)
            running.kill()
            running.wait()


@pytest.mark.long
def test_one_run_is_ended_by_its_decision(tmp_path: Path) -> None:
    """What `interlock run` holds bears the id of the decision that let it start; a run beside it
    goes on until its own is named.
    """
    project = tmp_path / "home/project"
    project.mkdir(parents=True)
    environment = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}

    def interlock(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "interlock", *words]
        return subprocess.Popen(
            command,
            env=environment,
            cwd=project,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )

    runs = [
        interlock("run", "--", "sh", "-c", f"touch started-{number}; sleep 600")
        for number in range(2)
    ]
    try:
        for number, one in enumerate(runs):
            end = time.monotonic() + PATIENCE
            while (
                not (project / f"started-{number}").exists()
                and time.monotonic() < end
                and one.poll() is None
            ):
                time.sleep(0.05)
        rows = [
            json.loads(line)
            for line in interlock("log", "--json").communicate(timeout=PATIENCE)[0].splitlines()
        ]
        decisions = {
            number: row["decision_id"]
            for row in rows
            for number in range(2)
            if f"started-{number}" in row["parameters"]
        }
        for number, one in enumerate(runs):
            assert one.poll() is None
            said = interlock(
                "stop", "--call", decisions[number], "--reason", "this one"
            ).communicate(timeout=PATIENCE)[0]
            assert one.wait(PATIENCE) == 137, said
    finally:
        for one in runs:
            one.kill()
            one.communicate()


def _started(project: Path, running: subprocess.Popen[bytes]) -> list[int]:
    """Return the numbers of the processes that the client's shell started."""
    end = time.monotonic() + PATIENCE
    while not (project / "started").exists() and time.monotonic() < end and running.poll() is None:
        time.sleep(0.05)
    return [int(line) for line in (project / "pids").read_text().split()]


def _alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if (process := read_process(pid)) is not None and not process.ended]


def _end(pids: list[int]) -> None:
    for pid in _alive(pids):
        os.kill(pid, signal.SIGKILL)
