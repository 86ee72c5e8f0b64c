"""Processes that a test of stops starts, and which of them are left."""

from __future__ import annotations

import os
import subprocess
import sys

from interlock.facts import processes
from interlock.stop.rehearsal import Rehearsal

OWN = f"test-{os.getpid()}-{os.urandom(4).hex()}"
"""A session of this run alone: what bears it is ended on the whole machine."""
SLEEP = [sys.executable, "-c", "import time; time.sleep(300)"]


def agent_of(session: Rehearsal) -> list[tuple[int, int]]:
    """Return the agent as it is recorded."""
    itself = processes.running(session.agent.pid)
    assert itself is not None
    return [(itself.pid, itself.ticks)]


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
