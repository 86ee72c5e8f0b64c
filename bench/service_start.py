"""How long an empty service takes until it is ready, and what it holds in memory: against a bare
server of the same libraries that answers one thing, in turn, in the same run.

    python bench/service_start.py [ROUNDS]

Prints medians: seconds until it says that it is ready, of those the processor's, and MiB then and
after a hundred pages; and the ratio of both.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable
from http.cookiejar import CookieJar
from typing import IO

BARE = """
import socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

async def page(request):
    return HTMLResponse("<h1>here</h1>")

sock = socket.create_server(("127.0.0.1", 0))
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        print(f"http://127.0.0.1:{sock.getsockname()[1]}/", flush=True)

app = Starlette(routes=[Route("/", page)])
Server(uvicorn.Config(app, log_level="error", ws="none")).run(sockets=[sock])
"""
PAGES, ROUNDS = 100, 7
TICKS = os.sysconf("SC_CLK_TCK")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/(signin/\S+)?$")


def address(lines: Iterable[str]) -> str:
    """Return the address that a server says, which signs in."""
    for line in lines:
        found = ADDRESS.search(line.strip())
        if found:
            return found[0]
    raise SystemExit("the server ended before it was ready")


def processor(pid: int) -> float:
    """Return the seconds of the processor that a process used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> float:
    """Return the MiB that a process holds."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        found = re.search(r"VmRSS:\s+(\d+) kB", file.read())
    return int(found[1]) / 1024 if found else 0.0


def measured(words: list[str], home: str) -> list[float]:
    """Start a server; return seconds, the processor's, MiB then and after some pages."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        words, env={**os.environ, "HOME": home}, stdout=subprocess.PIPE, text=True
    )
    try:
        output: IO[str] | None = process.stdout
        there = address(output or ())
        took = time.perf_counter() - begun
        found = [took, processor(process.pid), memory(process.pid)]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        opener.open(there).close()
        top = there.partition("signin/")[0]
        for _ in range(PAGES):
            opener.open(top).close()
        return [*found, memory(process.pid)]
    finally:
        process.terminate()
        process.communicate()


def main(arguments: list[str]) -> None:
    """Print the table."""
    rounds = int(arguments[0]) if arguments else ROUNDS
    service = [sys.executable, "-m", "interlock", "serve"]
    bare = [sys.executable, "-c", BARE]
    times: dict[str, list[list[float]]] = {"service": [], "bare": []}
    for _ in range(rounds):
        for name, words in (("service", service), ("bare", bare)):
            with tempfile.TemporaryDirectory() as home:
                times[name].append(measured(words, home))
    print(f"{rounds} starts each, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'medians':10} {'ready s':>9} {'cpu s':>9} {'MiB':>9} {'after':>9}")
    rows = {
        name: [statistics.median(some) for some in zip(*all_, strict=True)]
        for name, all_ in times.items()
    }
    for name, row in rows.items():
        print(f"{name:10} " + " ".join([f"{one:9.2f}" for one in row]))
    ratios = [one / other for one, other in zip(rows["service"], rows["bare"], strict=True)]
    print(f"{'ratio':10} " + " ".join([f"{one:9.1f}" for one in ratios]))


if __name__ == "__main__":
    main(sys.argv[1:])
