"""Whoever is killed while a checkpoint is taken or gone back to leaves the work tree as it was or
as it became, never half.

Before each single touch of the disk in every run; at 200 random moments of a larger undo with
``make e2e`` (``INTERLOCK_CRASHES`` says how many).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.stop.kill import send
from interlock.stop.processes import SessionProcesses
from tests.workspaces import Yard, lying_in, run

if TYPE_CHECKING:
    from collections.abc import Callable

MOMENTS = int(os.environ.get("INTERLOCK_CRASHES", "200"))
TOUCHES = frozenset(
    {
        "os.rename",
        "os.mkdir",
        "os.rmdir",
        "os.remove",
        "os.symlink",
        "os.chmod",
        "os.chown",
        "os.utime",
        "os.link",
        "os.truncate",
    }
)
"""What Python tells an audit hook before it changes what lies on the disk
(docs.python.org/3/library/audit_events.html).
"""
MOST_TOUCHES = 1000
SOURCE = Path(__file__).parent.parent.parent / "src"
PROGRAM = """
import sys
from interlock.checkpoint.service import Checkpoints
from interlock.model.call import ToolCall
from interlock.model.radius import Stake
state, root, what, name = sys.argv[1:]
checkpoints = Checkpoints(state)
head = checkpoints.find(name) if what == "undo" else None
print("ready", flush=True)
sys.stdin.readline()
if head is not None:
    checkpoints.undo(head)
else:
    checkpoints.before(ToolCall("shell", "Bash", {}, root, (root,), session="s", call_id="t"), (Stake(root + "/src"),), name, "x")
print("done", flush=True)
"""
TAG = "INTERLOCK_SESSION"
# of os.fork
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def often(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that takes minutes."""
    return pytest.mark.e2e(pytest.mark.long(test))  # type: ignore[no-any-return]


