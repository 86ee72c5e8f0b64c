"""How fast and how wholly a stop ends a session of 26 processes: ``python bench/stop.py``.

Twenty ignore SIGTERM, three have a session of their own, three are daemons that left their parents
behind. Each way is tried six times.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from typing import TYPE_CHECKING

from interlock.cli import build
from interlock.facts import processes
from interlock.model.call import SHELL, ToolCall
from interlock.stop import cgroup
from interlock.stop.flags import Flag, engage, lift
from interlock.stop.kill import HaltedProcesses
from interlock.stop.processes import TAG, SessionProcesses
from interlock.stop.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 6


def agents_of(session: Rehearsal) -> list[tuple[int, int]]:
    """Return the agent's number and ticks."""
    itself = processes.running(session.agent.pid)
    return [(itself.pid, itself.ticks)] if itself is not None else []


def by_group(session: Rehearsal) -> None:
    """Kill the agent's process group, as many do."""
    os.killpg(session.agent.pid, 9)


def tried(kill: Callable[[Rehearsal], object]) -> tuple[float, int]:
    """Return how many milliseconds a way takes, and how many processes survive it."""
    session = Rehearsal({"PATH": os.defpath}, alone=True)
    try:
        began = time.perf_counter()
        kill(session)
        took = (time.perf_counter() - began) * 1000
        time.sleep(0.1)
        return took, session.left()
    finally:
        session.end()


def main() -> None:
    """Print the figures."""
    group = cgroup.make([])
    if group is not None:
        group.close()
    ways: dict[str, Callable[[Rehearsal], object]] = {
        "killpg": by_group,
        "descendants, signals": (
            lambda one: HaltedProcesses(SessionProcesses(agents_of(one), []), grouped=False).kill()
        ),
        "tag, signals": (
            lambda one: HaltedProcesses(
                SessionProcesses(agents_of(one), [f"{TAG}={one.session}"]), grouped=False
            ).kill()
        ),
    }
    if group is not None:
        ways["tag, cgroup"] = lambda one: HaltedProcesses(
            SessionProcesses(agents_of(one), [f"{TAG}={one.session}"])
        ).kill()
    print("26 processes; milliseconds (median of six), survivors (most of six)")
    for name, kill in ways.items():
        found = [tried(kill) for _ in range(ROUNDS)]
        print(
            f"  {name:22}{statistics.median([took for took, _ in found]):8.1f}"
            f" {max(left for _, left in found):4}"
        )
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.defpath}
        call = ToolCall(SHELL, "Bash", {"command": "ls"}, home, session="s")
        guard, denied = build.guard(environment), []
        guard.check(call)
        for _ in range(50):
            began = time.perf_counter()
            engage(
                f"{home}/.local/state/interlock", Flag("session:s", "bench", "bench", time.time())
            )
            if str(guard.check(call).verdict) != "deny":
                raise RuntimeError("a stopped session's call was not denied")
            denied.append((time.perf_counter() - began) * 1000)
            lift(f"{home}/.local/state/interlock", "session:s")
        print(
            f"from the stop to a denied call: {statistics.median(denied):.1f} median,"
            f" {max(denied):.1f} most of 50"
        )


if __name__ == "__main__":
    main()
