"""How long an agent waits for its guard: other guards as their makers package them, and ours, whole
processes in one run.

    python -m bench.peers FOLDER [--rounds 60]

FOLDER is for the other guards: each is fetched there by pip, npm or cargo, in the version below,
where it is not there yet (cargo builds for some minutes). What a client would start is started in
turn, once each in every round, so that a busy machine slows all of them alike. Each is first seen
to stop ``rm -rf /`` and to answer an ordinary command, or it is left out. Nothing of a command is
run. The home is a fresh one for all, and each has its packaged settings.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.resident import Staying, Timed, event, lines, run, staying

OURS = "interlock, "
RELAY, LINE, ALONE = (
    OURS + "the relay alone",
    OURS + "the installed line",
    OURS + "each call in a process of its own",
)
STOPPED = ('"deny"', '"ask"', '"block"')


class Peer(NamedTuple):
    """A guard: what fetches it, its package, the line that it installs into Claude Code's settings,
    and what is to be run before.
    """

    how: str
    package: str
    hook: str
    before: str = ""


PEERS = {
    "nah 0.11.0": Peer("pip", "nah==0.11.0", "bin/nah _claude-hook"),
    "vetter 0.2.1": Peer("pip", "vetter==0.2.1", "bin/python3 -m vetter hook claude"),
    "seatbelt-guard 0.1.5": Peer("pip", "seatbelt-guard==0.1.5", "bin/python3 -m seatbelt hook"),
    "agentbelay 0.1.0": Peer(
        "pip", "agentbelay==0.1.0", "bin/belay hook claude-code", "bin/belay init"
    ),
    "cc-safety-net 2.4.5": Peer(
        "npm",
        "cc-safety-net@2.4.5",
        "node_modules/cc-safety-net/dist/bin/cc-safety-net.js hook --claude-code",
    ),
    "shellfirm 0.4.1": Peer("cargo", "shellfirm@0.4.1", "bin/shellfirm check --hook claude-code"),
}
"""Interpreted ones, and one in Rust. Others in Rust: nah 1.3 is fetched by a script of its own, and
shguard is no crate of that name.
"""


def fetched(name: str, peer: Peer, folder: Path) -> Path:
    """Return where a guard is, fetching it where it is not there."""
    place = folder / name.replace(" ", "-")
    if (place / peer.hook.split()[0]).exists():
        return place
    print(f"fetching {name}", file=sys.stderr)
    if peer.how == "pip":
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run(
            [
                place / "bin/python3",
                "-m",
                "pip",
                "-q",
                "--disable-pip-version-check",
                "install",
                peer.package,
            ],
            check=True,
        )
    elif peer.how == "npm":
        subprocess.run(
            [
                program("npm"),
                "install",
                "--silent",
                "--ignore-scripts",
                "--prefix",
                place,
                peer.package,
            ],
            check=True,
        )
    else:
        subprocess.run(
            [program("cargo"), "install", "--quiet", "--root", place, peer.package], check=True
        )
    return place


def program(name: str) -> str:
    """Return the path of a program; raises ``OSError``."""
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path


def words(line: str, place: Path, how: str) -> list[str]:
    """Return a line of a guard as a program and its arguments."""
    first, *rest = line.split()
    return [*([program("node")] if how == "npm" else []), str(place / first), *rest]


def said(argv: list[str], stdin: bytes, guard: Staying) -> str:
    """Run a line once; return its exit code and what it says."""
    done = subprocess.run(
        argv,
        input=stdin,
        env=guard.variables,
        cwd=guard.folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return f"{done.returncode} {done.stdout.decode()}"


def found(folder: Path, guard: Staying) -> dict[str, list[str]]:
    """Return the guards that answer here, by name, as lines; say which do not."""
    there = {}
    for name, peer in PEERS.items():
        try:
            place = fetched(name, peer, folder)
            if peer.before:
                said(words(peer.before, place, peer.how), b"", guard)
            line = words(peer.hook, place, peer.how)
            bad, good = (
                said(line, event(guard.folder, 1, "rm -rf /"), guard),
                said(line, event(guard.folder, 1), guard),
            )
        except (OSError, subprocess.SubprocessError) as problem:
            print(f"{name} is left out: {problem}")
            continue
        if (
            bad.startswith("2 ") or any(word in bad.replace(": ", ":") for word in STOPPED)
        ) and good.startswith("0 "):
            there[name] = line
        else:
            print(
                f"{name} is left out: it answered {bad[:100]!r} to rm -rf / and {good[:100]!r} to"
                " an ordinary command"
            )
    return there


def ours(guard: Staying) -> dict[str, list[str]]:
    """Return our own lines, and the cheapest processes there are."""
    held = lines(guard)
    named = {
        "`/bin/true`": "/bin/true",
        "`sh -c true`": "sh -c true",
        RELAY: "relay, answered",
        LINE: "installed line",
        ALONE: "in its own process",
    }
    return {name: held[row].argv for name, row in named.items()}


def timed(every: dict[str, list[str]], rounds: int, guard: Staying) -> dict[str, list[float]]:
    """Run all of them in turn; return the milliseconds of each."""
    took: dict[str, list[float]] = {name: [] for name in every}
    for number in range(rounds + 2):
        for at, (name, argv) in enumerate(every.items()):
            spent = run(
                Timed(argv, off=name == ALONE), event(guard.folder, number * len(every) + at), guard
            )
            if number >= 2:
                took[name].append(spent)
    return took


def main() -> int:
    """Print the table, as it stands in docs/performance.md."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--rounds", type=int, default=60)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as made, staying(Path(made)) as guard:
        took = timed({**ours(guard), **found(given.folder.resolve(), guard)}, given.rounds, guard)
    middles = {name: statistics.median(some) for name, some in took.items()}
    print(
        "| what the client starts | ms | p90 | times the relay | times the installed line |\n| ---"
        " | --- | --- | --- | --- |"
    )
    for name, middle in sorted(middles.items(), key=lambda pair: pair[1]):
        late = sorted(took[name])[int(0.9 * given.rounds)]
        print(
            f"| {name} | {middle:.1f} | {late:.1f} | {middle / middles[RELAY]:.1f} |"
            f" {middle / middles[LINE]:.1f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
