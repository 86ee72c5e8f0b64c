"""What the service sends on: events a second of each kind of export, and the ratio to a bare writer
in the same run.

    python bench/service_export.py [BATCHES]

``bare``: reads the same events from the same database, 500 at a time, and posts their fields as
JSON over one connection; it maps nothing, signs nothing and keeps no place. The others are exports
as the service has them, a step at a time, in their turns. The receiver is a process of its own that
reads and answers 200 (or ends the connection, for syslog over TLS). ``busy`` is processor time
of the sender, which other work disturbs less than the clock; the database is SQLite's, on the disk.
"""

from __future__ import annotations

import os
import signal
import socket
import ssl
import statistics
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench.service_ingest import recorded
from interlock.model.jsontext import dumps
from interlock.service.export.delivery import ExportThread, ExportTools
from interlock.service.export.destinations import DestinationRequest, add_destination
from interlock.service.export.encoding import KINDS
from interlock.service.keys import ServiceKeys
from interlock.service.outward import connect_http
from interlock.service.signing import Signer
from interlock.service.store.rows import Chain, Machine
from interlock.service.store.sqlite import Database
from interlock.store.chain import now
from tests.certificates import certificate

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.service.store.protocol import ServiceStore

AT_ONCE = 500
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def receive(listener: socket.socket, context: ssl.SSLContext | None) -> int:
    """Take all that comes, in a process of its own; return its number."""
    child = os.fork()
    if child:
        return child
    while True:
        sock, _ = listener.accept()
        with suppress(OSError):
            _take(context.wrap_socket(sock, server_side=True) if context else sock, context)
        sock.close()


def _take(sock: socket.socket, context: ssl.SSLContext | None) -> None:
    data = b""
    while some := sock.recv(1 << 20):
        if context is not None:
            continue
        data += some
        head, mark, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
        if mark and len(body) >= length:
            sock.sendall(ANSWER)
            data = b""
    if isinstance(sock, ssl.SSLSocket):
        sock.unwrap()


def bare(keeping: ServiceStore, url: str) -> Callable[[], None]:
    """Return what posts the next batch, and does nothing else."""
    connection = connect_http(url, private=True, seconds=30)
    place = [0]

    def step() -> None:
        events = keeping.read(lambda known: known.arrivals(place[0], 10**9, AT_ONCE))
        place[0] = events[-1].id
        body = dumps([[*one.fields, one.hash, one.row] for one in events]).encode()
        connection.request("POST", "/", body)
        connection.getresponse().read()

    return step


def exported(tools: ExportTools, kind: str, url: str, authority: str) -> Callable[[], None]:
    """Return what sends the next batch as an export of a kind."""
    wanted = DestinationRequest(
        kind, url, authority=authority, private=True, everything=True
    )  # fmt: skip
    where = tools.keeping.write(lambda steps: add_destination(steps, tools.keys, wanted, "bench"))
    thread = ExportThread(tools, where)

    def step() -> None:
        thread.step()

    return step


def fail(why: str) -> None:
    """End it."""
    raise SystemExit(why)


def main(arguments: list[str]) -> None:
    """Print the table."""
    wanted = int(arguments[0]) if arguments else 20
    with tempfile.TemporaryDirectory() as folder:
        pem = certificate(Path(folder))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem["certificate"], pem["key"])
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        children = [receive(listeners[0], None) for _ in KINDS]
        children.append(receive(listeners[1], context))
        ports = [one.getsockname()[1] for one in listeners]
        authority = Path(pem["certificate"]).read_text(encoding="ascii")
        try:
            with closing(Database(f"{folder}/service")) as keeping:
                fill(keeping, f"{folder}/store", wanted)
                tools = ExportTools(
                    keeping, Signer(f"{folder}/service"), ServiceKeys(f"{folder}/service"), fail
                )
                ways = {"bare": bare(keeping, f"http://127.0.0.1:{ports[0]}/")}
                for kind in KINDS:
                    tls = kind == "cef"
                    url = f"tls://127.0.0.1:{ports[1]}" if tls else f"http://127.0.0.1:{ports[0]}/"
                    ways[kind] = exported(tools, kind, url, authority if tls else "")
                report(measure(ways, wanted))
                behind = [one.behind for one in keeping.read(lambda known: known.exports())]
                if max(behind) >= AT_ONCE:
                    fail(f"not everything was sent: {behind}")
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def fill(keeping: ServiceStore, folder: str, batches: int) -> None:
    """Have the database hold so many batches of a real store's record."""
    machine = Machine("m", "bench", "linux", "0", "h", now())
    keeping.write(lambda steps: steps.add_machine(machine))
    keeping.write(lambda steps: steps.add_chain(Chain("c", "m", 1)))
    for batch in recorded(folder, batches * AT_ONCE):
        keeping.write(lambda steps, some=batch: steps.add_events("c", 0, some.lines))  # type: ignore[misc]


def measure(
    ways: dict[str, Callable[[], None]], rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """Return seconds by the clock and of the processor of each batch by each way, in turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, step in ways.items():
            begun, busy = time.perf_counter(), time.process_time()
            step()
            times[name].append((time.perf_counter() - begun, time.process_time() - busy))
    return times


def report(times: dict[str, list[tuple[float, float]]]) -> None:
    """Print a line for each way."""
    rounds = len(times["bare"])
    print(f"{rounds} batches of {AT_ONCE} events each, minima and medians")
    print(f"{'':10}{'events/s':>10}{'best':>10}{'of the processor':>18}   busy, bare being 1")
    base = statistics.median([busy for _, busy in times["bare"]])
    for name, some in times.items():
        clock, busy = [one[0] for one in some], statistics.median([one[1] for one in some])
        middle, best = AT_ONCE / statistics.median(clock), AT_ONCE / min(clock)
        print(f"{name:10}{middle:10,.0f}{best:10,.0f}{AT_ONCE / busy:18,.0f}   {busy / base:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
