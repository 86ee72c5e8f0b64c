"""How long an agent waits for the hook: the whole process, as a ratio to the bare interpreter's
start.

    python bench/hook_start.py [ROUNDS]

Each round runs every line once, in turn, so that a busy machine slows all of them alike. The table
shows medians.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interlock.cli.bundle_writer import write
from interlock.data.programs import write_index

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "interlock"
BUDGETS = {"hook, audit on": 6.0}

NO_STORE = """
import gc
import sys
gc.disable()
sys.path.append({source!r})
from interlock.cli.bundle import use
use({source!r} + "/interlock")
from interlock.store.database import Store
Store.query = lambda *_: []
Store.commit = Store.spool = lambda *_: None
from interlock.cli.hook import main
main(sys.argv[1:])
"""
"""The hook file's own way, with a store that keeps nothing."""


def event(folder: Path, number: int) -> bytes:
    """Write the client's event for an ordinary command; each round's is another, for the same call
    over and over is worth a warning.
    """
    return json.dumps(
        {
            "session_id": "bench",
            "transcript_path": str(folder / "transcript.jsonl"),
            "cwd": str(folder),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {
                "command": "cd src && grep -rn 'def main' . | head -5 && git status --short",
                "description": f"look for main, {number}",
            },
            "tool_use_id": "toolu_bench",
        }
    ).encode()


def lines(folder: Path) -> dict[str, list[str]]:
    """Return what is timed; the first is what the others are compared with."""
    bare = [sys.executable, "-I", "-S"]
    found = {"bare interpreter": [*bare, "-c", "pass"]}
    hook = PACKAGE / "hook.py"
    if not (hook.exists() and (PACKAGE / "cli" / "build.py").exists()):
        print(
            "the hook cannot answer yet (hook.py or cli/build.py is not there), so only the bare"
            " interpreter is timed"
        )
        return found
    from interlock.integrations.install import HookCommand

    no_store = folder / "no_store.py"
    no_store.write_text(NO_STORE.format(source=str(PACKAGE.parent)), encoding="utf-8")
    return {
        **found,
        "hook, no store": [*bare, str(no_store), "claude-code", "check"],
        "hook, audit on": [*bare, str(hook), "claude-code", "check"],
        "installed line (sh)": [
            "/bin/sh",
            "-c",
            HookCommand(sys.executable, str(hook), "claude-code").command(note=False),
        ],
    }


def run(argv: list[str], stdin: bytes, folder: Path) -> tuple[float, int, bytes]:
    """Run one line; return its milliseconds, its exit code and what it printed."""
    environment = {"HOME": str(folder), "PATH": os.defpath}
    begun = time.perf_counter()
    done = subprocess.run(
        argv, input=stdin, env=environment, cwd=folder, capture_output=True, check=False, timeout=60
    )
    return 1000 * (time.perf_counter() - begun), done.returncode, done.stdout + done.stderr


def measure(rounds: int, folder: Path) -> dict[str, list[float]]:
    """Time every line so many rounds; ends with a sentence where one answers anything but an
    allow.
    """
    argvs = lines(folder)
    times: dict[str, list[float]] = {name: [] for name in argvs}
    for number in range(rounds + 3):
        for at, (name, argv) in enumerate(argvs.items()):
            took, code, said = run(argv, event(folder, number * len(argvs) + at), folder)
            if code not in {0, 100} or said:
                raise SystemExit(
                    f"{name} was to allow an ordinary command and say nothing; exit {code}:"
                    f" {said.decode(errors='replace')[:500]}"
                )
            if number >= 3:  # the first rounds write compiled files and the store
                times[name].append(took)
    return times


def main(arguments: list[str]) -> int:
    """Print the table."""
    rounds = int(arguments[0]) if arguments else 40
    write(str(PACKAGE))  # as `interlock install` does
    write_index()
    with tempfile.TemporaryDirectory() as made:
        times = measure(rounds, Path(made))
    floor = statistics.median(next(iter(times.values())))
    print(
        f"{'':22} {'median ms':>9} {'fastest':>8} {'ratio':>6} {'at most':>8}   ({rounds} rounds,"
        " interleaved)"
    )
    for name, some in times.items():
        middle = statistics.median(some)
        budget = f"{BUDGETS[name]:.1f}" if name in BUDGETS else ""
        print(f"{name:22} {middle:9.1f} {min(some):8.1f} {middle / floor:6.2f} {budget:>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
