"""Programs such as agents write run unchanged: same output, same exit, nothing refused. A few of
them here, all of them with INTERLOCK_CLIENTS=1.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.codemode.programs import FILES, TASKS, VARIANTS, programs, written
from tests.codemode.scenes import NONE, TIERS, without

if TYPE_CHECKING:
    from tests.codemode.scenes import Ground

TIER = next(tier for tier in TIERS if not without(tier))
FEW = (
    "sum a csv",
    "replace in files",
    "sqlite report",
    "thread pool",
    "temporary folder",
    "copy with times",
)


def laid_out(ground: Ground) -> None:
    """Put the files into the workspace that programs work with."""
    for name, text in FILES.items():
        path = ground.work / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def outcomes(
    ground: Ground, source: str, tier: str
) -> tuple[tuple[str, str, object], tuple[str, str, object]]:
    """Run a program bare and guarded, each in a fresh folder; return of both how it ended, what it
    printed and what was refused.
    """
    laid_out(ground)
    bare = subprocess.run(
        [sys.executable, "-I", "-c", source],
        cwd=ground.work,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert bare.returncode == 0, bare.stderr
    for path in sorted(ground.work.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    laid_out(ground)
    result = ground.run_whole(source, tier)
    return ("ran", bare.stdout, ()), (result.status, result.stdout, result.refused)


def test_there_are_enough_of_them() -> None:
    """At least 400 programs over at least 40 tasks, all different."""
    assert len(TASKS) >= 40
    assert len({source for _, source in programs()}) >= 400


@pytest.mark.parametrize("task", FEW)
def test_a_few_run_unchanged(ground: Ground, task: str) -> None:
    """A program gives under guard what it gives without."""
    bare, guarded = outcomes(ground, written(task, len(task) % VARIANTS), TIER)
    assert guarded == bare


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.parametrize("tier", sorted({TIER, NONE}))
@pytest.mark.parametrize("task", TASKS)
def test_all_run_unchanged(ground: Ground, task: str, tier: str) -> None:
    """Every program gives under guard what it gives without."""
    for at in range(VARIANTS):
        bare, guarded = outcomes(ground, written(task, at), tier)
        assert guarded == bare, at
        for path in sorted(ground.work.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
