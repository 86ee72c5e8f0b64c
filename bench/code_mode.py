"""Prints what guarded code mode costs: the start of a program under each tier against a bare
interpreter, and an operation that is asked about.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

from interlock.codemode import running
from interlock.codemode.permissions import RunPermissions, apply_permits
from interlock.codemode.program import RunContext
from interlock.codemode.python.run import run
from interlock.facts.live import Live
from interlock.guard.check import Guard
from interlock.model.call import PYTHON, ToolCall
from interlock.policy.builtin import builtin
from interlock.sandbox.bounds import BUBBLEWRAP
from interlock.sandbox.probe import Kernel, kernel

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
QUESTIONS = 300
EMPTY = "import time; print(time.process_time() * 1000)"
TIMED = """
import time
open("x", "w").close()
began = time.perf_counter()
for number in range(QUESTIONS):
    try:
        open(NAME).close()
    except OSError:
        pass
print((time.perf_counter() - began) * 1e6 / QUESTIONS)
"""
"""Opens files: one that need not be asked about, or every time another that has to be."""
PLAIN = TIMED.replace("QUESTIONS", str(QUESTIONS)).replace("NAME", '"x"')
ASKING = TIMED.replace("QUESTIONS", str(QUESTIONS)).replace("NAME", 'f"/srv/none-{number}"')


class Taken(NamedTuple):
    """What a round took: milliseconds on the clock, and of processor time, its processes and this
    one.
    """

    clock: float
    processor: float


def taken(work: Callable[[], float]) -> Taken:
    """Return the median of some rounds. ``work`` returns milliseconds of processor time that no
    parent hears of: what ran behind bubblewrap.
    """
    rounds = []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), processor()
        hidden = work()
        rounds.append(((time.perf_counter() - began) * 1000, processor() - used + hidden))
    return Taken(*[statistics.median(column) for column in zip(*rounds, strict=True)])


def processor() -> float:
    """Return the milliseconds of processor time that this process and all that it waited for have
    used.
    """
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum([one.ru_utime + one.ru_stime for one in both]) * 1000


def main() -> None:
    """Measure and print a table."""
    found = kernel()
    tiers = {"guard only": Kernel(), "landlock": found.replace(bwrap=""), "bubblewrap": found}
    with tempfile.TemporaryDirectory(dir=os.path.expanduser("~")) as work:
        guard = Guard(
            apply_permits(builtin(), RunPermissions(), os.environ.get("HOME", "")), facts=Live()
        )
        scene = RunContext(
            guard, ToolCall(PYTHON, "execute_python", {"code": ""}, work, (work,)), RunPermissions()
        )

        def bare() -> float:
            subprocess.run(
                [sys.executable, "-c", EMPTY], check=True, cwd=work, stdout=subprocess.DEVNULL
            )
            return 0.0

        def guarded() -> float:
            result = run(EMPTY, scene)
            return float(result.stdout) if result.tier.kernel == BUBBLEWRAP else 0.0

        floor = taken(bare)
        print(
            f"{'bare interpreter':18} {floor.clock:7.1f} ms, {floor.processor:6.1f} ms of processor"
            " time"
        )
        for name, here in tiers.items():
            setattr(running, "kernel", lambda _, here=here: here)  # noqa: B010 - one tier after the other
            cost = taken(guarded)
            asked, plain = (float(run(source, scene).stdout or "nan") for source in (ASKING, PLAIN))
            print(
                f"{name:18} {cost.clock:7.1f} ms, {cost.processor:6.1f} ms of processor time"
                f" (+{cost.processor - floor.processor:5.1f}), {cost.clock / floor.clock:.2f} of"
                f" bare   asked {asked:6.1f} us, plain {plain:5.1f} us an operation"
            )
        opened = subprocess.run(
            [sys.executable, "-c", PLAIN], check=True, cwd=work, capture_output=True, text=True
        ).stdout
        print(f"{'bare, one open':18} {float(opened):7.1f} us")


if __name__ == "__main__":
    main()
