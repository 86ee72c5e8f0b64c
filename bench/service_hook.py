"""What being enrolled costs a hook: the whole process on a machine that is enrolled, its sidecar at
work and its service there, against one that is not, in turn.

    python bench/service_hook.py [PAIRS]

Prints the ratio of the medians and of the minima, and the median of the pairs' own ratios.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
HOOK = SOURCE / "interlock/hook.py"
COMMAND = "cd src && grep -rn 'def main' . | head -5"


def environment(home: str) -> dict[str, str]:
    """Return what a process of a home finds around it."""
    return {
        "HOME": home,
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCE),
        "INTERLOCK_RESIDENT": "off",
    }


def interlock(*words: str) -> list[str]:
    """Return how a command is started."""
    return [sys.executable, "-m", "interlock", *words]


def hooked(home: str, number: int) -> float:
    """Return the seconds of one hook."""
    event = {
        "session_id": "s", "cwd": home, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": COMMAND}, "tool_use_id": f"t{number}",
    }  # fmt: skip
    text = json.dumps(event)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), "claude-code"],
        input=text, env=environment(home), cwd=home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    took = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(done.stderr)
    return took


def compared(alone: str, enrolled: str, pairs: int) -> None:
    """Print how both compare."""
    times: dict[str, list[float]] = {alone: [], enrolled: []}
    for number in range(pairs + 3):
        order = (alone, enrolled) if number % 2 else (enrolled, alone)
        for home in order:
            took = hooked(home, number)
            if number >= 3:
                times[home].append(took)
    one, other = times[alone], times[enrolled]
    ratios = [after / before for before, after in zip(one, other, strict=True)]
    print(f"{pairs} pairs, {1000 * statistics.median(one):.0f} ms a hook on this machine")
    print(f"ratio of medians {statistics.median(other) / statistics.median(one):.3f}")
    print(f"ratio of minima  {min(other) / min(one):.3f}")
    print(f"median of ratios {statistics.median(ratios):.3f}")


def main(arguments: list[str]) -> None:
    """Start a service and a sidecar, compare, end them."""
    pairs = int(arguments[0]) if arguments else 40
    with tempfile.TemporaryDirectory() as top:
        node, alone, enrolled = [f"{top}/{name}" for name in ("node", "alone", "enrolled")]
        for home in (node, alone, enrolled):
            os.mkdir(home)
        started = []
        try:
            started.append(_started(node, "serve"))
            line = subprocess.run(
                interlock("serve", "--token"),
                env=environment(node), capture_output=True, text=True, check=True,
            ).stdout.split()  # fmt: skip
            subprocess.run(
                interlock(*line[1:], "--no-start"),
                env=environment(enrolled), check=True, capture_output=True,
            )  # fmt: skip
            started.append(_started(enrolled, "sidecar"))
            compared(alone, enrolled, pairs)
        finally:
            for process in started:
                process.terminate()
                process.communicate()


def _started(home: str, word: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        interlock(word), env=environment(home), stdout=subprocess.PIPE, text=True
    )
    if word == "serve" and process.stdout is not None:
        process.stdout.readline()
    return process


if __name__ == "__main__":
    main(sys.argv[1:])
