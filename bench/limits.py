"""What the limits add to a decision in a process whose store is open, and to the outcome of the
call, in microseconds.

    python bench/limits.py

The rows take turns call by call, so that a busy machine is equally busy for all of them. Beside the
time on the clock stands the processor's own.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from interlock.audit.log import Audit
from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.model.call import Outcome, ToolCall
from interlock.model.limits import Concurrency, CostBudget, Duration, Limits, Rate, TokenBudget
from interlock.policy.builtin import builtin
from interlock.store.database import Store

CALLS = 1000
S3 = (Rate("1000/s", "bash_commands"), Rate("1000/s", "file_writes"), Rate("1000/s", "api_calls"))
ROWS: dict[str, Limits | None] = {
    "no limits": None,
    "three rates": Limits(rates=S3),
    "rates and calls at once": Limits(rates=S3, concurrent=(Concurrency(1000),)),
    "rates, calls at once, tokens, cost, duration": Limits(
        rates=S3,
        concurrent=(Concurrency(1000),),
        tokens=(TokenBudget(10**9),),
        costs=(CostBudget(10**6),),
        durations=(Duration(10**6),),
    ),
}


class Desk:
    """A guard with a store of its own, and the times of its calls: on the clock, of the processor,
    and of outcomes on the clock.
    """

    def __init__(self, folder: Path, limits: Limits | None) -> None:
        store = Store(str(folder / "state"))
        self.guard = Guard(
            builtin().replace(limits=limits),
            ask=NATIVE,
            facts=Recorded("/home/u"),
            audit=Audit(store),
            ledger=Ledger(store),
            limits=lambda: Meter(store),
        )
        self.transcript = folder / "chat.jsonl"
        self.times: list[tuple[float, float, float]] = []

    def call(self, number: int) -> None:
        """Judge one call and tell its outcome; before each the client notes one request."""
        line = {
            "type": "assistant",
            "message": {
                "id": f"m{number}",
                "model": "claude-opus-5",
                "usage": {"input_tokens": 9, "output_tokens": 9},
            },
        }
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")
        call = ToolCall(
            "shell", "Bash", {"command": f"grep -n {number} src"}, "/home/u/p", ("/home/u/p",),
            session="s", agent="claude-code",
            call_id=f"c{number}", transcript=str(self.transcript),
        )  # fmt: skip
        processor, begun = time.process_time_ns(), time.perf_counter_ns()
        decision = self.guard.check(call)
        decided, spent = time.perf_counter_ns(), time.process_time_ns()
        self.guard.outcome(Outcome(call, "ran"))
        self.times.append(
            (
                (decided - begun) / 1000,
                (spent - processor) / 1000,
                (time.perf_counter_ns() - decided) / 1000,
            )
        )
        if str(decision.verdict) != "allow":
            raise SystemExit(f"{decision.findings}")

    def median(self, which: int) -> float:
        """Return the median of one of the three times, after the first calls."""
        ordered = sorted([times[which] for times in self.times[50:]])
        return ordered[len(ordered) // 2]


def main() -> int:
    """Print one row for each set of limits."""
    with tempfile.TemporaryDirectory() as folder:
        desks = {}
        for name, limits in ROWS.items():
            (Path(folder) / name).mkdir()
            desks[name] = Desk(Path(folder) / name, limits)
        for number in range(CALLS):
            for desk in desks.values():
                desk.call(number)
    floor = desks["no limits"]
    print(
        f"{'p50 in microseconds, store open':46} {'check':>7} {'added':>7} {'processor added':>16}"
        f" {'outcome':>8}"
    )
    for name, desk in desks.items():
        clock, processor = desk.median(0), desk.median(1)
        print(
            f"{name:46} {clock:7.0f} {clock - floor.median(0):7.0f}"
            f" {processor - floor.median(1):16.0f} {desk.median(2):8.0f}"
        )
    print("to be kept: all stages of a session together add at most 1000 us p50")
    return 0


if __name__ == "__main__":
    sys.exit(main())
