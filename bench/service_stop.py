"""How long a stop takes to reach every open stream, and the ratio to a bare writer that writes the
same bytes to as many connections, in the same run.

    python bench/service_stop.py [STREAMS]

``service``: a person's form comes in, the stop is signed, on the disk, and rung; each stream is one
machine's. ``bare``: a loop that writes. Servers are processes of their own; all is loopback. The
limit of open files is raised for this run alone.
"""

from __future__ import annotations

import asyncio
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from interlock.service.people.signin import enter
from interlock.service.roles import OPERATOR
from interlock.service.secrets import hash_secret
from interlock.service.serving import ListenSettings, bind_socket, scene, serve
from interlock.service.store.rows import SECOND, Machine, Membership, Person
from interlock.service.store.sqlite import Database
from interlock.store.chain import now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from interlock.service.store.protocol import ServiceWriter

HOST = "127.0.0.1"
ROUNDS, AT_ONCE, SECONDS, MOST = 3, 100, 120, 1 << 16
FORM = "whom=fleet&fleet=STOP+ALL&why=bench&proof="
WORD = b"event: stop"
LINE = WORD + b"\ndata: " + b"x" * 300 + b"\n\n"
"""What the bare writer writes: as much as a stop is."""


def filled(folder: str, streams: int) -> str:
    """Make a folder with so many machines and an operator; return the operator's headers."""
    keeping = Database(folder)

    def work(steps: ServiceWriter) -> tuple[str, str]:
        at = now()
        for number in range(streams):
            name = f"m-{number}"
            steps.add_machine(Machine(name, name, "linux", "0", hash_secret(name), at, at))
        steps.add_person(Person("ada", "ada", at))
        steps.add_membership(Membership("ada", OPERATOR, "", "ada", at))
        cookie, visit = enter(steps, Person("ada", "ada", at), SECOND, at)
        return cookie, visit.proof

    cookie, proof = keeping.write(work)
    keeping.close()
    return f"{cookie} {proof}"


def served(folder: str) -> None:
    """Serve a folder, in a process of its own."""
    sock = bind_socket(ListenSettings())
    made = scene(folder, ListenSettings(), sock.getsockname()[1], None)
    serve([made], ListenSettings(), sock, lambda: print(sock.getsockname()[1], flush=True))


def bare() -> None:
    """Write a line to every connection once one of them asks, in a process of its own."""
    writers: list[asyncio.StreamWriter] = []

    async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            if line.startswith(b"GET "):
                writers.append(writer)
                writer.write(b"event: hello\n\n")
            elif line.startswith(b"POST "):
                for one in writers:
                    one.write(LINE)

    async def run() -> None:
        server = await asyncio.start_server(come, HOST, 0, backlog=512)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def started(*words: str) -> Iterator[tuple[int, int]]:
    """Run one of both servers while the body runs; give its port and its process."""
    process = subprocess.Popen(
        [sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True
    )
    try:
        if process.stdout is None:
            raise SystemExit("the server says nothing")
        yield int(process.stdout.readline()), process.pid
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def reached(
    server: tuple[int, int], streams: int, ask: Callable[[int, int], bytes]
) -> tuple[list[float], float]:
    """Return the seconds after which each stream has heard, of all rounds; and the kB that one
    takes.
    """
    heard: list[float] = []
    port, before = server[0], memory(server[1])
    lines: list[socket.socket] = []
    for first in range(0, streams, AT_ONCE):
        lines += listening(port, range(first, min(first + AT_ONCE, streams)))
    each = (memory(server[1]) - before) / streams
    with selectors.DefaultSelector() as waiting:
        for one in lines:
            waiting.register(one, selectors.EVENT_READ)
        for turn in range(ROUNDS):
            heard += told(port, ask(port, turn), waiting)
    for one in lines:
        one.close()
    return heard, each


def memory(process: int) -> int:
    """Return the kB that a process holds."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def listening(port: int, numbers: range) -> list[socket.socket]:
    """Open the streams of some machines, and wait until each has begun."""
    opened = [socket.create_connection((HOST, port), SECONDS) for _ in numbers]
    for number, one in zip(numbers, opened, strict=True):
        who = f"Host: {HOST}:{port}\r\nAuthorization: Bearer m-{number}\r\n"
        one.sendall(f"GET /v1/stream HTTP/1.1\r\n{who}\r\n".encode())
    for one in opened:
        text = b""
        while b"event: hello" not in text:
            text += one.recv(MOST)
        one.setblocking(False)
    return opened


def told(port: int, asked: bytes, waiting: selectors.BaseSelector) -> list[float]:
    """Ask for a stop; return after how many seconds each stream has heard of it."""
    found, tails = [], {key.fd: b"" for key in waiting.get_map().values()}
    with socket.create_connection((HOST, port), SECONDS) as asking:
        begun = time.perf_counter()
        asking.sendall(asked)
        while tails and (ready := waiting.select(SECONDS)):
            for key, _ in ready:
                tail = tails.get(key.fd)
                text = (tail or b"") + key.fileobj.recv(MOST)  # type: ignore[union-attr]
                if tail is not None and WORD in text:
                    found.append(time.perf_counter() - begun)
                    del tails[key.fd]
                elif tail is not None:
                    tails[key.fd] = text[-len(WORD) :]
    if tails:
        raise SystemExit(f"{len(tails)} streams heard nothing")
    return found


def form(who: str) -> Callable[[int, int], bytes]:
    """Return the form by which a person stops all machines."""
    cookie, proof = who.split()

    def asked(port: int, turn: int) -> bytes:
        body = f"{FORM}{proof}"
        head = (
            f"POST /stops HTTP/1.1\r\nHost: {HOST}:{port}\r\nCookie: interlock-{port}={cookie}\r\n"
            f"X-Turn: {turn}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return (head + body).encode()

    return asked


def line(name: str, heard: Sequence[float]) -> float:
    """Print a row of the table; return the 99th of a hundred."""
    ordered = sorted(heard)
    p99 = ordered[len(ordered) * 99 // 100 - 1]
    median = ordered[len(ordered) // 2]
    shown = (ordered[0], median, p99, ordered[-1])
    print(f"{name:8} " + " ".join([f"{1000 * one:9.0f}" for one in shown]))
    return p99


def main(arguments: list[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["--serve"]:
        return served(arguments[1])
    if arguments[:1] == ["--bare"]:
        return bare()
    streams = int(arguments[0]) if arguments else 5000
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * streams + 500, _most()), _most()))
    with tempfile.TemporaryDirectory() as folder:
        who = filled(folder, streams)
        with started("--serve", folder) as server:
            service, each = reached(server, streams, form(who))
    with started("--bare") as server:
        alone, least = reached(server, streams, lambda *_: b"POST \n")
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{streams} streams, {ROUNDS} stops; {load}")
    print(f"{'ms':8} {'first':>9} {'median':>9} {'p99':>9} {'last':>9}")
    ratio = line("service", service) / line("bare", alone)
    print(f"ratio    {ratio:9.1f} x the bare writer's p99")
    print(f"memory   {each:9.1f} kB a stream; the bare writer's {least:.1f}")
    return None


def _most() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


if __name__ == "__main__":
    main(sys.argv[1:])
