"""What a store that a busy agent fills costs a call: its time against that with an empty store, and
how long the files get.

    python bench/week.py [DAYS]

An agent that calls 200 times a minute makes 288,000 calls a day and 2,016,000 a week. As many calls
as the days have are judged and recorded by the guard itself, a hundred in one transaction, or it
would take as long as it takes. In between calls are measured, each in a process of its own that
opens the store, judges, records the decision and the outcome, and ends without closing it, as a
hook's process does; one with the full store and one with a store that never has more than those few
calls take turns, so that a busy machine is equally busy for both. The files of a week are worked
out from that by a straight line through the points; its times are not, for a line so long says
nothing: they are measured where DAYS is 7.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time

from interlock.audit.log import Audit
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.policy.builtin import builtin
from interlock.store.database import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.store.schema import Write

A_DAY = 200 * 60 * 24
DAYS = 0.05
"""What is run where nothing is said: an hour and a bit."""
POINTS = 6
MEASURED = 100
"""Calls with either store at every point."""
TOGETHER = 100
"""Calls that are written in one transaction while the store is filled."""
A_SESSION = 500
COMMANDS = (
    "git status --short", "rg -n 'def main' src", "pytest -q tests/test_{n}.py",
    "cat src/module_{n}.py", "sed -n 1,80p src/module_{n}.py",
    "echo x > src/module_{n}.py", "curl -o vendor/f{n}.js https://example.test/f{n}.js",
    "rm build/out_{n}.o", "ls -la src", "make test",
    "cat ~/.aws/credentials", "npm run build -- --mode production",
)  # fmt: skip
"""What calls are: they look, write, fetch, delete and read a secret, so that marks are left as
well.
"""


class Filling(Store):
    """A store that writes many calls together."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.held: list[Write] = []

    def commit(self, writes: Sequence[Write]) -> None:
        """Keep the writes for later."""
        self.held += writes

    def flush(self) -> None:
        """Do all that is kept."""
        super().commit(self.held)
        self.held.clear()


def one(store: Store, number: int) -> None:
    """Judge a call and tell its outcome, as two hooks do."""
    command = COMMANDS[number % len(COMMANDS)].format(n=number % 997)
    guard = Guard(
        builtin(), ask=NATIVE, facts=Recorded("/home/u"), audit=Audit(store), ledger=Ledger(store)
    )
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": command},
        "/home/u/w",
        ("/home/u/w",),
        session=f"s{number // A_SESSION}",
        agent="bench",
        call_id=f"c{number}",
    )
    guard.check(call)
    guard.outcome(Outcome(call, "ran", "said something"))


def filled(folder: str, calls: range) -> None:
    """Record calls."""
    store = Filling(folder)
    for number in calls:
        one(store, number)
        if number % TOGETHER == TOGETHER - 1:
            store.flush()
    store.flush()
    store.close()


def apart(folder: str, number: int) -> float:
    """Return the milliseconds of a call in a process of its own, which ends as a hook's does."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        begun = time.perf_counter()
        one(Store(folder), number)
        os.write(writer, f"{1e3 * (time.perf_counter() - begun):.4f}".encode())
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 64)
    os.close(reader)
    os.waitpid(child, 0)
    return float(said)


def size(folder: str, name: str) -> float:
    """Return the megabytes of a file of a store."""
    path = f"{folder}/{name}"
    return os.path.getsize(path) / 1e6 if os.path.exists(path) else 0.0


def points(folder: str, calls: int) -> Iterator[tuple[int, float, float, float, float, float]]:
    """Yield at even steps: calls, milliseconds with the full and with the small store, ratio,
    megabytes of the store and of its log at most.
    """
    full, small, done = f"{folder}/full", f"{folder}/small", 0
    for point in range(POINTS):
        until = calls * point // (POINTS - 1)
        filled(full, range(done, until))
        done, log = until, 0.0
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(MEASURED):
            times[0].append(apart(full, 10**9 + until + number))
            times[1].append(apart(small, 10**9 + until + number))
            log = max(log, size(full, "interlock.db-wal"))
        high, low = [statistics.median(some) for some in times]
        yield until, high, low, high / low, size(full, "interlock.db"), log


def line(pairs: Sequence[tuple[float, float]], at: float) -> float:
    """Return the value at a place on the straight line that lies nearest to some points."""
    middle, height = [statistics.mean([pair[of] for pair in pairs]) for of in (0, 1)]
    slope = sum([(x - middle) * (y - height) for x, y in pairs]) / sum(
        [(x - middle) ** 2 for x, _ in pairs]
    )
    return height + slope * (at - middle)


def main(arguments: list[str]) -> int:
    """Print the table."""
    days = float(arguments[0]) if arguments else DAYS
    print(
        f"{'calls before':>12} {'ms a call':>9} {'small store':>11} {'ratio':>6} {'store MB':>9}"
        f" {'log MB':>7}"
    )
    found = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        for point in points(folder, int(days * A_DAY)):
            found.append(point)
            print("{:12,} {:9.2f} {:11.2f} {:6.2f} {:9.1f} {:7.2f}".format(*point), flush=True)
    week = 7 * A_DAY
    store = line([(float(point[0]), point[4]) for point in found], week)
    early, late = [
        statistics.median([point[3] for point in some])
        for some in (found[: POINTS // 2], found[POINTS // 2 :])
    ]
    print(
        f"the later half against the first: {late / early:.2f} times the time; the log at most"
        f" {max(point[5] for point in found):.2f} MB"
    )
    worked = f"worked out from {days:g} days, not measured" if days < 7 else "measured"
    print(f"the store of a week, {week:,} calls: {store / 1e3:.1f} GB ({worked})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
