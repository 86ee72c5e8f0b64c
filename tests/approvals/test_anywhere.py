"""What a call is on every machine: the same for the same call in a clone elsewhere, another for
whatever else differs, and nothing where it cannot be told.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import team
from interlock.approvals.anywhere import TOP, tell_from
from interlock.model.action import ASK
from interlock.model.effect import Deletes
from interlock.model.policy import Policy
from interlock.model.rule import Rule, on
from tests.approvals.test_roles import HOLDERS
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "https://git.example.com/corp/app.git"
RULE = Rule("t.delete", "deletes", "w", "i", on(Deletes), ASK, anywhere=True)
OTHER = Rule("t.more", "deletes more", "w", "i", on(Deletes, has={"recursive"}), ASK)


def git(folder: Path, *words: str) -> None:
    """Run git with a clock and a person of its own: the same files are the same commit."""
    when = "2026-01-31T10:00:00Z"
    who = {
        f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    env = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), **who,
        "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when,
    }  # fmt: skip
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def clone(folder: Path, *, address: str = ADDRESS, text: str = "one\n", **demand: object) -> Desk:
    """Return a desk whose project is a clone, as a runner makes one."""
    policy = Policy((RULE.replace(**demand), OTHER), hash=str(folder), roles=HOLDERS)
    here = Desk(folder, policy=policy)
    git(here.project, "init", "-q", "-b", "main")
    (here.project / "a.txt").write_text(text)
    git(here.project, "add", "-A")
    git(here.project, "commit", "-qm", "first")
    if address:
        git(here.project, "remote", "add", "origin", address)
    return here


def fleet(here: Desk, command: str, **fields: object) -> str:
    """Have a call ask; return what it is everywhere."""
    found = team.request(here.store, here.requested(command, **fields))
    assert found is not None
    return found.fleet


def test_the_same_call_in_a_clone_elsewhere_is_the_same(tmp_path: Path) -> None:
    """Whatever the folder is called, whatever the session, however the runner signs in, and
    whatever the agent says about it in words.
    """
    token = ADDRESS.replace("//", "//x-access-token:1234@")
    one, other = clone(tmp_path / "one"), clone(tmp_path / "another-runner", address=token)
    for command in ("rm a.txt", "cd {top} && rm ./a.txt", "rm {top}/a.txt"):
        here = fleet(one, command.format(top=one.project))
        there = fleet(other, command.format(top=other.project), session="t")
        assert here
        assert here == there, command
    said = {"command": "rm b.txt", "description": "tidies up"}
    assert fleet(one, "rm b.txt") == fleet(other, "", input=said)


@pytest.mark.parametrize(
    ("difference", "command"),
    [
        ({"address": ADDRESS.replace("app", "api")}, "rm a.txt"),
        ({"text": "two\n"}, "rm a.txt"),
        ({"approver": "lead"}, "rm a.txt"),
        ({"quorum": 2}, "rm a.txt"),
        ({"second_person": True}, "rm a.txt"),
        ({}, "rm ./b.txt"),
        ({}, "rm -f a.txt"),
        ({}, "rm /tmp/a.txt"),
    ],
)
def test_whatever_else_differs_makes_it_another(
    tmp_path: Path, difference: dict[str, object], command: str
) -> None:
    """Another repository, another commit, other terms, other words."""
    one, other = clone(tmp_path / "one"), clone(tmp_path / "other", **difference)  # type: ignore[arg-type]
    here, there = fleet(one, "rm a.txt"), fleet(other, command)
    assert here
    assert there
    assert here != there


@pytest.mark.parametrize(
    ("difference", "command"),
    [
        ({"anywhere": False}, "rm a.txt"),
        ({"address": ""}, "rm a.txt"),
        ({"address": "/srv/git/app.git"}, "rm a.txt"),
        ({"address": "file:///srv/git/app.git"}, "rm a.txt"),
        ({}, "rm -r src"),
        ({}, "rm a.txt # ghp_" + "a1B2" * 9),
        ({}, "rm a.txt # " + TOP),
    ],
)
def test_where_it_cannot_be_told_a_yes_counts_here_alone(
    tmp_path: Path, difference: dict[str, object], command: str
) -> None:
    """No address, one that is a folder, a second rule that does not say so, a secret in the words."""
    assert fleet(clone(tmp_path / "one"), "rm a.txt")
    assert fleet(clone(tmp_path / "other", **difference), command) == ""  # type: ignore[arg-type]


def test_without_a_commit_or_a_repository_it_counts_here_alone(tmp_path: Path) -> None:
    """As for a folder that is no clone of anything."""
    policy = Policy((RULE,), hash="p")
    bare = Desk(tmp_path / "bare", policy=policy)
    assert fleet(bare, "rm a.txt") == ""
    git(bare.project, "init", "-q", "-b", "main")
    git(bare.project, "remote", "add", "origin", ADDRESS)
    assert fleet(bare, "rm b.txt") == ""
    git(bare.project, "commit", "-q", "--allow-empty", "-m", "first")
    assert fleet(bare, "rm c.txt")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rm /w/x", f"rm {TOP}/x"), ("/w", TOP), ("cd /w&&ls '/w'", f"cd {TOP}&&ls '{TOP}'"),
        ("rm /w2/x /a/w/x //w/x /w.x", "rm /w2/x /a/w/x //w/x /w.x"), ("", ""), ("a/w", "a/w"),
    ],
)  # fmt: skip
def test_a_path_is_told_from_the_top_where_it_is_one(text: str, told: str) -> None:
    """And not where it is the end of another path, or the beginning of another name."""
    assert tell_from(text, "/w") == told
