"""How long an agent waits with a guard that stays: whole processes, as ratios to the cheapest there
are.

    python bench/resident.py [ROUNDS] [--busy] [--relay FILE]

Each round starts every line once, in turn, so that a busy machine slows all of them alike; the
quickest tenth of the rounds is what other work disturbed least.
``--busy``: beside a process that keeps one core at work. ``--relay``: this one, as a wheel brings
it (``python -m ziglang cc -target x86_64-linux-musl -static -O2 -s -o FILE
src/interlock/resident/relay.c``), and not the one that is built here. Then one process after the
other asks over a connection of its own, as fast as it is answered.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from interlock.cli.bundle_writer import write
from interlock.data.programs import write_index
from interlock.integrations.install import HookCommand
from interlock.resident import building
from interlock.resident.relay_protocol import TAKEN
from interlock.resident.socket_place import holder, place_of
from interlock.resident.start import end, start

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "interlock"
HOOK, PYTHON = PACKAGE / "hook.py", os.path.abspath(sys.executable)


class Timed(NamedTuple):
    """A line, what it is compared with, and what was aimed at."""

    argv: list[str]
    floor: str = ""
    most: float = 0.0
    off: bool = False


class Staying(NamedTuple):
    """A resident guard in a home of its own, in ``folder``, where the agent works, too. ``name``:
    of its socket; ``pid``: of its process.
    """

    folder: Path
    variables: dict[str, str]
    relay: str
    name: str
    pid: int

    @property
    def state(self) -> str:
        """The state folder."""
        return f"{self.folder}/home/.local/state/interlock"


def event(
    folder: Path, number: int, command: str = "cd src && grep -rn 'def main' . | head -5"
) -> bytes:
    """Write the client's event for a command; each is another, for the same call over and over is
    worth a warning.
    """
    said = {
        "session_id": f"bench-{number % 7}",
        "cwd": str(folder),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t",
    }
    return json.dumps(
        said | {"tool_input": {"command": command, "description": f"{number}"}}
    ).encode()


def lines(guard: Staying) -> dict[str, Timed]:
    """Return what is timed."""
    relay, state, name = guard.relay, guard.state, guard.name
    bare = [PYTHON, "-I", "-S"]
    installed = HookCommand(PYTHON, str(HOOK), "claude-code", relay).command(note=False)
    return {
        "/bin/true": Timed(["/bin/true"]),
        "relay, answered": Timed(
            [relay, state, name, PYTHON, str(HOOK), "claude-code", "check"], "/bin/true", 1.5
        ),
        "sh -c true": Timed(["/bin/sh", "-c", "true"]),
        "sh -c '$(/bin/true)'": Timed(
            ["/bin/sh", "-c", "said=$(/bin/true); exit $?"], "sh -c true"
        ),
        "installed line": Timed(["/bin/sh", "-c", installed], "sh -c true", 1.5),
        "bare interpreter": Timed([*bare, "-c", "pass"]),
        "relay in Python": Timed(
            [*bare, str(HOOK), "claude-code", "check"], "bare interpreter", 1.3
        ),
        "in its own process": Timed(
            [*bare, str(HOOK), "claude-code", "check", "direct"], "bare interpreter", 6.0, off=True
        ),
    }


def run(timed: Timed, stdin: bytes, guard: Staying) -> float:
    """Run one line; return its milliseconds. Ends with a sentence where it answers anything but an
    allow.
    """
    environment = guard.variables | ({"INTERLOCK_RESIDENT": "off"} if timed.off else {})
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        begun = time.perf_counter()
        done = subprocess.Popen(
            timed.argv,
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=guard.folder,
        )
        # with a time limit it would look now and then, at 1.5, 3.5, 7.5, 15.5 ms and so on, and
        # those would be the figures
        code = done.wait()
    if code not in (0, 100):
        raise SystemExit(f"{timed.argv[0]} was to allow an ordinary command; exit {code}")
    return 1000 * (time.perf_counter() - begun)


def processes(rounds: int, guard: Staying, timed: dict[str, Timed]) -> None:
    """Print the table of whole processes."""
    took: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(rounds + 3):
        for at, (name, line) in enumerate(timed.items()):
            spent = run(line, event(guard.folder, number * len(timed) + at), guard)
            if number >= 3:
                took[name].append(spent)
    middles = {name: statistics.median(some) for name, some in took.items()}
    tenths = {name: sorted(some)[rounds // 10] for name, some in took.items()}
    print(
        f"{'':24}{'median ms':>10}{'p99':>8}{'ratio':>8}{'tenth ms':>10}{'ratio':>8}{'at most':>9}   to"
    )
    for name, line in timed.items():
        late = sorted(took[name])[int(0.99 * rounds) - 1]
        most = f"{line.most:.1f}" if line.most else ""
        print(
            f"{name:24}{middles[name]:10.2f}{late:8.2f}{_ratio(middles, name, line)}"
            f"{tenths[name]:10.2f}{_ratio(tenths, name, line)}{most:>9}   {line.floor}"
        )


def _ratio(found: dict[str, float], name: str, line: Timed) -> str:
    return f"{found[name] / found[line.floor]:8.2f}" if line.floor else " " * 8


def asked(guard: Staying, numbers: range) -> list[float]:
    """Ask over connections of one's own; return the seconds of each."""
    os.chdir(guard.state)
    variables = b"".join([f"{key}={value}\0".encode() for key, value in guard.variables.items()])
    took = []
    for number in numbers:
        body = event(guard.folder, number)
        begun = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(guard.name)
            connection.sendall(
                b"interlock 1 claude-code check %d %d\n%b%b"
                % (len(variables), len(body), variables, body)
            )
            said = b""
            while chunk := connection.recv(1 << 16):
                said += chunk
        took.append(time.perf_counter() - begun)
        if not said.startswith(TAKEN + b"100 "):
            raise SystemExit(
                f"an ordinary command was to be allowed, and the answer was {said[:200]!r}"
            )
    return took


