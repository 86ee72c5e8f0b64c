"""What limits that machines share cost, in ratios: a call that spends a lease against one that is
under a limit of its own machine, and calls of the whole fleet by leases against a transaction of
the service for each.

    python bench/service_leases.py [ROUNDS]

``lease``: charging a call to a rate that machines share; ``own``: to one of its session; both in a
store on this disk, in turns, as processor time. An *exchange*: one lease given and the one before
taken back, on SQLite's file and on a PostgreSQL server of this run's own, against a transaction
that writes one word, in turns; both wait for the disk.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from interlock.limits import leases
from interlock.limits.meter import Meter
from interlock.model.call import ToolCall
from interlock.model.effect import Reading
from interlock.model.leases import RATE, LeaseAnswer, LeaseReturn, LeaseWish, SharedLimit
from interlock.model.limits import ORGANISATION, SESSION, Limits, Rate
from interlock.policy.builtin import builtin
from interlock.service.limits.leases import end, give
from interlock.service.store.rows import Machine
from interlock.service.store.sqlite import Database
from interlock.store.database import Store
from tests.postgres import find_programs, running

if TYPE_CHECKING:
    from interlock.service.store.protocol import ServiceStore, ServiceWriter

MOST = 10**8
LIMIT = SharedLimit(ORGANISATION, RATE, "*", MOST, 1)
MACHINE = Machine("m", "bench", "linux", "0", "h", "", "", "", 0)
CALLS = 100
"""Calls that one lease is for, where a fleet's calls are counted."""


def charge(store: Store, per: str, number: int) -> float:
    """Return the processor time in which a call is charged."""
    policy = builtin().replace(limits=Limits(rates=(Rate(f"{MOST}/100s", per=per),)))
    call = ToolCall("shell", "Bash", {}, session="s", call_id=f"c{number}")
    begun = time.process_time()
    Meter(store).charge(call, Reading(()), policy, f"d{per}{number}")
    return time.process_time() - begun


def lend(store: Store) -> None:
    """Have a store a lease that lasts for the whole run."""
    charge(store, ORGANISATION, -1)
    now = leases.read_times(store)
    store.transact(lambda connection: leases.ask(connection, LIMIT, "l-1"))
    answer = LeaseAnswer("l-1", MOST, 10**6, 0, 0)
    store.transact(lambda connection: leases.take(connection, LIMIT, answer, now))


def exchange(keeping: ServiceStore, number: int) -> float:
    """Return the time in which a lease is given and the one before is taken back."""
    begun = time.perf_counter()

    def work(steps: ServiceWriter) -> None:
        end(steps, MACHINE, LeaseReturn(LIMIT, f"l-{number - 1}", CALLS, CALLS))
        give(steps, MACHINE, LeaseWish(LIMIT, f"l-{number}", CALLS))

    keeping.write(work)
    return time.perf_counter() - begun


def note(keeping: ServiceStore, number: int) -> float:
    """Return the time of a transaction that writes one word."""
    begun = time.perf_counter()
    keeping.write(lambda steps: steps.set("bench", str(number)))
    return time.perf_counter() - begun


def main(rounds: int) -> None:
    """Measure, and say it."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        store = Store(f"{folder}/state")
        lend(store)
        taken = [(charge(store, ORGANISATION, n), charge(store, SESSION, n)) for n in range(rounds)]
        shared, own = [statistics.median(times) * 1e6 for times in zip(*taken, strict=True)]
        print(f"a call on a lease {shared:.0f} us, under its own rate {own:.0f} us:", end=" ")
        print(f"{shared / own:.2f} times")
        places: dict[str, ServiceStore] = {"SQLite": Database(f"{folder}/service")}
        if find_programs():
            places["PostgreSQL"] = ends.enter_context(running()).create_tenant()
        for name, keeping in places.items():
            ends.enter_context(closing(keeping))
            taken = [(exchange(keeping, n), note(keeping, n)) for n in range(1, rounds + 1)]
            each, bare = [statistics.median(times) for times in zip(*taken, strict=True)]
            print(
                f"{name}: an exchange {each * 1e3:.2f} ms, {each / bare:.2f} times a transaction",
                end="",
            )
            print(f" of one word; {CALLS / each:.0f} calls/s with leases of {CALLS}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
