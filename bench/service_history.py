"""What a long history costs at the service: how large it lies in files, how long a search takes in
the database alone and with the files of past days, and how long the pages over it take.

    python bench/service_history.py [DECISIONS]

The history is made up: calls of the rules' own examples as the guard records them, of 40 machines
in 400 folders over 60 days, each with its outcome, every name and hash its own. Below a gigabyte at
200,000 decisions; it is taken away at the end.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from operator import methodcaller

from interlock.audit.entry import Judgement, decision_row
from interlock.audit.redact import Redactor
from interlock.cli.build import fixed_facts
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.model.call import SHELL, ToolCall
from interlock.model.jsontext import dumps
from interlock.policy.builtin import builtin
from interlock.service.archive.archive import ParquetArchive
from interlock.service.history.everywhere import FleetHistory
from interlock.service.history.query_words import query
from interlock.service.store.rows import Chain, Machine
from interlock.service.store.sqlite import Database
from interlock.store.chain import GENESIS, digest, link, of_kept
from interlock.store.schema import AUDIT_COLUMNS
from interlock.wire.batch import KEPT, BatchLine

HOME = "/home/user"
MACHINES, FOLDERS, DAYS = 40, 400, 60
AT_ONCE = 5000
ASKED = (
    "verdict:deny",
    "verdict:ask rule:git.*",
    "push --force",
    "nothing-that-was-ever-called",
    "rule:exec.* w399",
    "machine:ci-7 verdict:ask",
    "rule:no.such",
    "folder:*/w17 since:2020-01-01",
)
Row = dict[str, str | int | float | None]


def list_templates() -> list[Row]:
    """Return a row of each example of the rules, with a mark where its folder stands."""
    examples = [of for rule in builtin().rules for of in (*rule.catches, *rule.passes)]
    redactor = Redactor(lambda: b"k" * 32)
    found = []
    for text in [one for one in examples if isinstance(one, str)]:
        work = f"{HOME}/w-mark"
        call = ToolCall(SHELL, "Bash", {"command": text}, work, (work,), session="s", agent="ada")
        reading = read(call, fixed_facts(HOME))
        judged = Judgement(call, reading, decide(call, reading, builtin(), "d"), builtin())
        found.append(dict(zip(AUDIT_COLUMNS, decision_row(judged, redactor)[1], strict=True)))
    return found


def make_lines(templates: list[Row], count: int, seed: int) -> Iterator[BatchLine]:
    """Yield the events of one machine: decisions, each with its outcome."""
    chance = random.Random(seed)  # noqa: S311 - a history that is made up, the same each time
    previous, start = GENESIS, time.time() - DAYS * 86400
    for number in range(count):
        at = start + DAYS * 86400 * number / count
        said = time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(at)) + f"{number % 1000:03}Z"
        name, session = f"{chance.getrandbits(64):016x}", f"s-{seed}-{number // 60}"
        row = dict(chance.choice(templates))
        folder = f"w{chance.randrange(FOLDERS)}"
        for column in ("parameters", "cwd", "roots", "effects", "findings"):
            row[column] = str(row[column]).replace("w-mark", folder)
        row.update(decision_id=name, session_id=session, timestamp=said, created_at=said)
        row.update(id=number + 1, call_id=f"toolu_{chance.getrandbits(96):024x}")
        values = tuple([row.get(column) for column in KEPT])
        body = dumps({"digest": of_kept(values), "status": None})
        ended = ("ran" if row["verdict"] != "deny" else "refused", None, chance.randrange(9000))
        events = (
            ("decision", name, body, values),
            ("outcome", f"{chance.getrandbits(64):016x}", dumps({"digest": digest(ended)}), ended),
        )
        for place, (kind, key, text, kept) in enumerate(events):
            fields = (2 * number + place + 1, key, said, kind, session, name, text)
            previous = link(previous, fields)
            yield BatchLine(fields, previous, kept)


def fill(keeping: Database, decisions: int) -> None:
    """Write a history, the machines' events between each other."""
    templates = list_templates()
    chains = [f"c-{number}" for number in range(MACHINES)]
    for number, chain in enumerate(chains):
        machine = Machine(f"m-{number}", f"ci-{number}", "linux", "0", f"h{number}", "", team="ci")
        keeping.write(methodcaller("add_machine", machine))
        keeping.write(methodcaller("add_chain", Chain(chain, machine.id, 1)))
    lines = [make_lines(templates, decisions // MACHINES, seed) for seed in range(MACHINES)]
    share = AT_ONCE // 10
    for _ in range(0, 2 * decisions // MACHINES, share):
        for chain, some in zip(chains, lines, strict=True):
            part = [line for _, line in zip(range(share), some, strict=False)]
            keeping.write(methodcaller("add_events", chain, 0, part))


def measure(work: Callable[[], object], rounds: int = 5) -> list[float]:
    """Return how long something takes, in milliseconds, in each of some rounds."""
    took = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - begun))
    return took


def main() -> None:
    """Print the figures."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Database(folder)) as keeping,
        closing(ParquetArchive(folder)) as archive,
    ):
        begun = time.perf_counter()
        fill(keeping, decisions)
        print(f"made up    {decisions} decisions in {time.perf_counter() - begun:.0f} s")
        begun, spent = time.perf_counter(), time.process_time()
        events = archive.add_past_days(keeping, "2100-01-01")
        used, took = time.process_time() - spent, time.perf_counter() - begun
        size = sum(os.path.getsize(one.path) for one in archive.files())
        database = os.path.getsize(keeping.path)
        print(
            f"to files   {events} events in {took:.0f} s, {events / used:.0f} for each second of a"
            f" processor; {size / decisions:.0f} bytes a decision with its outcome"
            f" ({database / decisions:.0f} in the database)"
        )
        plain, with_files = FleetHistory(keeping, None), FleetHistory(keeping, None, archive)
        slow: list[float] = []
        fast: list[float] = []
        for text in ASKED:
            asked = query(text)
            one, two = [measure(partial(past.decisions, asked)) for past in (plain, with_files)]
            slow, fast = slow + one, fast + two
            found = len(with_files.decisions(asked))
            print(
                f"search     {text:32} {found:4} found: {statistics.median(one):7.0f} ms in the"
                f" database, {statistics.median(two):5.0f} ms with files"
            )
        for name, took_all in (("database", slow), ("files", fast)):
            print(f"search     p95 {sorted(took_all)[int(0.95 * len(took_all))]:.0f} ms ({name})")
        session = measure(lambda: with_files.session("c-3", "s-3-7"))
        print(f"timeline   {statistics.median(session):.0f} ms")
        counted = measure(lambda: plain.insights("2020"))
        print(f"insights   {statistics.median(counted):.0f} ms over all days")


if __name__ == "__main__":
    main()
