"""Many processes on one store: no count is wrong, also when processes are killed at any point
between reserving and settling.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent

import pytest

from interlock.limits.meter import Meter
from interlock.store.database import Store

SRC = str(Path(__file__).parents[2] / "src")
WORKER = """
    import sys, time
    from interlock.facts import Recorded
    from interlock.guard.check import Guard
    from interlock.guard.services import NATIVE
    from interlock.limits.meter import Meter
    from interlock.model.call import Outcome, ToolCall
    from interlock.model.limits import Concurrency, Limits, Rate, TokenBudget
    from interlock.model.usage import Usage
    from interlock.policy.builtin import builtin
    from interlock.store.database import Store

    folder, worker, calls, most, at_once, slow = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])
    store = Store(folder, busy_seconds=120)
    limits = Limits(
        rates=(Rate(f"{most}/1000days"), Rate(f"{most * 2}/1000days", "bash_commands", "user")),
        tokens=(TokenBudget(10**9, reserve=5),),
        concurrent=(Concurrency(at_once),),
    )
    guard = Guard(builtin().replace(limits=limits), ask=NATIVE, facts=Recorded("/home/u"), limits=lambda: Meter(store))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(calls):
        call = ToolCall("shell", "Bash", {"command": "ls"}, "/home/u/p", ("/home/u/p",), session="s", call_id=f"{worker}-{number}")
        decision = guard.check(call)
        said = [finding.rule for finding in decision.findings]
        began = time.monotonic()
        if str(decision.verdict) == "allow":
            time.sleep(slow / 1000)
            ended = time.monotonic()
            problems = guard.outcome(Outcome(call, "ran", usage=Usage("claude-opus-5", 7)))
            print("ran", began, ended, *problems, flush=True)
        else:
            print("no", *said, flush=True)
"""


def start(folder: Path, worker: int, *numbers: int) -> subprocess.Popen[str]:
    """Start a worker of its own, with nothing of this process's environment: calls, calls a day,
    calls at once, milliseconds a call takes.
    """
    command = [sys.executable, "-c", dedent(WORKER), str(folder), str(worker), *map(str, numbers)]
    return subprocess.Popen(
        command,
        env={"PYTHONPATH": SRC},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def play(
    folder: Path, workers: int, calls: int, most: int, at_once: int, slow: int = 0
) -> list[list[str]]:
    """Let so many processes make so many calls each, all at the same time; return what each of them
    printed, word by word.
    """
    store = Store(str(folder))
    # the first figure, without which budgets are asked about
    from tests.limits.counting import World

    World.report(store, "s")
    with ExitStack() as ended:
        started = [start(folder, number, calls, most, at_once, slow) for number in range(workers)]
        for process in started:
            ended.enter_context(process)
            ended.callback(process.kill)
        return [line for output in _outputs(started) for line in map(str.split, output)]


def _outputs(started: list[subprocess.Popen[str]]) -> Iterator[list[str]]:
    """Let processes go at once when all are ready; yield the lines of each."""
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        yield output.splitlines()


def exact(folder: Path, lines: list[list[str]], most: int, at_once: int) -> int:
    """Hold what the processes saw against what the store says; return how many calls ran."""
    store = Store(str(folder))
    ran = [
        (float(began), float(ended))
        for word, began, ended, *problems in (line for line in lines if line[0] == "ran")
        if not problems
    ]
    assert len([line for line in lines if line[0] == "ran"]) == len(ran)
    assert {rule for line in lines if line[0] == "no" for rule in line[1:]} <= {
        "limits.rate",
        "limits.concurrent",
    }
    assert store.query(
        "SELECT sum(input), sum(reports) FROM spending WHERE scope = 'session:s'"
    ) == [(7 * len(ran), len(ran) + 1)]
    assert store.query("SELECT count(*) FROM hold") == [(0,)]
    if not any("limits.concurrent" in line for line in lines):
        assert len(ran) == min(most, len(lines))
    assert len(ran) <= most
    edges = sorted([(began, 1) for began, _ in ran] + [(ended, -1) for _, ended in ran])
    running = highest = 0
    for _, step in edges:
        running += step
        highest = max(highest, running)
    assert highest <= at_once
    return len(ran)


def test_no_wrong_count(tmp_path: Path) -> None:
    """Of 8 processes with 20 calls each exactly as many pass as the rate says, and what they used
    is counted to the token.
    """
    assert exact(tmp_path, play(tmp_path, 8, 20, 75, 1000), 75, 1000) == 75


def test_never_more_at_once(tmp_path: Path) -> None:
    """No more calls run at the same moment than may, and with every outcome a place is free
    again.
    """
    lines = play(tmp_path, 6, 25, 100_000, 3, slow=10)
    exact(tmp_path, lines, 100_000, 3)
    assert any("limits.concurrent" in line for line in lines)


@pytest.mark.long
def test_no_wrong_count_of_many(tmp_path: Path) -> None:
    """The full figure: 64 processes with 200 calls each."""
    assert exact(tmp_path, play(tmp_path, 64, 200, 9_000, 10_000), 9_000, 10_000) == 9_000


def test_killed_between_reserving_and_settling(tmp_path: Path) -> None:
    """Whoever is killed with -9 leaves a sound store, and what it held is free after its lease;
    what the others did is counted once.
    """
    from tests.limits.counting import World

    World.report(Store(str(tmp_path)), "s")
    chance = random.Random(4)  # noqa: S311 - any moments will do, the same ones each time
    settled = 0
    for number in range(8):
        process = start(tmp_path, number, 1000, 10**6, 1000, 1)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        # a busy machine may answer the first call otherwise than that it ran
        first = process.stdout.readline()
        time.sleep(chance.random() / 20)
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        settled += len(
            [
                line
                for line in [first, *output.splitlines(keepends=True)]
                if line.startswith("ran") and line.endswith("\n")
            ]
        )
    store = Store(str(tmp_path))
    assert store.query("PRAGMA integrity_check") == [("ok",)]
    [(tokens,)] = store.query("SELECT input FROM spending WHERE scope = 'session:s'")
    # one that was killed may have settled a call and not said so any more
    assert settled <= tokens // 7 <= settled + 8
    assert tokens % 7 == 0
    [(held,)] = store.query("SELECT count(DISTINCT id) FROM hold")
    assert held <= 8
    later = Meter(store, lambda: time.time() + 601)
    world = World(tmp_path / "other", None)
    from interlock.model.effect import Reading
    from interlock.model.limits import Concurrency, Limits

    policy = world.policy.replace(limits=Limits(concurrent=(Concurrency(1),)))
    assert later.charge(world.call(), Reading(()), policy, "d-1").findings == ()
    assert later.charge(world.call(), Reading(()), policy, "d-2").findings != ()
