"""What commands take of the processor, as ratios to the bare interpreter's start: by themselves,
and with a resident guard that answers.

    python -m bench.commands [ROUNDS]

Each round starts every line once, in turn. What the resident guard spends on a line counts with
the line. Commands are started by a script such as pip and uv write today; that of an older pip
imports ``re`` besides, which has a line of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.resident import PACKAGE, PYTHON, Staying, staying

SCRIPT = f"""#!{PYTHON}
import sys
sys.path.insert(0, {str(PACKAGE.parent)!r})
from interlock.__main__ import main
sys.exit(main())
"""
ALLOWED = "cd src && grep -rn 'def main' . | head -5"
SETTLED = 6.0
"""Seconds after which the guard has counted what it spent."""


class Line(NamedTuple):
    """A command line. ``most``: what was aimed at; ``resident``: whether a guard may answer."""

    argv: list[str]
    most: str = ""
    resident: bool = False


def lines(script: str) -> dict[str, Line]:
    """Return what is measured; the first is what the others are compared with."""
    bare = [PYTHON, "-I", "-S"]
    return {
        "bare interpreter": Line([*bare, "-c", "pass"]),
        "with site": Line([PYTHON, "-c", "pass"]),
        "with site and re": Line([PYTHON, "-c", "import re"]),
        "interlock version": Line([script, "version"], "2"),
        "interlock check, asked": Line([script, "check", ALLOWED], "3", resident=True),
        "interlock check, alone": Line([script, "check", ALLOWED]),
    }


def spend(line: Line, guard: Staying) -> float:
    """Run a line; return the milliseconds of processor time that it took itself."""
    switch = {"INTERLOCK_RESIDENT": "on" if line.resident else "off"}
    process = subprocess.Popen(
        line.argv, env=guard.variables | switch, cwd=guard.folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(line.argv)} ended with {process.returncode}")
    return 1000 * (used.ru_utime + used.ru_stime)


def spent_by(pid: int) -> float:
    """Return the milliseconds of processor time that a guard has used, with all below it."""
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    stats = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2] for one in (pid, *below)]
    ticks = sum([int(field) for one in stats for field in one.split()[11:15]])
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def measure(rounds: int, guard: Staying, script: str) -> dict[str, list[float]]:
    """Run every line so many rounds."""
    measured = lines(script)
    took: dict[str, list[float]] = {name: [] for name in measured}
    for number in range(rounds + 2):
        for name, line in measured.items():
            spent = spend(line, guard)
            if number >= 2:  # the first rounds write compiled files
                took[name].append(spent)
    return took


def main() -> int:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as made, staying(Path(made)) as guard:
        script = Path(made) / "interlock"
        script.write_text(SCRIPT, encoding="utf-8")
        script.chmod(0o700)
        before = spent_by(guard.pid)
        took = measure(rounds, guard, str(script))
        time.sleep(SETTLED)
        answered = sum([line.resident for line in lines(str(script)).values()])
        share = (spent_by(guard.pid) - before) / (rounds + 2) / answered
    floor = took["bare interpreter"]
    print(f"{'':24}{'least ms':>9}{'ratio':>7}{'mean ms':>9}{'ratio':>7}{'aim':>5}")
    for name, line in lines(str(script)).items():
        own = share if line.resident else 0.0
        least, mean = min(took[name]) + own, statistics.mean(took[name]) + own
        print(
            f"{name:24}{least:9.1f}{least / min(floor):7.2f}{mean:9.1f}"
            f"{mean / statistics.mean(floor):7.2f}{line.most:>5}"
        )
    print(f"(of those that are answered, {share:.1f} ms are the resident guard's)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
