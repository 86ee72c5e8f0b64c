"""What git changes in a repository outside the workspace is a write there: real repositories,
judged with the facts of the disk.
"""

from __future__ import annotations

import pytest

from tests.guard.test_guarded_trees import UNTRACKED, Place

RULE = "git.change-other-repository"
SCRIPT = f"""
rm -r .claude; {UNTRACKED} mkdir packages; git worktree add -q ../linked -b fix
mkdir ../../docs; cd ../../docs; echo 1 > thesis.txt; {UNTRACKED.replace("a.py", "thesis.txt")}
"""
OTHER = [
    "git -C ~/docs {}", "cd ~/docs && git {}", "(cd ../../docs; git {})", "git --git-dir=$HOME/docs/.git {}", "GIT_DIR=~/docs/.git git {}",
    "export GIT_DIR=~/docs/.git GIT_WORK_TREE=~/docs; git {}", "sh -c 'cd ~/docs && git {}'", "find ~/docs -maxdepth 0 -exec git -C {{}} {} ;",
]  # fmt: skip
CHANGES = [
    "stash -u", "stash", "commit -am x", "add -A", "switch main", "checkout -b x", "merge x", "pull", "rebase x", "config user.name x", "branch x",
    "tag v1", "init", "reset HEAD~1", "remote add o https://example.com/x.git", "worktree prune", "notes add -m x", "submodule update --init",
    "cherry-pick x", "gc", "update-ref refs/heads/x HEAD", "config --unset user.name", "subtree pull --prefix=x y z", "svn rebase", "flow init",
    "lfs pull", "symbolic-ref HEAD refs/heads/x",
]  # fmt: skip
LOOKS = [
    "status", "log", "diff", "show", "fetch", "stash list", "branch", "branch -a", "tag -l 'v*'", "tag", "remote -v", "config user.name",
    "config --get user.name", "worktree list", "notes list", "submodule status", "blame a", "bisect log", "rev-parse HEAD",
    "config --get-regexp x", "symbolic-ref HEAD", "lfs ls-files", "svn info", "archive HEAD", "push", "ls-remote",
]  # fmt: skip


def spoken(place: Place, command: str, folder: str = "work/shop") -> bool:
    """Whether the rule speaks of a command; the workspace is a folder at home."""
    return RULE in {finding.rule for finding in place.judged(command, folder).findings}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a home with a project, a work tree linked to it, and another repository; nothing in it
    is changed by a test.
    """
    return Place(tmp_path_factory.mktemp("other"), SCRIPT)


@pytest.mark.parametrize("form", OTHER)
@pytest.mark.parametrize("command", CHANGES)
def test_a_change_of_another_repository_is_asked_about(
    place: Place, form: str, command: str
) -> None:
    """However it is reached."""
    assert spoken(place, form.format(command))


@pytest.mark.parametrize("form", OTHER)
@pytest.mark.parametrize("command", LOOKS)
def test_looking_at_another_repository_is_not(place: Place, form: str, command: str) -> None:
    """Nor is fetching, which changes nothing that anybody made."""
    assert not spoken(place, form.format(command))


@pytest.mark.parametrize("command", CHANGES)
@pytest.mark.parametrize(
    "form",
    [
        "git {}",
        "git -C packages {}",
        "cd packages && git {}",
        "git -C ../linked {}",
        "cd ../linked && git {}",
    ],
)
def test_the_workspaces_own_repository_is_the_agents(place: Place, form: str, command: str) -> None:
    """From any folder in it, and in a work tree linked to it."""
    assert not spoken(place, form.format(command))


@pytest.mark.parametrize("command", CHANGES)
def test_a_workspace_that_is_a_part_of_a_repository(place: Place, command: str) -> None:
    """The repository around it is its own."""
    assert not spoken(place, f"cd .. && git {command}", "work/shop/packages")
    assert spoken(place, f"git -C ~/docs {command}", "work/shop/packages")


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("hg -R ~/docs update", "hg -R ~/docs log"),
        ("hg --cwd ~/docs commit -m x", "hg --cwd ~/docs status"),
        ("cd ~/docs && jj new", "cd ~/docs && jj op log"),
        ("jj -R ~/docs op restore x", "jj -R ~/docs status"),
        ("svn up ~/docs", "svn status ~/docs"),
        ("cd ~/docs && svn commit -m x", "svn commit -m x"),
        ("cd ~/docs && hg commit -m x", "hg commit -m x"),
    ],
)
def test_other_version_controls(place: Place, command: str, looks: str) -> None:
    """The same of theirs; in the workspace they work as before."""
    assert spoken(place, command)
    assert not spoken(place, looks)


@pytest.mark.parametrize(
    "command",
    [
        "cd $(mktemp -d) && git init -q && git add -A && git commit -qm x",
        "git worktree add ../new fix && cd ../new && git commit -am x",
        "git clone -q https://example.com/a.git /tmp/a-clone && git -C /tmp/a-clone checkout v1",
    ],
)
def test_a_repository_of_this_call_is_nobody_elses(place: Place, command: str) -> None:
    """A temporary one, a new work tree."""
    assert not spoken(place, command)


def test_nothing_on_disk_was_changed(place: Place) -> None:
    """Judging runs nothing."""
    assert (place.home / "docs/thesis.txt").read_text(encoding="utf-8") == "1\n"
