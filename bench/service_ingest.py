"""What the service takes in: events a second of batches as sidecars send them, each link and digest
checked, and the ratio to writing the same rows with nothing else, in the same run.

    python bench/service_ingest.py [BATCHES]

``route``: unpack, parse, place, check, write, sign. ``bare``: the rows alone, in the same
transactions, into the same tables. Both wait for the disk after each batch.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.cli.build import fixed_facts, store_in
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.policy.builtin import builtin
from interlock.service.ingest.routes import events
from interlock.service.request import ServiceRequest
from interlock.service.serving import ListenSettings, scene
from interlock.service.store.rows import Chain, Machine
from interlock.service.store.sqlite import Database
from interlock.sidecar.reading import portion
from interlock.store.chain import now
from interlock.wire.batch import BatchLine, pack_lines, unpack_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.service.store.protocol import ServiceWriter

HOME = "/home/user"
MACHINE = Machine("m", "bench", "linux", "0", "h", now())


def recorded(folder: str, events_wanted: int) -> list[tuple[bytes, str, int]]:
    """Return a real store's record as batches: packed lines, the hash before, the first number."""
    store = store_in(folder)
    audit = Audit(store)
    writes = []
    for number in range(events_wanted // 2):
        call = ToolCall(
            SHELL, "Bash", {"command": f"cd src && grep -rn 'def main' . | head -{number}"},
            f"{HOME}/w", (f"{HOME}/w",), session="s", call_id=f"c{number}",
        )  # fmt: skip
        reading = read(call, fixed_facts(HOME))
        decision = decide(call, reading, builtin(), f"d-{number:016x}")
        writes += [audit.judged(Judgement(call, reading, decision, builtin()))]
        writes += [audit.outcome(Outcome(call, "ran", "", 12))]
    store.commit(writes)
    found, after = [], 0
    while (some := portion(store, after)) is not None:
        found.append((pack_lines(some.lines), some.previous, some.first))
        after = some.last
    return found


def taken_in(folder: str, batches: Sequence[tuple[bytes, str, int]]) -> list[float]:
    """Return the seconds of each batch by the route."""
    made = scene(folder, ListenSettings(), 1, None)
    made.keeping.write(lambda steps: steps.add_machine(MACHINE))
    made.keeping.write(lambda steps: steps.add_chain(Chain("c", "m", 1)))
    times = []
    for body, previous, first in batches:
        headers = {"from": str(first), "previous": previous}
        asking = ServiceRequest("", {"chain": "c"}, {}, headers, body, now(), MACHINE)
        begun = time.perf_counter()
        answer = events(made, asking)
        times.append(time.perf_counter() - begun)
        if answer.status_code != 200:
            raise SystemExit(bytes(answer.body).decode())
    made.keeping.close()
    return times


def bare(folder: str, batches: Sequence[tuple[bytes, str, int]]) -> list[float]:
    """Return the seconds of each batch that is only written."""
    keeping = Database(folder)
    times = []
    for lines in [unpack_lines(body) for body, _, _ in batches]:

        def work(steps: ServiceWriter, some: list[BatchLine] = lines) -> None:
            steps.add_events("c", 0, some)

        begun = time.perf_counter()
        keeping.write(work)
        times.append(time.perf_counter() - begun)
    keeping.close()
    return times


def main(arguments: list[str]) -> None:
    """Print the table."""
    wanted = int(arguments[0]) if arguments else 20
    with tempfile.TemporaryDirectory() as folder:
        batches = recorded(f"{folder}/store", wanted * 500)
        size = sum(len(body) for body, _, _ in batches) / (wanted * 500)
        whole = taken_in(f"{folder}/route", batches)
        alone = bare(f"{folder}/bare", batches)
    pairs = (("route", whole), ("bare", alone))
    rates = {name: 500 / statistics.median(times) for name, times in pairs}
    print(f"{len(batches)} batches of 500 events, {size:.0f} bytes an event on the wire")
    for name, rate in rates.items():
        print(f"{name:6} {rate:9,.0f} events/s")
    print(f"ratio  {rates['bare'] / rates['route']:9.2f} x the time of the bare rows")
    print(f"p99    {1000 * sorted(whole)[-1 - len(whole) // 100]:9.1f} ms a batch")


if __name__ == "__main__":
    main(sys.argv[1:])
