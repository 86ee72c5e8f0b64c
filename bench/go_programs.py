"""Go programs in code mode: what checks in the library cost, when a program is built again and
while it runs. Prints ratios.

Needs Go; the first run builds the library twice, plain and with checks, which takes a minute or
two.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING

from interlock.codemode import channel
from interlock.codemode.golang.instrument import prepare_library
from interlock.codemode.golang.run import BUILD
from interlock.codemode.golang.toolchain import NoGoError, find
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.plain_paths import ENDINGS, NAMES, WORDS, PlainPaths, fields
from tests.e2e.go_scenes import place

if TYPE_CHECKING:
    from interlock.codemode.golang.toolchain import Toolchain

BUILDS = 9
ROUNDS = 5
PROGRAM = """package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

var _ = http.Get
var _ = exec.Command

func used() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func measure(name string, f func()) {
	best := time.Hour
	for round := 0; round < 15; round++ {
		began := used()
		for i := 0; i < 2000; i++ {
			f()
		}
		best = min(best, (used()-began)/2000)
	}
	fmt.Println(name, best.Nanoseconds())
}

func main() {
	path := os.Args[1] + "/data.txt"
	os.WriteFile(path, []byte("NUMBER"), 0o600)
	measure("open", func() { f, _ := os.Open(path); f.Close() })
	measure("stat", func() { os.Stat(path) })
	measure("chmod", func() { os.Chmod(path, 0o600) })
	measure("mkdir+remove", func() { os.Mkdir(path+"d", 0o700); os.Remove(path + "d") })
}
"""


def main() -> int:
    """Measure, and print a table."""
    home = os.path.join(
        os.path.realpath(tempfile.gettempdir()), f"interlock-bench-go-{os.getuid()}"
    )
    os.makedirs(home, exist_ok=True)
    try:
        toolchain = find(os.environ.get("PATH", ""), os.path.join(home, "state"))
    except NoGoError as missing:
        print(missing)
        return 0
    with tempfile.TemporaryDirectory() as work:
        listing = _listing(toolchain, home, work)
        ways = {"plain": (), "with checks": ("-overlay", listing)}
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for number in range(BUILDS + 1):
            for way, flags in ways.items():
                taken = _build(toolchain, work, way, flags, number)
                if number:
                    times[way].append(taken)
        for number, said in enumerate(("by the clock", "of processors")):
            plain, checked = (
                statistics.median([taken[number] for taken in times[way]]) for way in ways
            )
            print(
                f"building again, {said}, median of {BUILDS}: {plain:.2f} s, with checks"
                f" {checked:.2f} s: {checked / plain:.2f} x (at most 1.15)"
            )
        _operations(work)
    return 0


def _listing(toolchain: Toolchain, home: str, work: str) -> str:
    from interlock.codemode.golang.building import Builder

    builder = Builder(toolchain, place(home).scene(RunPermissions()), work)
    library = prepare_library(builder, print)
    if not library.listing:
        raise SystemExit(library.why)
    return library.listing


def _build(
    toolchain: Toolchain, work: str, way: str, flags: tuple[str, ...], number: int
) -> tuple[float, float]:
    """Build the program once more; return the seconds it took by the clock, and those of
    processors.
    """
    folder = os.path.join(work, "source")
    os.makedirs(folder, exist_ok=True)
    for name, text in (
        ("go.mod", "module program\n\ngo 1.22\n"),
        ("run.go", PROGRAM.replace("NUMBER", f"{number}")),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    command = [toolchain.go, "build", *flags, *BUILD, "-o", os.path.join(work, way), "."]
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=toolchain.environment(work))
    _, status, spent = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - began, spent.ru_utime + spent.ru_stime


def _operations(work: str) -> None:
    folder = os.path.join(os.path.realpath(work), "files")
    os.makedirs(folder, exist_ok=True)
    told = list(
        fields(PlainPaths(lent=(folder,), written=True, names=NAMES, words=WORDS, endings=ENDINGS))
    )
    seen: dict[str, dict[str, list[int]]] = {"plain": {}, "with checks": {}}
    for _ in range(ROUNDS):
        for way, figures in seen.items():
            for line in _ran(
                os.path.join(work, way), folder, told if way != "plain" else []
            ).splitlines():
                name, _, taken = line.partition(" ")
                figures.setdefault(name, []).append(int(taken))
    for name, plain in seen["plain"].items():
        least, checked = min(plain), min(seen["with checks"][name])
        print(
            f"{name:13} plain {least:5} ns, with checks {checked:5} ns:"
            f" {(checked - least) / 1000:+.2f} us of processors (at most 2 an operation)"
        )


def _ran(program: str, folder: str, told: list[str]) -> str:
    """Run a measuring program; beside it, a broker that only has to greet it."""
    if not told:
        return subprocess.run([program, folder], capture_output=True, text=True, check=True).stdout
    ours, theirs = channel.pair()
    environment = {
        "PATH": os.defpath,
        "INTERLOCK_BROKER": str(theirs.fileno()),
        "INTERLOCK_CANARY": "bench",
    }
    threading.Thread(target=_greet, args=(ours, told), daemon=True).start()
    with theirs:
        done = subprocess.run(
            [program, folder],
            env=environment,
            pass_fds=[theirs.fileno()],
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout


def _greet(line: channel.Line, told: list[str]) -> None:
    with line:
        while True:
            data = line.recv(channel.MAX_MESSAGE)
            if not data:
                return
            asked = data.decode(errors="replace").split("\0")
            channel.send(
                line,
                (
                    ["allow", "", "", *told]
                    if asked[0] == "hello"
                    else ["deny", "bench", "not in a measurement", asked[0], *asked[3:4]]
                ),
            )


if __name__ == "__main__":
    sys.exit(main())
