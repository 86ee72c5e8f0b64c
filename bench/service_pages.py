"""How fast the console's pages are over a large record: what a browser says of their first paint,
and the time until all of a page is here, and the ratio of the paint to that of a page that reads
nothing; and how much a page loads.

    python -m bench.service_pages [DECISIONS]

The record is one real batch, told again with other numbers, names and times: nothing of it is run.
"""

from __future__ import annotations

import gzip
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.service_ingest import recorded
from interlock.service.console.templating import STATIC, static
from interlock.service.store.rows import Branch, Chain, Machine
from interlock.service.store.sqlite import FILE
from interlock.store.chain import GENESIS, now
from interlock.wire.batch import BatchLine, unpack_lines
from tests.browsing import Browser, browsing
from tests.serving import Served, served

ROUNDS, EACH = 5, 500
FOUND, NOT = "/search?q=verdict:allow", "/search?q=nothing-of-it"
FLOOR = "/signin"
"""A page that reads nothing of the record: what a browser and a page cost in any case."""
PAGES = (FLOOR, "/", FOUND, NOT, "/sessions", "/machines", "/stops")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def again(lines: Sequence[BatchLine], turn: int) -> list[BatchLine]:
    """Return a batch as a later one: other numbers, names, sessions and times."""
    found = []
    at = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() - 7 * 86400 + 60 * turn))
    for line in lines:
        seq, key, _, kind, _, subject, body = line.fields
        number = turn * len(lines) + int(seq or 0)
        name = f"{subject}-{turn}"
        when = f"{at}:{number % 60:02d}.000Z"
        fields = (number, f"{key}-{turn}", when, kind, f"s-{turn}", name, body)
        found.append(line.replace(fields=fields, hash=f"{number:064x}"))
    return found


def filled(service: Served, decisions: int) -> None:
    """Put so many decisions, and as many ends of calls, into a service."""
    with tempfile.TemporaryDirectory() as folder:
        body = recorded(folder, EACH)[0].body
    lines = unpack_lines(body)
    each = len(lines)
    at, keeping = now(), service.scene.keeping
    keeping.write(lambda steps: steps.add_machine(Machine("m", "m", "linux", "0", "h", at, at)))
    keeping.write(lambda steps: steps.add_chain(Chain("c", "m", 1)))
    turns = -(-decisions * 2 // each)
    for turn in range(turns):
        some = again(lines, turn)
        keeping.write(lambda steps, some=some: steps.add_events("c", 0, some))  # type: ignore[misc]
    end = Branch("c", 0, 0, 0, GENESIS, turns * each, f"{turns * each:064x}", "", at, at)
    keeping.write(lambda steps: steps.put_branch(end))


def measured(browser: Browser, url: str) -> tuple[float, float]:
    """Return the first paint of a page, and when all of it was here, in ms: the medians."""
    painted, whole = [], []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        browser.go(url)
        whole.append(1000 * (time.perf_counter() - begun))
        browser.wait(PAINT)
        painted.append(float(browser.js(PAINT)))
    return statistics.median(painted), statistics.median(whole)


def main(arguments: list[str]) -> None:
    """Print the table."""
    wanted = int(arguments[0]) if arguments else 100_000
    for kind in ("javascript", "css"):
        loaded = [gzip.compress(static(name)) for name, said in STATIC.items() if kind in said]
        print(f"{kind}: {sum(map(len, loaded)):,} bytes gzipped")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as service:
        filled(service, wanted)
        size = os.path.getsize(f"{folder}/{FILE}")
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        print(f"{wanted:,} decisions with their ends, {size / wanted:,.0f} bytes each; {load}")
        print(f"{'ms, medians':30} {'paint':>8} {'whole':>8} {'ratio':>6}")
        with browsing() as browser:
            name, _, value = service.person("ada", "reader")["Cookie"].partition("=")
            browser.do("Network.setCookie", name=name, value=value, url=service.url)
            floor = 0.0
            for page in PAGES:
                paint, whole = measured(browser, service.url + page)
                floor = floor or paint
                print(f"{page:30} {paint:8.0f} {whole:8.0f} {paint / floor:6.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
