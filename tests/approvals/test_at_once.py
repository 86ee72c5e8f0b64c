"""Many processes, a crash, a restart: what was approved once is spent once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.approvals import answers
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.model.policy import Approving
from interlock.policy.builtin import builtin
from tests.approving import Desk

ROOT = Path(__file__).parent.parent.parent
PROCESSES = 16
WORKER = """
import os, sys
from pathlib import Path
from interlock.approvals.answers import AnswerError
from tests.approving import Desk

folder, what, name, number, count = sys.argv[1:]
started, (told, ready) = [], os.pipe()
for _ in range(int(count)):
    pid = os.fork()
    if not pid:
        break
    started.append(pid)
else:
    for _ in started:
        os.read(told, 1)
    print(*started, flush=True)
    for pid in started:
        os.waitpid(pid, 0)
    sys.exit()
desk = Desk(Path(folder))
os.write(ready, b".")
os.read(0, 1)  # nothing is ever written: it ends for all of them at once
for _ in range(int(number)):
    try:
        said = desk.approve(name).request.state if what == "approve" else str(desk.check().verdict)
    except AnswerError:
        said = "no"
    os.write(1, f"{said}\\n".encode())
"""
"""Loads interlock, becomes so many processes, and lets them go when its input ends."""


class Started:
    """Processes that do the same, all at once."""

    def __init__(
        self, folder: Path, what: str, name: str = "", number: int = 1, count: int = PROCESSES
    ) -> None:
        argv = [sys.executable, "-c", WORKER, str(folder), what, name, str(number), str(count)]
        self._first = subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._first.stdout is not None
        self.pids = list(map(int, self._first.stdout.readline().split()))
        assert len(self.pids) == count

    def go(self) -> None:
        """Let all of them go."""
        assert self._first.stdin is not None
        self._first.stdin.close()
        self._first.stdin = None

    def said(self) -> list[str]:
        """Return all that they said, when they have ended."""
        return self._first.communicate(timeout=120)[0].split()


def said(
    folder: Path, what: str, name: str = "", number: int = 1, count: int = PROCESSES
) -> list[str]:
    """Let so many processes do the same at once; return all that they said."""
    started = Started(folder, what, name, number, count)
    started.go()
    return started.said()


def test_one_of_many_approves_and_one_spends(tmp_path: Path) -> None:
    """Sixteen people of one name press the key at once: one approval. Sixteen retries come at once:
    one runs.
    """
    desk = Desk(tmp_path)
    name = desk.requested()
    approved = said(tmp_path, "approve", name)
    assert sorted(approved) == ["granted"] + ["no"] * (PROCESSES - 1)
    verdicts = said(tmp_path, "spend")
    assert sorted(verdicts) == ["allow"] + ["deny"] * (PROCESSES - 1)
    assert desk.events().count("approval-granted") == desk.events().count("approval-spent") == 1
    assert desk.states() == ["pending", "spent"]


def test_a_grant_is_counted_exactly(tmp_path: Path) -> None:
    """Of sixteen processes with two calls each, as many run as the grant has uses."""
    desk = Desk(tmp_path, policy=builtin().replace(approving=Approving(uses=7)))
    desk.approve(desk.requested(), scope="session")
    assert desk.check().verdict == VERDICT_ALLOW  # by the approval of the call itself
    verdicts = said(tmp_path, "spend", number=2)
    assert verdicts.count("allow") == 7
    assert desk.events().count("grant-used") == 7


def test_it_survives_a_restart(tmp_path: Path) -> None:
    """Filed, approved and spent by three processes that know nothing of each other."""
    name = Desk(tmp_path).requested()
    assert said(tmp_path, "approve", name, count=1) == ["granted"]
    assert said(tmp_path, "spend", count=1) == ["allow"]
    assert Desk(tmp_path).check().verdict == VERDICT_DENY


@pytest.mark.parametrize("round_", range(5))
def test_a_crash_spends_at_most_once(tmp_path: Path, round_: int) -> None:
    """Killed in the middle of it, a process leaves the approval whole or spent: with the next ones
    it runs once at most.
    """
    desk = Desk(tmp_path)
    desk.approve(desk.requested())
    started = Started(tmp_path, "spend", count=4, number=50)
    started.go()
    for pid in started.pids[: 1 + round_ % 3]:
        os.kill(pid, signal.SIGKILL)
    allowed = started.said().count("allow")
    allowed += desk.check().verdict == VERDICT_ALLOW
    assert allowed <= 1
    assert desk.events().count("approval-spent") == 1
    assert set(desk.states()) == {"pending", "spent"}


def test_what_the_store_lost_is_not_approved(tmp_path: Path) -> None:
    """A store that was damaged and begun anew has no approvals: the call is asked about."""
    desk = Desk(tmp_path)
    desk.approve(desk.requested(), scope="project")
    desk.store.close()
    Path(desk.store.path).write_bytes(b"no database at all" * 1000)
    for suffix in ("-wal", "-shm"):
        Path(desk.store.path + suffix).unlink(missing_ok=True)
    fresh = Desk(tmp_path)
    assert fresh.check().verdict == VERDICT_DENY
    assert fresh.states() == ["pending"]


def test_a_store_that_cannot_be_asked_approves_nothing(tmp_path: Path) -> None:
    """Where the approvals cannot be read, the call is refused and says so; with the store back it
    is spent.
    """
    desk = Desk(tmp_path)
    desk.approve(desk.requested())
    desk.store.close()
    path = Path(desk.store.path)
    path.rename(path.with_suffix(".away"))
    path.mkdir()
    decision = desk.check()
    assert decision.verdict == VERDICT_DENY
    assert {"approval.not-read", "approval.not-filed"} <= {
        finding.rule for finding in decision.findings
    }
    path.rmdir()
    path.with_suffix(".away").rename(path)
    assert Desk(tmp_path).check().verdict == VERDICT_ALLOW


def test_requests_are_plain_data(tmp_path: Path) -> None:
    """What is listed can be written as JSON and names what a person needs to decide."""
    from interlock.model.codec import encode

    desk = Desk(tmp_path)
    name = desk.requested()
    found = json.loads(json.dumps(encode(answers.list_requests(desk.store)[0])))
    assert (found["id"], found["state"], found["shown"]["items"][0]["line"]) == (
        name,
        "pending",
        "rm -rf ~/photos",
    )
