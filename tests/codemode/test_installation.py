"""An interpreter is asked once what it is made of, and the guard is compiled for it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from interlock.codemode.python import installation
from interlock.codemode.python.installation import INSIDE, interpreter

REAL = os.path.realpath(sys.executable)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs run under guard on Unix")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Interpreters that were asked, in a process that knows of none yet."""
    found: list[str] = []

    def ask(real: str) -> list[str]:
        found.append(real)
        return plainly(real)

    plainly = installation._ask
    monkeypatch.setattr(installation, "_ask", ask)
    monkeypatch.setattr(installation, "_known", {})
    return found


def environment_of(folder: Path, real: str = REAL) -> str:
    """Make an environment, and return its interpreter."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(real)}\n", encoding="utf-8")
    (folder / "bin/python").symlink_to(real)
    return str(folder / "bin/python")


def test_an_interpreter_is_asked_once(tmp_path: Path, asked: list[str]) -> None:
    """The next process takes the answer that was kept, and the next environment, too."""
    state, first = str(tmp_path / "state"), environment_of(tmp_path / "a")
    before = interpreter(first, state)
    installation._known.clear()
    assert interpreter(first, state) == before
    second = environment_of(tmp_path / "b")
    other = interpreter(second, state)
    assert (other.path, second in other.folders) == (second, True)
    assert str(tmp_path / "a") not in other.folders
    assert asked == [REAL]


def test_one_that_changed_is_asked_again(tmp_path: Path, asked: list[str]) -> None:
    """An upgrade is another program, and so is what lies there when nothing can be kept."""
    state, path = str(tmp_path / "state"), environment_of(tmp_path / "a")
    interpreter(path, state)
    kept = installation._read_kept(state)
    installation._keep(state, {REAL: ((0, 0, 0, 0), kept[REAL][1])})
    installation._known.clear()
    interpreter(path, state)
    installation._known.clear()
    interpreter(path, "")
    assert asked == [REAL] * 3


def test_what_starts_another_one_is_asked_each_time(tmp_path: Path, asked: list[str]) -> None:
    """Which one a shim starts says the folder it is in."""
    shim = tmp_path / "python3"
    shim.write_text(f'#!/bin/sh\nexec {REAL} "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    for _ in range(2):
        installation._known.clear()
        assert interpreter(str(shim), str(tmp_path / "state")).path == REAL
    assert asked == [str(shim)] * 2


@pytest.mark.parametrize("nonsense", [b"", b"x", b"\xe9\x01\x00\x00\x00"])
def test_what_was_kept_badly_is_asked_again(
    tmp_path: Path, asked: list[str], nonsense: bytes
) -> None:
    """Whatever lies there."""
    (tmp_path / "interpreters").write_bytes(nonsense)
    interpreter(environment_of(tmp_path / "a"), str(tmp_path))
    assert asked == [REAL]


def test_the_guard_is_compiled_for_whoever_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it, when it is missing and when it is older than its source; behind walls nothing
    could be kept.
    """
    inside = tmp_path / "inside"
    shutil.copytree(INSIDE, inside, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(installation, "INSIDE", str(inside))
    monkeypatch.setattr(installation, "_known", {})
    tag = sys.implementation.cache_tag
    assert not any(installation._list_compiled(str(inside), tag))
    interpreter()
    assert all(installation._list_compiled(str(inside), tag))
    with (inside / "line.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not all(installation._list_compiled(str(inside), tag))
    installation._known.clear()
    interpreter(environment_of(tmp_path / "a"), "")
    assert all(installation._list_compiled(str(inside), tag))
