"""Decisions over HTTP: what one takes of the service's processor, against the same guard in the
process of who asks, and how many a second there are with a record on the disk.

    python bench/service_decide.py [SECONDS]

``in process``: ``Guard.check`` with a store of its own, as an embedder has it. ``callers``: so many
ask at once, each for its next call when the last one is answered, of a service in another process.
``batches``: a hundred calls in one question. Processor time is that of the service's process alone;
the calls, the policy and the facts are the same everywhere. A ratio is to the guard in process just
before, so that a busy machine counts for both; all figures are medians of rounds.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from interlock.audit.log import Audit
from interlock.cli.build import store_in
from interlock.guard.check import Guard
from interlock.guard.services import QUEUE
from interlock.ledger.sessions import Ledger
from interlock.model.record import Record
from interlock.policy.builtin import builtin
from interlock.service.callers.asked import read_call
from interlock.service.callers.claims import ClaimedFacts
from interlock.service.people import tokens
from interlock.service.people.owner import first
from interlock.service.roles import CALLER
from interlock.service.serving import ListenSettings, bind_socket, scene, server

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

COMMANDS = [
    "ls -la src", "git status --short", "cd src && grep -rn 'def main' . | head -20",
    "pytest -q tests/unit", "curl -s https://api.example.com/v1/health", "rm -rf build dist",
    "sed -n 1,40p src/app.py", "git diff HEAD~1 -- src | wc -l", "echo done > notes.md",
    "find . -name '*.py' -newer setup.cfg",
]  # fmt: skip
CALLERS = (1, 16, 64)
ROUNDS = 7


def body_of(number: int) -> dict[str, Any]:
    """Return a call as it is asked about."""
    command = f"{COMMANDS[number % len(COMMANDS)]} # {number}"
    return {
        "name": "Bash", "input": {"command": command}, "cwd": "/srv/app", "roots": ["/srv/app"],
        "session": f"s{number % 64}",
    }  # fmt: skip


def in_process(folder: str, count: int) -> float:
    """Return the processor's seconds of one call by a guard in this process."""
    store = store_in(folder)
    guards = Guard(
        builtin(), ask=QUEUE, facts=ClaimedFacts({}), audit=Audit(store), ledger=Ledger(store)
    )
    calls = [read_call(body_of(number)).call for number in range(count)]
    begun = time.process_time()
    for call in calls:
        guards.check(call)
    return (time.process_time() - begun) / count


def serve(folder: str, line: Connection) -> None:
    """Serve until told to end; say what the processor took when asked."""
    from threading import Event, Thread

    listening, ready = ListenSettings(), Event()
    sock = bind_socket(listening)
    made = scene(folder, listening, sock.getsockname()[1], None)
    token = made.keeping.write(
        lambda steps: tokens.make(steps, made.keys, CALLER, "bench", "1", first(steps))
    )
    running = server([made], listening, ready.set)
    thread = Thread(target=running.run, kwargs={"sockets": [sock]})
    thread.start()
    ready.wait()
    line.send((made.url, token))
    while line.recv():
        line.send(time.process_time())
    running.should_exit = True
    thread.join()
    made.close()


class Load:
    """Callers of a service; ``times``: the seconds of each answer."""

    def __init__(self, url: str, token: str) -> None:
        self._where = url.partition("://")[2]
        self._token = token
        self.times: list[float] = []
        self._number = 0

    def request(self, path: str, body: object) -> bytes:
        """Return a request as it is sent."""
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._where}\r\n"
            f"Authorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        return head.encode() + sent

    async def ask(self, callers: int, seconds: float) -> None:
        """Ask at once, one call after the other."""
        self.times.clear()
        until = time.monotonic() + seconds
        await asyncio.gather(*[self._call_until(until) for _ in range(callers)])

    async def _call_until(self, until: float) -> None:
        host, _, port = self._where.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        while time.monotonic() < until:
            self._number += 1
            sent = self.request("/v1/decide", body_of(self._number))
            begun = time.perf_counter()
            await exchange(reader, writer, sent)
            self.times.append(time.perf_counter() - begun)
        writer.close()

    async def batches(self, count: int, first: int) -> None:
        """Ask for a hundred calls at once, again and again."""
        host, _, port = self._where.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for number in range(first, first + count):
            calls = [body_of(1_000_000 + 100 * number + each) for each in range(100)]
            await exchange(reader, writer, self.request("/v1/decide/batch", {"calls": calls}))
        writer.close()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> None:
    """Send a request and read its answer, which has to be a decision."""
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    answer = await reader.readexactly(size)
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"no decision: {head[:80]!r} {answer[:200]!r}")


class Service:
    """A service in another process."""

    def __init__(self, folder: str) -> None:
        context = get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=serve, args=(folder, other))
        self._process.start()
        self.url, self.token = self._line.recv()

    def spent(self) -> float:
        """Return the seconds of the processor that it took so far."""
        self._line.send(True)
        found: float = self._line.recv()
        return found

    def end(self) -> None:
        """End it."""
        self._line.send(False)
        self._process.join()


class BenchRow(Record):
    """A row of the table: processor's seconds a call, its ratio to the guard in process just
    before, calls a second, p99 in seconds.
    """

    spent: float
    ratio: float
    rate: float
    late: float


def measure(folder: str, seconds: float) -> dict[str, BenchRow]:
    """Return rows by what they are about, each the medians of rounds."""
    service = Service(f"{folder}/service")
    load = Load(service.url, service.token)
    asyncio.run(load.ask(8, 1.0))
    tries: dict[str, list[BenchRow]] = {}
    for number in range(ROUNDS):
        for callers in CALLERS:
            plain = in_process(f"{folder}/plain-{number}-{callers}", 200)
            spent, begun = service.spent(), time.monotonic()
            asyncio.run(load.ask(callers, seconds))
            lasted, count = time.monotonic() - begun, len(load.times)
            spent = (service.spent() - spent) / count
            late = sorted(load.times)[-1 - count // 100]
            row = BenchRow(spent, spent / plain, count / lasted, late)
            tries.setdefault(f"{callers} callers", []).append(row)
            tries.setdefault("in process", []).append(BenchRow(plain, 1.0, 1 / plain, 0.0))
        spent, begun = service.spent(), time.monotonic()
        asyncio.run(load.batches(4, 4 * number))
        lasted, spent = time.monotonic() - begun, (service.spent() - spent) / 400
        row = BenchRow(spent, spent / plain, 400 / lasted, lasted / 4)
        tries.setdefault("batches", []).append(row)
    service.end()
    return {name: _median(rows) for name, rows in tries.items()}


def _median(rows: list[BenchRow]) -> BenchRow:
    return BenchRow(
        *[statistics.median(getattr(one, name) for one in rows) for name in BenchRow.fields]
    )


def main(arguments: list[str]) -> None:
    """Print the table."""
    seconds = float(arguments[0]) if arguments else 2.0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        rows = measure(folder, seconds)
    print(f"{'':12} {'us of processor':>16} {'ratio':>7} {'calls/s':>9} {'p99 ms':>8}")
    for name, row in rows.items():
        shown = f"{1e6 * row.spent:16.0f} {row.ratio:7.2f} {row.rate:9,.0f} {1000 * row.late:8.1f}"
        print(f"{name:12} {shown}")


if __name__ == "__main__":
    main(sys.argv[1:])
