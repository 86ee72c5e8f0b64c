"""How long reading and deciding take in a warm process, in microseconds and as a ratio to splitting
the text into words.

    python bench/decide.py [CORPUS.jsonl ...]

A corpus line holds ``command`` and perhaps ``kind``; lines of another kind than bash are left out.
Without a path the corpora beside the repository are used where they are, else a small set made
here. Nothing of a line is ever run.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.model.call import SHELL, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
CWD = "/home/user/project"
REPEATS = 3


def made() -> list[str]:
    """Make ordinary commands by combining a few."""
    starts = ("", "cd src && ", "sudo ", "FOO=1 ", "timeout 5 ")
    commands = (
        "ls -la",
        "git status --short",
        "rm -f build/app.o",
        "grep -rn 'def main' .",
        "python3 -m pytest -q",
        'for f in *.py; do wc -l "$f"; done',
    )
    ends = ("", " | head -5", " > /tmp/out.txt 2>&1", ' && echo "done $(date)"')
    return ["".join(parts) for parts in product(starts, commands, ends)]


def load(paths: list[Path]) -> dict[str, list[str]]:
    """Return the shell commands of each corpus."""
    found = {}
    for path in paths:
        rows = [
            json.loads(line)
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip()
        ]
        commands = [row["command"] for row in rows if row.get("kind", "bash") == "bash"]
        if commands:
            found[path.name] = commands
    return found


def timed(work: Callable[[str], object], commands: list[str]) -> list[float]:
    """Return the microseconds of each command, the best of a few goes, shortest first."""
    clock = time.perf_counter_ns
    best = [float("inf")] * len(commands)
    for _ in range(REPEATS):
        for number, command in enumerate(commands):
            begun = clock()
            work(command)
            best[number] = min(best[number], (clock() - begun) / 1000)
    return sorted(best)


def split(command: str) -> object:
    """The floor: the text into words, with no grammar."""
    try:
        return shlex.split(command)
    except ValueError as error:
        return error


def judge() -> tuple[Callable[[str], object], Callable[[str], object]]:
    """Return what reads a command, and what reads it and decides, as the resident guard does."""
    from interlock.effects.read import read
    from interlock.engine.decide import decide
    from interlock.facts import Recorded
    from interlock.policy.builtin import builtin
    from interlock.resident.fast_records import hasten

    hasten()
    policy, facts = builtin(), Recorded()

    def call(command: str) -> ToolCall:
        return ToolCall(SHELL, "Bash", {"command": command}, cwd=CWD, roots=(CWD,))

    def decided(command: str) -> object:
        made_call = call(command)
        return decide(made_call, read(made_call, facts), policy, "bench").verdict

    return lambda command: read(call(command), facts), decided


def table(name: str, commands: list[str]) -> None:
    """Print the figures of one corpus."""
    reading, deciding = judge()
    print(f"{name}: {len(commands)} commands")
    print(
        f"  {'':16} {'p50 us':>8} {'p99 us':>9} {'slowest':>9} {'p50 ratio':>10} {'p99 ratio':>10}"
    )
    floor: tuple[float, float] | None = None
    for what, work in (
        ("split into words", split),
        ("read", reading),
        ("read and decide", deciding),
    ):
        times = timed(work, commands)
        p50, p99 = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))]
        floor = floor or (p50, p99)
        print(
            f"  {what:16} {p50:8.0f} {p99:9.0f} {times[-1]:9.0f} {p50 / floor[0]:10.1f}"
            f" {p99 / floor[1]:10.1f}"
        )


def main(arguments: list[str]) -> int:
    """Print one table for each corpus and one for all of them."""
    paths = [Path(argument) for argument in arguments] or sorted(CORPORA.glob("*.jsonl"))
    corpora = load(paths) or {"made here": made()}
    for name, commands in corpora.items():
        table(name, commands)
    if len(corpora) > 1:
        table("all", [command for commands in corpora.values() for command in commands])
    print("to be kept over the bash corpora: read and decide at most 150 us p50, 2000 us p99")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
