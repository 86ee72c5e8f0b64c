"""Prints what guarded code mode costs: the start of a program under each tier against a bare interpreter, and an operation that is asked about."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from interlock.codemode import running
from interlock.codemode.permits import Permits, applied
from interlock.codemode.program import Scene
from interlock.codemode.python.run import run
from interlock.facts.live import Live
from interlock.guard.check import Guard
from interlock.model.call import PYTHON, ToolCall
from interlock.policy.builtin import builtin
from interlock.sandbox.probe import Kernel, kernel

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
QUESTIONS = 300
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


def milliseconds(work: Callable[[], object]) -> float:
    """Return the median of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Measure and print a table."""
    found = kernel()
    tiers = {"guard only": Kernel(), "landlock": found.replace(bwrap=""), "bubblewrap": found}
    with tempfile.TemporaryDirectory(dir=os.path.expanduser("~")) as work:
        guard = Guard(applied(builtin(), Permits(), os.environ.get("HOME", "")), facts=Live())
        scene = Scene(guard, ToolCall(PYTHON, "execute_python", {"code": ""}, work, (work,)), Permits())
        bare = milliseconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=work))
        print(f"{'bare interpreter':24} {bare:7.1f} ms")
        for name, here in tiers.items():
            setattr(running, "kernel", lambda _, here=here: here)  # noqa: B010 - one tier after the other
            taken = milliseconds(lambda: run("pass", scene))
            asked, plain = (float(run(source, scene).stdout or "nan") for source in (ASKING, PLAIN))
            print(f"{name:24} {taken:7.1f} ms  (+{taken - bare:5.1f})   asked {asked:6.1f} us, plain {plain:5.1f} us an operation")
        opened = subprocess.run([sys.executable, "-c", PLAIN], check=True, cwd=work, capture_output=True, text=True).stdout
        print(f"{'bare, one open':24} {float(opened):7.1f} us")


if __name__ == "__main__":
    main()
