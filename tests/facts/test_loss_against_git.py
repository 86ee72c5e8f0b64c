"""What would be lost, against git itself, at random; hostile repositories; bounded work."""

from __future__ import annotations

import os
import random
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.facts import gitindex, worktree
from interlock.model.facts import TRACKED, UNKNOWN, Loss

if TYPE_CHECKING:
    from pathlib import Path
from tests.facts import test_loss
from tests.facts.test_loss import Work

work = test_loss.work


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_git_status(tmp_path: Path, seed: int) -> None:
    """After random edits, adds, commits and deletions: where this says that nothing is lost, ``git
    status`` has nothing to say.
    """
    chance, work = random.Random(seed), Work(tmp_path / "w")  # noqa: S311 - the same edits each time
    work.git("init", "-q", "-b", "main")
    names = [
        f"{folder}{name}" for folder in ("", "d/", "d/e/", "f/") for name in ("a", "b", "x.log")
    ]
    work.put(".gitignore", "*.log\n")
    work.commit()
    for _ in range(30):
        name = chance.choice(names)
        deed = chance.randrange(6)
        if deed < 3:
            work.put(name, chance.choice(("one\n", "two\n", "three\n")))
        elif deed == 3:
            (work.top / name).unlink(missing_ok=True)
        elif deed == 4:
            work.git("add", "-A", *(["-f"] if chance.random() < 0.2 else []))
        elif work.git("status", "--porcelain"):
            work.git("add", "-A")
            work.git("commit", "-q", "--allow-empty", "-m", "x")
        for folder in ("d", "f"):
            found = work.loss(folder)
            dirty = [
                line
                for line in work.git(
                    "status", "--porcelain", "-uall", "--no-renames", "--", folder
                ).splitlines()
                if line[:2] not in (" D", "D ")
            ]
            assert isinstance(found, Loss)
            if not found.modified and not found.untracked:
                assert not dirty, (folder, found, dirty)
            elif not found.modified:
                assert dirty


def contents(folder: Path) -> dict[str, object]:
    """Return what a folder holds: texts, links and whether a file is a program; nothing that the
    rules ignore.
    """
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)
        elif path.is_file() and path.suffix != ".log":
            found[str(path)] = (path.read_bytes(), os.access(path, os.X_OK))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_to_be_kept_comes_back(tmp_path: Path, seed: int) -> None:
    """After random work: a folder that can be lost without loss is deleted, and git brings all of
    it back; others are left alone.
    """
    chance, work = random.Random(seed), Work(tmp_path / "w")  # noqa: S311 - the same edits each time
    work.git("init", "-q", "-b", "main")
    work.put(".gitignore", "*.log\n")
    work.commit()
    names = [f"{folder}{name}" for folder in ("d/", "d/e/", "f/") for name in ("a", "b", "x.log")]
    deeds = (
        lambda name: work.put(name, f"{chance.randrange(3)}\n"),
        lambda name: work.put(name, f"{chance.randrange(3)}\n"),
        lambda name: (work.top / name).unlink(missing_ok=True),
        lambda name: (
            (work.top / name).exists() and (work.top / name).chmod(chance.choice((0o644, 0o755)))
        ),
        lambda _: work.git("add", "-A"),
        lambda _: work.git("commit", "-q", "--allow-empty", "-m", "x"),
        lambda _: work.commit() if work.git("status", "--porcelain") else "",
        lambda _: work.git("reset", "-q", "--soft", "HEAD"),
        lambda _: work.git("update-index", "--index-version", chance.choice(("2", "3", "4"))),
        lambda _: work.git("gc", "-q") if chance.random() < 0.2 else "",
        lambda _: work.git("checkout", "-q", "--detach"),
    )
    kept = 0
    for _ in range(40):
        chance.choice(deeds)(chance.choice(names))
        for folder in ("d", "f"):
            found = work.loss(folder)
            assert isinstance(found, Loss)
            if (
                (work.top / folder).exists()
                and found.tracked
                and not found.modified
                and not found.untracked
            ):
                before = contents(work.top / folder)
                shutil.rmtree(work.top / folder)
                work.git("checkout", "-q", "HEAD", "--", folder)
                after = contents(work.top / folder)
                assert {name: after.get(name) for name in before} == before
                kept += 1
    assert kept


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.integers(2, 4), st.integers(0, 5))
def test_a_hostile_index_never_raises(data: bytes, version: int, count: int) -> None:
    """Whatever the bytes, there is an index or None."""
    head = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big")
    for whole in (
        data,
        head + data,
        head + data + bytes(20),
        head + b"TREE" + len(data).to_bytes(4, "big") + data + bytes(20),
    ):
        assert gitindex.parse(whole) is None or isinstance(gitindex.parse(whole), gitindex.GitIndex)


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_damaged_index_never_raises(work: Work, version: str) -> None:
    """A real index with any one byte changed, or cut anywhere, is read or unknown; the question is
    answered.
    """
    work.git("update-index", "--index-version", version)
    path = work.top / ".git/index"
    data = path.read_bytes()
    for at in range(0, len(data), 3):
        for broken in (data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :], data[:at]):
            path.write_bytes(broken)
            assert isinstance(work.loss("src"), Loss) or work.loss("src") is UNKNOWN


def test_damaged_objects_never_raise(work: Work) -> None:
    """Loose objects, packs and their tables with changed bytes give an answer."""
    work.git("update-index", "--force-remove", "top.txt")
    for pack in (False, True):
        if pack:
            work.git("gc", "-q")
        files = [
            path
            for path in (work.top / ".git/objects").rglob("*")
            if path.is_file() and path.suffix not in (".rev", ".bitmap")
        ]
        for path in files:
            path.chmod(0o600)
            data = path.read_bytes()
            for at in range(0, len(data), max(len(data) // 40, 1)):
                path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
                assert isinstance(work.loss("src"), Loss) or work.loss("src") is UNKNOWN
            path.write_bytes(data)


def test_work_is_bounded(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """More files than are looked at, or more bytes than are read, make the answer unknown."""
    assert work.loss("src") == Loss(2)
    monkeypatch.setattr(worktree, "MAX_VISITED", 2)
    assert work.loss("src") is UNKNOWN
    monkeypatch.setattr(worktree, "MAX_VISITED", 100)
    monkeypatch.setattr(worktree, "MAX_HASHED", 2)
    os.utime(work.top / "src/a.py", (1, 1))
    assert work.loss("src") is UNKNOWN
    monkeypatch.setattr(gitindex, "MAX_ENTRIES", 1)
    assert work.loss("src") is UNKNOWN


def test_large_is_quick(tmp_path: Path) -> None:
    """Two thousand files in two hundred folders take a small part of a second."""
    work = Work(tmp_path / "w")
    work.git("init", "-q")
    for number in range(2000):
        work.put(f"d{number % 200}/f{number}")
    work.commit()
    begun = time.perf_counter()
    assert work.loss("", TRACKED) == Loss(2000)
    assert time.perf_counter() - begun < 2
