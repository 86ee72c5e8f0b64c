"""What a checkpoint and an undo cost, in a repository of 10,000 files: ``python bench/checkpoint.py
[FILES]``.

Milliseconds on this machine, by the clock and of processor time, which other work hardly changes:
the first checkpoint reads every file, later ones look at each and read what changed.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.checkpoint.service import Checkpoints
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.model.radius import Stake

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return how long something takes, in milliseconds, by the clock and of processor time."""
    began, computed = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - began) * 1000, (time.process_time() - computed) * 1000


def filled(root: Path, files: int) -> None:
    """Write so many source files, a hundred a folder."""
    for number in range(files):
        path = root / f"pkg{number // 100}" / f"module{number % 100}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 60, encoding="ascii")


def main() -> None:
    """Print the figures."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    top = Path(tempfile.mkdtemp(prefix="interlock-bench-"))
    try:
        root = top / "work"
        filled(root, files)
        time.sleep(0.3)
        checkpoints = Checkpoints(str(top / "state"))
        stakes = (Stake(str(root / "pkg1")),)

        def call(number: int) -> ToolCall:
            return ToolCall(
                SHELL,
                "Bash",
                {"command": "rm -r pkg1"},
                str(root),
                (str(root),),
                session="s",
                call_id=f"t{number}",
            )

        print(
            f"{files:,} files; milliseconds by the clock (median, most), of processor time (median)"
        )
        first = timed(lambda: checkpoints.before(call(0), stakes, "d-0", ""))
        later, noted, undone = [], [], []
        for number in range(1, ROUNDS + 1):
            for changed in range(5):
                (root / f"pkg{changed}" / "module7.py").write_text(
                    f"round {number}\n", encoding="ascii"
                )
            later.append(timed(lambda: checkpoints.before(call(number), stakes, f"d-{number}", "")))  # noqa: B023 - called at once
            shutil.rmtree(root / "pkg1")
            noted.append(timed(lambda: checkpoints.ended(Outcome(call(number), "ran"))))  # noqa: B023 - called at once
            undone.append(timed(lambda: checkpoints.undo(checkpoints.find(f"d-{number}"))))  # noqa: B023 - called at once
        for what, found in (
            ("first checkpoint", [first]),
            ("later checkpoint", later),
            ("noting what changed", noted),
            ("undo of 100 files", undone),
        ):
            clock, computed = zip(*found, strict=True)
            print(
                f"  {what:22}{statistics.median(clock):8.0f}{max(clock):8.0f}{statistics.median(computed):8.0f}"
            )
        print(
            f"  on disk               {checkpoints.size() / 1e6:8.1f} MB after {2 * ROUNDS + 1}"
            " checkpoints"
        )
    finally:
        shutil.rmtree(top)


if __name__ == "__main__":
    main()
