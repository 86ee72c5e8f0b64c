"""How many distinct recorded calls a second are judged again: in this process, and in as many as
there are processors.

    python bench/replay.py [ROWS]

The history is made: calls of the rules' own examples in many folders, recorded in a store as the
hook records them.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.rejudge import JUDGED, HistoryCall, chunks, history, judge_rows
from interlock.audit.replay import replay
from interlock.cli.build import fixed_facts
from interlock.cli.policy_replay import commands, in_processes
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.guard.intent_stage import misfits
from interlock.model.call import SHELL, ToolCall
from interlock.model.jsontext import loads
from interlock.policy.builtin import builtin
from interlock.store.database import Store

HOME = "/home/user"
TEXTS = "parameters call roots effects doubts".split()
NOT_JUDGED = dict.fromkeys("session_id agent agent_id call_id".split(), "")


def record(folder: str, rows: int) -> Store:
    """Record a history."""
    store = Store(folder)
    audit = Audit(store)
    examples = [
        of
        for rule in builtin().rules
        for of in (*rule.catches, *rule.passes)
        if isinstance(of, str)
    ]
    writes = []
    for number in range(rows):
        work = f"{HOME}/w{number // len(examples)}"
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": examples[number % len(examples)]},
            work,
            (work,),
            session="s",
            call_id=f"c{number}",
        )
        reading = read(call, fixed_facts(HOME))
        writes.append(
            audit.judged(
                Judgement(
                    call, reading, decide(call, reading, builtin(), f"d-{number:016x}"), builtin()
                )
            )
        )
        if len(writes) == 1000 or number == rows - 1:
            store.commit(writes)
            writes = []
    return store


def measure_reading(rows: list[HistoryCall]) -> tuple[float, float]:
    """Return what reading a row back takes, in microseconds of the processor and against parsing
    its JSON and nothing else: the medians over parts of the history. No row was read before, but
    most of what rows say alike was, as in a long history.
    """
    took, ratios = [], []
    for part in chunks(rows):
        plain = [dict(zip(JUDGED, row.values, strict=True)) for row in part]
        begun = time.process_time()
        for row in plain:
            [loads(str(row[name])) for name in TEXTS]
        parsed = time.process_time()
        for row in plain:
            replay({**NOT_JUDGED, **row})
        read_back = time.process_time() - parsed
        took.append(read_back / len(part))
        ratios.append(read_back / (parsed - begun))
    return 1e6 * statistics.median(took), statistics.median(ratios)


def main() -> None:
    """Print the figures."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        store = record(folder, wanted)
        begun = time.perf_counter()
        rows = history(store, "")
        print(
            f"read from the store         {len(rows):8} distinct of {wanted} in"
            f" {time.perf_counter() - begun:.2f} s"
        )
        begun, spent = time.perf_counter(), time.process_time()
        judge_rows(rows[:4000], builtin(), misfits, commands)
        took, used = time.perf_counter() - begun, time.process_time() - spent
        judged = min(4000, len(rows))
        print(
            f"one process                 {judged / took:8.0f} distinct calls/s,"
            f" {judged / used:.0f} for each second of a processor"
        )
        microseconds, ratio = measure_reading(rows[4000:])
        print(
            f"a row read back             {microseconds:8.1f} us of a processor, {ratio:.2f} times"
            " what parsing its JSON alone takes"
        )
        begun = time.perf_counter()
        in_processes(rows, builtin(), lambda _: None)
        print(
            f"{os.cpu_count()} processes                "
            f" {len(rows) / (time.perf_counter() - begun):8.0f} distinct calls/s"
        )


if __name__ == "__main__":
    main()
