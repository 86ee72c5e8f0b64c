"""All work trees of a repository are one project; a folder that only claims to be one of them is
not.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.approvals.projects import project_of
from interlock.guard.services import NATIVE
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> None:
    """Run git as nobody in particular."""
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *words],
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk whose project is a repository with a work tree beside it, ``other``."""
    made = Desk(tmp_path)
    git(made.project, "init", "-q")
    git(made.project, "commit", "-q", "--allow-empty", "-m", "first")
    git(made.project, "worktree", "add", "-q", str(made.project.parent / "other"))
    return made


def test_a_work_tree_is_the_project_of_its_repository(desk: Desk) -> None:
    """Both ways are the same folder; a folder without git is itself."""
    other = str(desk.project.parent / "other")
    assert project_of(other) == project_of(str(desk.project)) == str(desk.project)
    assert project_of(str(desk.home)) == str(desk.home)
    assert project_of("/nowhere/at/all") == "/nowhere/at/all"


def test_a_folder_that_claims_to_be_a_work_tree_is_none(desk: Desk) -> None:
    """Whoever wrote a ``.git`` file must not get the grants of the repository that it names."""
    own = (desk.project.parent / "other/.git").read_text()
    liar = desk.home / "liar"
    liar.mkdir()
    for said in (own, f"gitdir: {desk.project}/.git\n", "gitdir: \n", "nonsense", "gitdir: /\x00"):
        (liar / ".git").write_text(said)
        assert project_of(str(liar)) == str(liar)


def test_a_grant_of_the_project_counts_in_its_work_trees(desk: Desk) -> None:
    """What was granted for the project in one tree is not asked about in the other; in another
    repository it is.
    """
    guard = desk.guarding(desk.policy, NATIVE)
    other = str(desk.project.parent / "other")
    name = desk.requested("rm -rf ~/photos")
    desk.approve(name, scope="project")
    there = desk.call("rm -rf ~/photos", cwd=other, roots=(other,), session="t")
    assert guard.check(there).verdict == VERDICT_ALLOW
    elsewhere = desk.call(
        "rm -rf ~/photos",
        cwd=str(desk.home / "elsewhere"),
        roots=(str(desk.home / "elsewhere"),),
        session="u",
    )
    assert guard.check(elsewhere).verdict == VERDICT_ASK
