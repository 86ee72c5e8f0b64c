"""What the limits add to a decision in a process whose store is open, and to the outcome of the call, in microseconds.

python bench/limits.py
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
from interlock.guard.organs import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.model.call import Outcome, ToolCall
from interlock.model.limits import Concurrency, CostBudget, Duration, Limits, Rate, TokenBudget
from interlock.policy.builtin import builtin
from interlock.store.database import Store

CALLS = 1500
S3 = (Rate("1000/s", "bash_commands"), Rate("1000/s", "file_writes"), Rate("1000/s", "api_calls"))
ROWS: dict[str, Limits | None] = {
    "no limits": None,
    "three rates": Limits(rates=S3),
    "rates and calls at once": Limits(rates=S3, concurrent=(Concurrency(1000),)),
    "rates, calls at once, tokens, cost, duration": Limits(
        rates=S3, concurrent=(Concurrency(1000),), tokens=(TokenBudget(10**9),), costs=(CostBudget(10**6),), durations=(Duration(10**6),)
    ),
}


def timed(folder: Path, limits: Limits | None) -> tuple[list[float], list[float]]:
    """Return the microseconds of each decision and of each outcome, shortest first. The client's transcript grows by a line for each call."""
    store = Store(str(folder / "state"))
    guard = Guard(
        builtin().replace(limits=limits),
        ask=NATIVE,
        facts=Recorded("/home/u"),
        audit=Audit(store),
        ledger=Ledger(store),
        limits=lambda: Meter(store),
    )
    transcript = folder / "chat.jsonl"
    checks, outcomes = [], []
    for number in range(CALLS):
        line = {"type": "assistant", "message": {"id": f"m{number}", "model": "claude-opus-5", "usage": {"input_tokens": 9, "output_tokens": 9}}}
        with transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")
        call = ToolCall(
            "shell", "Bash", {"command": f"grep -n {number} src"}, "/home/u/p", ("/home/u/p",), session="s", agent="claude-code",
            call_id=f"c{number}", transcript=str(transcript),
        )  # fmt: skip
        begun = time.perf_counter_ns()
        decision = guard.check(call)
        decided = time.perf_counter_ns()
        guard.outcome(Outcome(call, "ran"))
        outcomes.append((time.perf_counter_ns() - decided) / 1000)
        checks.append((decided - begun) / 1000)
        if str(decision.verdict) != "allow":
            raise SystemExit(f"{decision.findings}")
    return sorted(checks[50:]), sorted(outcomes[50:])


def main() -> int:
    """Print one row for each set of limits."""
    print(f"{'microseconds, store open':46} {'check p50':>10} {'p99':>7} {'added p50':>10} {'outcome p50':>12}")
    floor = 0.0
    for name, limits in ROWS.items():
        with tempfile.TemporaryDirectory() as folder:
            checks, outcomes = timed(Path(folder), limits)
        p50, p99 = checks[len(checks) // 2], checks[int(len(checks) * 0.99)]
        floor = floor or p50
        print(f"{name:46} {p50:10.0f} {p99:7.0f} {p50 - floor:10.0f} {outcomes[len(outcomes) // 2]:12.0f}")
    print("to be kept: all stages of a session together add at most 1000 us p50")
    return 0


if __name__ == "__main__":
    sys.exit(main())
