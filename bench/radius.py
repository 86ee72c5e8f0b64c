"""What an ask costs when a folder of 10,000 files is at stake: in process, in milliseconds and as a
ratio to walking the folder.

    python bench/radius.py [FILES]

The folder lies in a repository made here; it is asked of as tracked and unchanged, as tracked with
changes, and as untracked.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.call import ToolCall
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = 10_000
ROUNDS = 5


def filled(top: Path, name: str, files: int) -> None:
    """Make a folder of files, a hundred in each folder of it."""
    for number in range(files):
        path = top / name / str(number // 100) / f"{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * 20)


def repository(top: Path, files: int) -> None:
    """Make a repository with a tracked folder, one that changes, and one that is not tracked."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(top), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.test"]
    filled(top, "kept", files // 2)
    filled(top, "changed", files // 2)
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=top, env=environment, check=True)  # noqa: S607 - the git of this machine
    (top / "kept/0/0.py").write_text("other\n")
    for path in (top / "changed").rglob("*.py"):
        path.write_text("other\n")
    filled(top, "loose", files)


def walked(folder: Path) -> int:
    """The floor: see every file below a folder."""
    return sum(
        path.lstat().st_size
        for path in map(
            Path, (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
        )
    )


def timed(work: Callable[[], object]) -> float:
    """Return the median of some rounds in milliseconds."""
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        took.append((time.perf_counter() - begun) * 1000)
    return statistics.median(took)


def main() -> None:
    """Print the table."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as made:
        top = Path(made).resolve() / "w"
        top.mkdir()
        repository(top, files)
        guard = Guard(builtin(), ask=NATIVE, facts=Live(str(top.parent)))

        def ask(command: str) -> Callable[[], object]:
            call = ToolCall("shell", "Bash", {"command": command}, cwd=str(top), roots=(str(top),))
            return lambda: guard.check(call)

        print(f"{'an ask about':44} {'files':>6} {'ms':>7} {'times walking them':>19}")
        for command, what, folder in (
            ("git branch -D nothing", "a branch that is not there", ""),
            ("rm -rf kept", "tracked files, one of them changed", "kept"),
            ("rm -rf changed", "tracked files, all of them changed", "changed"),
            ("rm -rf loose", "untracked files", "loose"),
        ):
            took = timed(ask(command))
            count = sum(len(names) for _, _, names in os.walk(top / folder)) if folder else 0
            ratio = f"{took / timed(partial(walked, top / folder)):19.1f}" if folder else ""
            print(f"{what:44} {count:6} {took:7.1f} {ratio}")


if __name__ == "__main__":
    main()
