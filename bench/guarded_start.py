"""What ``interlock code`` takes beside a program: an empty one of Python, and one of Go that was
edited, built and run again. Ratios to the same without a guard, taken in turns.

    python -m bench.guarded_start [ROUNDS]

``each further``: the same run once more in a process that goes on, as ``interlock tools`` has it:
what seven take less what one takes, by six. Processor time is that of all processes together, as a
group of the kernel's (cgroups(7), version 2) counts it; where none can be made only the clock is
told. The first run of a Go program builds the library, which takes a minute.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from interlock.cli.bundle_writer import write
from interlock.data.programs import write_index

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "interlock"
FURTHER = 7
SCRIPT = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(PACKAGE.parent)!r})
from interlock.__main__ import main
sys.exit(main())
"""
AGAIN = f"""
import sys, time
sys.path.insert(0, {str(PACKAGE.parent)!r})
from interlock.cli.main import main
name, count = sys.argv[1:]
for number in range(int(count)):
    with open(name) as file:
        text = file.read()
    with open(name, "w") as file:
        file.write(text.replace("edited", f"edited{{time.time_ns() % 10}}", 1))
    main(["code", name])
"""
GO = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("edited") }\n'


class Spent(NamedTuple):
    """Milliseconds on the clock, and of processors (0 where nobody counts them)."""

    clock: float
    processor: float


class Place(NamedTuple):
    """Where all of it happens. ``group``: the folder of a group of the kernel's, or ``""``."""

    folder: Path
    group: str

    @property
    def variables(self) -> dict[str, str]:
        """What each line is started with."""
        return {
            "HOME": str(self.folder / "home"),
            "PATH": f"/usr/local/go/bin:{os.environ.get('PATH', os.defpath)}",
            "GOCACHE": str(self.folder / "cache"),
            "GOTELEMETRY": "off",
            "INTERLOCK_RESIDENT": "off",
        }


def spend(argv: list[str], place: Place, number: int) -> Spent:
    """Run a line; return what it took with all that it started."""
    group = f"{place.group}/{number}" if place.group else ""
    if group:
        os.makedirs(f"{group}/inner")  # groups of runs are made beside it, and counted with it
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _JOIN, group, *argv] if group else argv,
        cwd=place.folder / "work", env=place.variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    took = 1000 * (time.perf_counter() - begun)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr[-500:]}")
    return Spent(took, _used(group) if group else 0.0)


_JOIN = """
import os, sys
with open(f"{sys.argv[1]}/inner/cgroup.procs", "w") as file:
    file.write("0")
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""Goes into a group and becomes a line; its own start counts with every line alike."""


def _used(group: str) -> float:
    """Return the milliseconds that a group used, and take it away."""
    with open(f"{group}/cpu.stat", encoding="ascii") as file:
        used = int(file.read().split()[1]) / 1000
    for folder in (f"{group}/inner", group):
        os.rmdir(folder)
    return used


@contextmanager
def grouped() -> Iterator[str]:
    """Have a folder of the kernel's for groups, ``""`` where none can be made."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    tops = [words[4] for words in mounts if words[words.index("-") + 1] == "cgroup2"]
    made = f"{tops[0]}/interlock-bench-{os.getpid()}" if tops else ""
    try:
        os.mkdir(made)
    except OSError:
        made = ""
    try:
        yield made
    finally:
        if made:
            os.rmdir(made)


def lines(script: str, again: str) -> Mapping[str, list[list[str]]]:
    """Return what is compared, by language: the bare line first."""
    python = sys.executable
    found = {"Python": [[python, "p.py"], [script, "code", "p.py"]]}
    found["Python"] += [[python, again, "p.py", str(count)] for count in (1, FURTHER)]
    if shutil.which("go", path="/usr/local/go/bin:" + os.environ.get("PATH", "")):
        found["Go"] = [["/bin/sh", "-c", "go build -o bare . && ./bare"], [script, "code", "g.go"]]
        found["Go"] += [[python, again, "g.go", str(count)] for count in (1, FURTHER)]
    return found


def edit(place: Place, number: int) -> None:
    """Change the Go program, so that it has to be built again."""
    text = GO.replace("edited", f"edited {number}")
    (place.folder / "work/g.go").write_text(text, encoding="utf-8")


def measure(rounds: int, place: Place) -> None:
    """Print what each language takes."""
    script, again = place.folder / "interlock", place.folder / "again.py"
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o700)
    again.write_text(AGAIN, encoding="utf-8")
    number = 0
    for language, compared in lines(str(script), str(again)).items():
        took: list[list[Spent]] = [[] for _ in compared]
        for turn in range(rounds + 1):
            for spent, argv in zip(took, compared, strict=True):
                number += 1
                edit(place, number)
                found = spend(argv, place, number)
                if turn:  # the first round makes what is kept
                    spent.append(found)
        tell(language, took)


def tell(language: str, took: list[list[Spent]]) -> None:
    """Print the least and the median of each line, and of a further run."""
    for at, what in enumerate(("on the clock", "of processors")):
        bare, once, one, many = [[each[at] for each in spent] for spent in took]
        more = [(last - first) / (FURTHER - 1) for first, last in zip(one, many, strict=True)]
        if not any(bare):
            continue
        for name, some in (("bare", bare), ("interlock code", once), ("each further", more)):
            least, middle = min(some), statistics.median(some)
            print(
                f"{language:8}{what:15}{name:16}{least:8.0f} ms{least / min(bare):7.2f} x"
                f"{middle:9.0f} ms{middle / statistics.median(bare):7.2f} x"
            )


def main() -> int:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    write(str(PACKAGE))  # as `interlock install` does
    write_index()
    # not below a folder for temporary files, which every guarded program may use
    with tempfile.TemporaryDirectory(dir=Path.home()) as made, grouped() as group:
        folder = Path(made)
        for name in ("home", "work", "cache"):
            (folder / name).mkdir()
        (folder / "work/p.py").write_text("print(1)\n", encoding="utf-8")
        (folder / "work/go.mod").write_text("module bare\n\ngo 1.22\n", encoding="utf-8")
        print(f"{'':39}{'least':>11}{'':>9}{'median':>12}")
        measure(rounds, Place(folder, group))
    return 0


if __name__ == "__main__":
    sys.exit(main())
