"""What a killed interlock leaves is cleared by the next run; what still goes on is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.codemode import leftovers
from interlock.sandbox import group
from interlock.sandbox.bounds import LANDLOCK
from tests.codemode.scenes import needs

RUN = """
import os, sys
from tests.codemode import scenes
from pathlib import Path
print("ready", flush=True)
scenes.Ground(Path(sys.argv[1])).run("import time; open('began', 'w').close(); time.sleep(600)", "landlock")
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder for temporary files of one's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "_cleared", set())
    return tmp_path


def waited(done: Callable[[], bool], until: float = 60) -> bool:
    """Wait until something is so."""
    end = time.monotonic() + until
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.05)
    return False


def marked(mark: str) -> list[int]:
    """Return the processes that carry a mark."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                found.append(int(name))
        except OSError:
            continue
    return found


def test_the_next_run_clears_what_a_killed_one_left(temporary: Path) -> None:
    """Folders and processes of a run whose interlock was killed are gone after the next start."""
    needs(LANDLOCK)
    from tests.codemode.scenes import Ground

    work = temporary / "ground"
    ground = Ground(work)
    ground.lay_out()
    process = subprocess.Popen([sys.executable, "-c", RUN, str(work)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert waited((work / "work" / "began").exists)
        left = [path for path in temporary.iterdir() if path.name.startswith("interlock-run-")]
        assert left
        who = left[0].name.removeprefix("interlock-run-").rpartition("-")[0]
        assert marked(f"INTERLOCK_RUN={who}-")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    leftovers.clear(processes=True)
    assert waited(lambda: not marked(f"INTERLOCK_RUN={who}-"))
    assert [path for path in group.list_groups() if f"-{who}-" in path] == []
    assert [path for path in temporary.iterdir() if path.name.startswith("interlock-")] == []


def test_what_goes_on_is_left_alone(temporary: Path) -> None:
    """A folder of this process, of another namespace, and one that only looks like it."""
    own = leftovers.make_folder("run")
    space, pid, began = leftovers.maker().split("-")
    other = temporary / f"interlock-run-1{space}-{pid}-1-abc"
    alike = temporary / f"interlock-run-{space}"
    link = temporary / f"interlock-run-{space}-{pid}-1{began}-abc"
    gone = temporary / f"interlock-shown-{space}-{pid}-2{began}-abc"
    for path in (other, alike, gone):
        path.mkdir()
    link.symlink_to(alike)
    leftovers.clear(processes=True)
    assert sorted(temporary.iterdir()) == sorted([Path(own), other, alike, link])