class Doing:
    """A process of its own that takes a checkpoint or undoes one, and waits for the word to
    begin.
    """

    def __init__(self, yard: Yard, what: str, name: str) -> None:
        self.tag = f"crash-{os.getpid()}-{random.getrandbits(64):x}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(yard.state), str(yard.root), what, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={"PYTHONPATH": str(SOURCE), "PATH": os.defpath, TAG: self.tag},
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def go(self) -> float:
        """Give the word and wait for the end; return how long it took."""
        began = time.perf_counter()
        self.process.communicate(b"\n")
        assert self.process.returncode == 0
        return time.perf_counter() - began

    def go_until(self, seconds: float, *, all_of_it: bool) -> None:
        """Give the word, and kill it after a while, with or without the process that would finish
        for it.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        time.sleep(seconds)
        if all_of_it:
            for pid, ticks in SessionProcesses((), [f"{TAG}={self.tag}"]).find().items():
                send(pid, ticks, 9)
        self.process.kill()
        self.process.communicate()
        while SessionProcesses((), [f"{TAG}={self.tag}"]).find():
            time.sleep(0.005)


def killed_before(touch: int, doing: Callable[[], object], *, all_of_it: bool) -> bool:
    """Do something in a process that is killed before a touch of the disk, by its number; tell
    whether it came to that.

    ``all_of_it``: the process that would finish for it, too.
    """
    child = os.fork()
    if child == 0:
        left, itself = touch, os.getpid()

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            writes = (
                event == "open"
                and isinstance(arguments[2], int)
                and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
            )
            if not (writes or event in TOUCHES) or os.getpid() != itself:
                return
            left -= 1
            if left == -1:
                helpers = (
                    Path(f"/proc/self/task/{itself}/children").read_text(encoding="ascii").split()
                    if all_of_it
                    else []
                )
                for pid in (*map(int, helpers), itself):
                    os.kill(pid, signal.SIGKILL)

        try:
            sys.addaudithook(count)
            doing()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.fixture(name="small")
def filled_a_little(tmp_path: Path) -> Yard:
    """A workspace with one of each."""
    yard = Yard(tmp_path)
    run(
        "mkdir -p src/in src/empty && echo a > src/a && echo b > src/in/b && chmod 600 src/in/b && ln -s a src/link && chmod 555 src/empty",
        yard.root,
    )
    return yard


def test_an_undo_that_is_killed_before_any_touch_is_all_or_nothing(small: Yard) -> None:
    """Until the list of steps lies there nothing has happened, from then on everything will have:
    by who watches, else by the next command.
    """
    became = lying_in(small.root, times=True)
    head = small.ran("rm -r src", small.stake("src"))
    seen = []
    for touch in range(MOST_TOUCHES):
        run("rm -rf src", small.root)
        killed = killed_before(
            touch, lambda: small.checkpoints.undo(head), all_of_it=bool(touch % 2)
        )
        assert small.checkpoints.finish() == ()
        found = lying_in(small.root, times=True)
        assert found in ({}, became), (
            f"half of it lies there, killed before touch {touch}: {sorted(found)}"
        )
        assert list(small.state.glob("checkpoints/undo/*")) == []
        seen.append(bool(found))
        if not killed:
            break
    assert not killed
    assert seen == sorted(seen)
    assert seen.count(False) > 5
    assert seen.count(True) > 5


def test_a_checkpoint_that_is_killed_before_any_touch_is_there_or_not(small: Yard) -> None:
    """It touches no file of the workspace; what can be listed can be read to its last byte; the
    next one is whole.
    """
    vault = small.checkpoints.vault
    small.before(small.stake("src"))
    for touch in range(MOST_TOUCHES):
        (small.root / "src/a").write_bytes(os.urandom(3000))
        was = lying_in(small.root, times=True)
        killed = killed_before(
            touch,
            lambda: small.before(small.stake("src"), decision=f"d-k{touch}"),  # noqa: B023 - done at once
            all_of_it=False,
        )
        assert lying_in(small.root, times=True) == was
        for head in vault.heads():
            assert all(
                vault.content(entry, path) is not None
                for path, entry in vault.tree(head).entries.items()
                if entry.kind == "f"
            )
        assert (f"d-k{touch}" in [head.decision for head in vault.heads()]) or killed
        if not killed:
            break
    assert not killed
    assert touch > 5
    small.checkpoints.undo(small.ran("rm -r src", small.stake("src")))
    assert lying_in(small.root, times=True) == was


# -- as many random moments as the figures were taken with -----------------------------------------


@pytest.fixture(name="yard")
def filled(tmp_path: Path) -> Yard:
    """A workspace with a few hundred files in a folder."""
    yard = Yard(tmp_path)
    for number in range(300):
        path = yard.root / "src" / f"d{number % 20}" / f"f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([number % 256]) * 2000)
    (yard.root / "src/link").symlink_to("d0")
    return yard


def moments(longest: float, count: int) -> list[float]:
    """Return random moments from before the beginning until after the end, the same ones every time
    for the same length.
    """
    chance = random.Random(8)  # noqa: S311 - the same moments every time
    return [chance.uniform(0, longest * 1.2) for _ in range(count)]


@often
def test_an_undo_that_is_killed_is_all_or_nothing(yard: Yard) -> None:
    """With the process that finishes for it, and without: then the next command does."""
    became = lying_in(yard.root)
    head = yard.ran("rm -r src", yard.stake("src"))
    longest = Doing(yard, "undo", head.id).go()
    assert lying_in(yard.root) == became
    seen = set()
    for number, moment in enumerate(moments(longest, MOMENTS)):
        run("rm -rf src", yard.root)
        Doing(yard, "undo", head.id).go_until(moment, all_of_it=bool(number % 2))
        if not number % 2:
            assert not list(yard.state.glob("checkpoints/undo/*/steps.json"))
        assert yard.checkpoints.finish() == ()
        found = lying_in(yard.root)
        assert found in ({}, became), (
            f"half of it lies there after {moment:.4f} seconds: {len(found)} of {len(became)}"
        )
        assert not (yard.state / "checkpoints/undo").exists()
        seen.add(bool(found))
    assert seen == {False, True} or MOMENTS < 10


@often
def test_a_checkpoint_that_is_killed_is_there_or_not(yard: Yard) -> None:
    """It touches no file of the workspace, and what can be listed can be gone back to."""
    was = lying_in(yard.root)
    longest = Doing(yard, "before", "d-first").go()
    for number, moment in enumerate(moments(longest, MOMENTS)):
        (yard.root / "src/d0/f0").write_bytes(os.urandom(3000))
        was = lying_in(yard.root)
        Doing(yard, "before", f"d-{number}").go_until(moment, all_of_it=True)
        assert lying_in(yard.root) == was
        for head in yard.checkpoints.vault.heads()[:1]:
            tree = yard.checkpoints.vault.tree(head)
            assert all(
                yard.checkpoints.vault.content(entry, path) is not None
                for path, entry in tree.entries.items()
                if entry.kind == "f"
            )
    head, _ = yard.before(yard.stake("src"), decision="d-last")
    run("rm -r src", yard.root)
    yard.checkpoints.undo(head)
    assert lying_in(yard.root) == was
