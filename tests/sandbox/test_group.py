"""The kernel's group around a run: where it may be made, what it bounds, and that nothing of the
run outlives it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from interlock.codemode.running import EACH
from interlock.sandbox import group
from interlock.sandbox.bounds import LANDLOCK, Bounds
from interlock.stop.processes import read_process
from tests.codemode.conftest import ground as ground  # noqa: PLC0414 - a fixture
from tests.codemode.scenes import TIERS, Ground, needs

MIB = 1 << 20
DAEMON = """
import os, sys, time
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2)
        os.write(writer, str(os.getpid()).encode())
        time.sleep(60)
    os._exit(0)
print(os.read(reader, 20).decode())
"""
"""Leaves its tree, its session and its streams; it lives longer than the run may take."""
TOGETHER = """
import os, time
children = []
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        held = bytearray(120 << 20)
        for at in range(0, len(held), 4096):
            held[at] = 1
        time.sleep(1)
        os._exit(0)
    children.append(pid)
print(sum(os.waitpid(pid, 0)[1] != 0 for pid in children))
"""


@pytest.fixture
def bounded() -> bool:
    """Tell whether a group here bounds what is in it; skip where none can be made."""
    made = group.make_group(f"0-0-0-{os.urandom(4).hex()}", Bounds())
    if made is None:
        pytest.skip("this user may make no group of processes here (cgroup v2)")
    made.end()
    assert not os.path.exists(made.path)
    return made.whole


@pytest.mark.parametrize(
    ("own", "mounts", "folder"),
    [
        ("0::/user.slice/a.scope\n", "30 24 0:26 / {top} rw - cgroup2 cgroup2 rw", "user.slice/a.scope"),
        ("9:pids:/x\n0::/\n", "41 31 0:38 / {top} rw - cgroup2 cgroup2 rw", ""),
        ("0::/a/b\n", "30 24 0:26 /a {top} rw - cgroup2 cgroup2 rw", "b"),
        ("0::/a\n", "30 24 0:26 /other {top} rw - cgroup2 cgroup2 rw", None),
        ("4:memory:/a\n", "30 24 0:26 / {top} rw - cgroup cgroup rw,memory", None),
    ],
)  # fmt: skip
def test_its_own_group_is_found_below_where_groups_are_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, mounts: str, folder: str | None
) -> None:
    """A process's group is named from the root of the hierarchy, a mount may show a part of it."""
    top = tmp_path / "cgroup"
    for name in ("user.slice/a.scope", "b"):
        (top / name).mkdir(parents=True)
    (tmp_path / "own").write_text(own, encoding="utf-8")
    (tmp_path / "mounts").write_text(mounts.format(top=top) + "\n", encoding="utf-8")
    monkeypatch.setattr(group, "OWN", str(tmp_path / "own"))
    monkeypatch.setattr(group, "MOUNTS", str(tmp_path / "mounts"))
    expected = [] if folder is None else [str((top / folder).parent), str(top / folder)]
    assert [os.path.realpath(one) for one in group._places()] == expected


def test_a_folder_that_is_no_group_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in which the kernel puts no files is given back: nothing would be held by it."""
    monkeypatch.setattr(group, "_places", lambda: [str(tmp_path)])
    assert group.make_group("1-1-1-a", Bounds()) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="groups are Linux's")
def test_what_leaves_its_tree_ends_with_the_run(ground: Ground, bounded: bool) -> None:
    """A daemon without a parent, a session and a stream of the run's is gone when the run is."""
    del bounded
    needs(LANDLOCK)
    result = ground.run(DAEMON, LANDLOCK)
    assert result.status == "ran", result
    daemon = read_process(int(result.stdout))
    assert daemon is None or daemon.ended  # nobody may have noticed its end yet
    assert [one for one in group.list_groups() if f"-{os.getpid()}-" in one] == []


@pytest.mark.parametrize("tier", list(TIERS))
def test_memory_of_the_whole_run_is_bounded_where_it_can_be(
    ground: Ground, bounded: bool, tier: str
) -> None:
    """Three processes of 120 MiB are too much for 300 MiB together, and enough for 600; where the
    kernel bounds no group it is said.
    """
    less = ground.run(TOGETHER, tier, bounds=Bounds(seconds=30, memory=300 * MIB))
    more = ground.run(TOGETHER, tier, bounds=Bounds(seconds=30, memory=600 * MIB))
    assert (more.status, more.stdout) == ("ran", "0\n")
    if bounded:
        assert less.stdout != "0\n"
        assert EACH not in (*less.tier.notes, *less.notices)
    else:
        assert less.stdout == "0\n"
        assert EACH in less.tier.notes
        assert EACH in less.notices


def test_without_a_group_a_run_is_as_it_was(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no group can be made each process is bounded, its children end with it, and the result
    says so; who said nothing of memory is told nothing.
    """
    needs(LANDLOCK)
    monkeypatch.setattr(group, "_places", list)
    result = ground.run("import os\nos.fork() or os._exit(0)\nprint(6 * 7)", LANDLOCK)
    assert (result.status, result.stdout) == ("ran", "42\n")
    assert EACH in result.tier.notes
    assert EACH not in result.notices
    bounds = Bounds(seconds=30, memory=300 * MIB)
    big = ground.run("held = bytearray(400 << 20)", LANDLOCK, bounds=bounds)
    assert (big.status, "MemoryError" in big.stderr) == ("failed", True)
    assert EACH in big.notices
