"""What the service takes in: events a second of batches as sidecars send them, each link and digest
checked, and the ratio to writing the same rows with nothing else, in the same run.

    python bench/service_ingest.py [BATCHES]

``route``: unpack, parse, place, check, write, sign. ``rows``: the rows alone, in the same
transactions, into the same tables. Both into SQLite's file, and into a PostgreSQL server of this
run's own. ``COPY``: the same rows into tables of the same columns and indexes that are no parts and
keep nobody apart. All wait for the disk after each batch, and take turns, batch by batch.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import date
from typing import TYPE_CHECKING, Protocol

import psycopg

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.cli.build import fixed_facts, store_in
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.model.record import Record
from interlock.policy.builtin import builtin
from interlock.service.databases import name_database
from interlock.service.ingest.routes import events
from interlock.service.request import ServiceRequest
from interlock.service.serving import ListenSettings, scene
from interlock.service.store.postgres_sql import PostgresCommands
from interlock.service.store.rows import Chain, Machine
from interlock.service.store.sqlite import Database
from interlock.sidecar.reading import portion
from interlock.store.chain import now
from interlock.wire.batch import BatchLine, pack_lines, unpack_lines
from tests.postgres import find_programs, running

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from interlock.service.store.protocol import ServiceStore

HOME = "/home/user"
COPIED = ("chain_event", "decision", "outcome")
MACHINE = Machine("m", "bench", "linux", "0", "h", now())


class Batch(Record):
    """A batch as it is sent: its packed lines, the hash before, the first number; and its lines."""

    body: bytes
    previous: str
    first: int
    lines: tuple[BatchLine, ...]


class Taking(Protocol):
    """What takes batches."""

    def take(self, batch: Batch) -> None:
        """Take one."""


def recorded(folder: str, events_wanted: int) -> list[Batch]:
    """Return a real store's record as batches."""
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
        body = pack_lines(some.lines)
        found.append(Batch(body, some.previous, some.first, tuple(unpack_lines(body))))
        after = some.last
    return found


class Route:
    """A service that takes batches in."""

    def __init__(self, folder: str) -> None:
        self._made = scene(folder, ListenSettings(), 1, None)
        self._made.keeping.write(lambda steps: steps.add_machine(MACHINE))
        self._made.keeping.write(lambda steps: steps.add_chain(Chain("c", "m", 1)))

    def take(self, batch: Batch) -> None:
        """Take one in."""
        headers = {"from": str(batch.first), "previous": batch.previous}
        asking = ServiceRequest("", {"chain": "c"}, {}, headers, batch.body, now(), MACHINE)
        answer = events(self._made, asking)
        if answer.status_code != 200:
            raise SystemExit(bytes(answer.body).decode())


class Rows:
    """A database into which rows are written, and nothing else is done."""

    def __init__(self, keeping: ServiceStore) -> None:
        self._keeping = keeping

    def take(self, batch: Batch) -> None:
        """Write one."""
        self._keeping.write(lambda steps: steps.add_events("c", 0, batch.lines))


class Copy(PostgresCommands):
    """Tables into which rows are copied."""

    def __init__(self, url: str) -> None:
        self._server = psycopg.connect(url)
        self._last = 0
        for table in COPIED:
            like = f"(LIKE interlock.{table} INCLUDING INDEXES)"
            self._server.execute(f"CREATE TABLE public.{table} {like}".encode())
        self._server.commit()

    def take(self, batch: Batch) -> None:
        """Copy one."""
        self.add_events("c", 0, batch.lines)
        self._server.commit()

    @property
    def _day(self) -> date:
        return date(2026, 1, 31)

    def _numbers(self, wanted: int) -> list[int]:
        self._last += wanted
        return [*range(self._last - wanted + 1, self._last + 1)]

    def _insert(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._server.cursor().copy(f"COPY public.{table} FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row((*row, "corp"))


def measure(ways: Mapping[str, Taking], batches: Sequence[Batch]) -> dict[str, list[float]]:
    """Return the seconds of each batch by each way; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for batch in batches:
        for name, way in ways.items():
            begun = time.perf_counter()
            way.take(batch)
            times[name].append(time.perf_counter() - begun)
    return times


def main(arguments: list[str]) -> None:
    """Print the table."""
    wanted = int(arguments[0]) if arguments else 20
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        batches = recorded(f"{folder}/store", wanted * 500)
        ways: dict[str, Taking] = {
            "SQLite, route": Route(f"{folder}/route"),
            "SQLite, rows": Rows(Database(f"{folder}/rows")),
        }
        if find_programs():
            server = stack.enter_context(running(fsync="on", full_page_writes="on"))
            name_database(f"{folder}/shared", server.url, "")
            ways["PostgreSQL, route"] = Route(f"{folder}/shared")
            ways["PostgreSQL, rows"] = Rows(server.create_tenant())
            ways["PostgreSQL, COPY"] = Copy(server.url)
        times = measure(ways, batches)
    size = sum(len(one.body) for one in batches) / (wanted * 500)
    print(f"{len(batches)} batches of 500 events, {size:.0f} bytes an event on the wire")
    print(f"{'':20}{'events/s':>10}{'p99 ms':>9}   time, SQLite's rows being 1")
    middle = {name: statistics.median(some) for name, some in times.items()}
    for name, some in times.items():
        late = 1000 * sorted(some)[-1 - len(some) // 100]
        share = middle[name] / middle["SQLite, rows"]
        print(f"{name:20}{500 / middle[name]:10,.0f}{late:9.1f}   {share:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
