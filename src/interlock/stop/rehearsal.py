"""A harmless session to try a stop on: an agent with processes of every stubborn kind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping

from interlock.facts import processes
from interlock.stop.kill import HaltedProcesses
from interlock.stop.processes import TAG, SessionProcesses
from interlock.store.schema import Write

AGENT = """
import os, signal, subprocess, sys, time
sleep = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
start = lambda **how: subprocess.Popen([sys.executable, "-c", sleep], **how)
stubborn, apart = int(sys.argv[1]), int(sys.argv[2])
for _ in range(stubborn):
    start()
for _ in range(apart):
    start(start_new_session=True)
for _ in range(apart):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", sleep])
        os._exit(0)
    os.wait()
print("started", flush=True)
time.sleep(300)
"""
"""An agent whose children ignore SIGTERM; some have a session of their own, and some have left it
behind as daemons do.
"""
STUBBORN, APART = 20, 3


class Rehearsal:
    """A harmless session with its agent and 26 processes of it."""

    def __init__(
        self,
        environment: Mapping[str, str],
        stubborn: int = STUBBORN,
        apart: int = APART,
        *,
        alone: bool = False,
    ) -> None:
        """Start it; ``alone``: in a process group of its own. Raises ``RuntimeError``."""
        self.session = f"drill-{os.getpid()}-{os.urandom(3).hex()}"
        self.count = stubborn + 2 * apart
        self.agent = subprocess.Popen(  # noqa: S603 - this Python, and a program of ours
            [sys.executable, "-c", AGENT, str(stubborn), str(apart)], stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**environment, TAG: self.session}, cwd="/", start_new_session=alone,
        )  # fmt: skip
        if self.agent.stdout is None or self.agent.stdout.readline() != b"started\n":
            raise RuntimeError("the drill's processes could not be started")

    def left(self) -> int:
        """Return how many of its processes live, the agent apart."""
        itself = processes.running(self.agent.pid)
        agents = [(itself.pid, itself.ticks)] if itself is not None else []
        return len(SessionProcesses(agents, [f"{TAG}={self.session}"]).find())

    def noted(self) -> Write:
        """Return the write that has a store know the agent, as a client's first event does."""
        itself = processes.running(self.agent.pid)
        pid, ticks, name = (
            (itself.pid, itself.ticks, itself.name) if itself is not None else (0, 0, "")
        )
        return "agent-process", (pid, ticks, processes.boot(), self.session, name, time.time())

    def end(self) -> None:
        """End all of it, the agent too, which a stop leaves alone."""
        HaltedProcesses(SessionProcesses((), [f"{TAG}={self.session}"]), grouped=False).kill()
        self.agent.wait()
        if self.agent.stdout is not None:
            self.agent.stdout.close()


def possible() -> bool:
    """Tell whether processes can be seen on this system."""
    return processes.this() is not None