def connections(guard: Staying, count: int) -> None:
    """Print what asking takes without a process of one's own, one after the other and from four
    sides.
    """
    one = asked(guard, range(count))
    slow = sorted(one)[int(0.99 * count) - 1]
    print(
        f"\nan answer over a connection, recorded: median {1e6 * statistics.median(one):.0f} us,"
        f" p99 {1e6 * slow:.0f} us"
    )
    begun = time.perf_counter()
    with multiprocessing.Pool(4) as pool:
        pool.starmap(asked, [(guard, range(at * count, (at + 1) * count)) for at in range(4)])
    print(f"four clients at once: {4 * count / (time.perf_counter() - begun):.0f} answers a second")


def _spin() -> None:
    while True:
        pass


def memory(pid: int) -> float:
    """Return the megabytes of a process and those below it, shared pages counted once."""
    pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    found = [
        line
        for one in pids
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        if line.startswith("Pss:")
    ]
    return sum(int(line.split()[1]) for line in found) / 1024


@contextmanager
def staying(folder: Path, shipped: str = "") -> Iterator[Staying]:
    """Have a resident guard in a home in a folder, and a relay that asks it: the ``shipped`` one,
    or one that is built here.
    """
    write(str(PACKAGE))
    write_index()
    state = f"{folder}/home/.local/state/interlock"
    os.makedirs(state, 0o700)
    place = place_of(state, PYTHON, str(PACKAGE))
    variables = {"HOME": f"{folder}/home", "PATH": os.defpath, "INTERLOCK_RESIDENT": "on"}
    if shipped:
        shutil.copyfile(shipped, building.path_of(variables))
        os.chmod(building.path_of(variables), 0o700)
    relay = building.ensure_relay(variables)
    if not relay:
        raise SystemExit("no relay was shipped and no C compiler is installed")
    start(place, str(PACKAGE), variables)
    while (process := holder(place)) is None or not os.path.exists(place.socket):
        time.sleep(0.1)
    try:
        yield Staying(folder, variables, relay, place.name, process.pid)
    finally:
        end(place)


def main() -> int:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("rounds", nargs="?", type=int, default=200)
    options.add_argument("--busy", action="store_true")
    options.add_argument("--relay", default="")
    given = options.parse_args()
    busy = multiprocessing.Process(target=_spin, daemon=True)
    with tempfile.TemporaryDirectory() as made, staying(Path(made), given.relay) as guard:
        if given.busy:
            busy.start()
        try:
            processes(given.rounds, guard, lines(guard))
            connections(guard, given.rounds * 5)
            print(f"all processes of the resident guard together: {memory(guard.pid):.0f} MB")
        finally:
            if given.busy:
                busy.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
