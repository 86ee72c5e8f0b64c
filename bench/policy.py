"""How long policy files take: loading the compiled policy (on every call), reading the files anew,
and checking a long file.

    python bench/policy.py

Figures are milliseconds, the median and the best of many goes in a warm process; a hook pays the
first go, which is in the last column.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from interlock.cli.build import reader
from interlock.policy.cache import find
from interlock.policy.files import PolicyLocations
from interlock.policy.load import load

if TYPE_CHECKING:
    from collections.abc import Callable

TODAY = 20_000
SOURCE = Path(__file__).resolve().parent.parent / "src"
RULE = """\
  - id: team.rule-{number}
    title: deletes what team {number} keeps
    match: {{effect: deletes, path: "/srv/team-{number}/**"}}
    action: ask
    catches: ["rm -rf /srv/team-{number}/data"]
    passes: ["ls /srv/team-{number}"]
"""


def policy(rules: int) -> str:
    """Write a policy of so many rules of its own, and a few other things."""
    head = (
        "version: 1\nhosts: {allow: [git.example.com]}\nfiles: {block: [secrets]}\ntune: [{tag:"
        " GR-005, action: ask}]\nrules:\n"
    )
    return head + "".join([RULE.format(number=number) for number in range(rules)])


def timed(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the median and the best milliseconds of some goes."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1000)
    return median(taken), min(taken)


FIRST = """
import sys, time
sys.path.insert(0, sys.argv[1])
import interlock.policy.current
from interlock.policy.files import PolicyLocations
from interlock.policy.cache import find
where = PolicyLocations(*sys.argv[2:6], *map(int, sys.argv[6:8]))
begun = time.perf_counter()
assert find(where, {}, 20000) is not None
print((time.perf_counter() - begun) * 1000)
"""


def first(where: PolicyLocations) -> float:
    """Return the milliseconds of the first load in a fresh process, its imports apart: the median
    of a few.
    """
    words = [
        str(SOURCE),
        where.system,
        where.home,
        where.project,
        where.state,
        str(where.owner),
        str(where.above),
    ]
    taken = [
        float(
            subprocess.run(
                [sys.executable, "-I", "-S", "-c", FIRST, *words],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for _ in range(9)
    ]
    return median(taken)


def main() -> None:
    """Print the table."""
    print(f"{'':34} {'median':>9} {'best':>9} {'first in a process':>19}")
    for rules in (0, 20, 100, 500):
        with tempfile.TemporaryDirectory() as top:
            home = f"{top}/home"
            where = PolicyLocations(
                f"{top}/etc",
                home,
                f"{top}/work",
                f"{home}/.local/state/interlock",
                os.getuid(),
                os.getuid(),
            )
            file = Path(where.user_file)
            file.parent.mkdir(parents=True)
            file.write_text(
                policy(rules).removesuffix("" if rules else "rules:\n"), encoding="utf-8"
            )
            anew = timed(partial(load, where, reader(home), TODAY), 3)
            found = load(where, reader(home), TODAY)
            if found.problems:
                sys.exit(found.problems[0].text())
            compiled = timed(partial(find, where, {}, TODAY), 200)
            print(
                f"{f'compiled policy, {rules} own rules':34} {compiled[0]:9.2f} {compiled[1]:9.2f}"
                f" {first(where):19.2f}"
            )
            print(f"{f'files read anew, {rules} own rules':34} {anew[0]:9.1f} {anew[1]:9.1f}")
            check = [sys.executable, "-m", "interlock", "policy", "check", str(file)]
            environment = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}
            whole = timed(
                partial(subprocess.run, check, env=environment, capture_output=True, check=True), 3
            )
            print(
                f"{f'interlock policy check, {rules} own rules':34} {whole[0]:9.1f} {whole[1]:9.1f}"
            )


if __name__ == "__main__":
    main()
