"""What is at stake in the history of a repository: commits, branches, tags, stashes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from interlock.facts import Recorded, commits, gitrefs
from interlock.facts.gitobjects import GitObjects
from interlock.facts.gitrefs import Refs, resolve
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    BRANCHES,
    CHANGED,
    HISTORY,
    REFLOG,
    REMOTE,
    STASHES,
    TAGS,
    UNTRACKED,
    Radius,
    Stake,
)
from tests.facts import test_radius
from tests.facts.repositories import copied, run
from tests.facts.test_radius import figures, found

original = test_radius.original
top = test_radius.top


HISTORIES: list[tuple[str, tuple[str, ...], dict[str, object]]] = [
    ("", (BRANCHES, "mine"), {"commits": 2}),
    ("", (BRANCHES, "refs/heads/mine"), {"commits": 2}),
    ("", (BRANCHES, "merged"), {}),
    ("", (BRANCHES, "topic"), {}),
    ("git update-ref -d refs/remotes/origin/theirs", (BRANCHES, "topic"), {"commits": 2}),
    ("git branch twin mine", (BRANCHES, "mine"), {}),
    ("git branch twin mine", (BRANCHES, "mine", "twin"), {"commits": 2}),
    ("git branch more mine~1", (BRANCHES, "mine"), {"commits": 1}),
    ("", (BRANCHES, "nothing"), {}),
    ("git checkout -q --detach mine", (BRANCHES, "mine"), {}),
    ("git worktree add -q --detach ../tree mine", (BRANCHES, "mine"), {}),
    ("git pack-refs --all; git gc -q", (BRANCHES, "mine"), {"commits": 2}),
    (
        "git checkout -q mine; git merge -q --no-edit main; git checkout -q main",
        (BRANCHES, "mine"),
        {"commits": 3},
    ),
    (
        "git checkout -q --orphan alone; git commit -qm alone; git checkout -q main",
        (BRANCHES, "alone"),
        {"commits": 1},
    ),
    ("", (TAGS, "v1"), {}),
    ("", (TAGS, "lone"), {"commits": 1}),
    ("git pack-refs --all", (TAGS, "lone"), {"commits": 1}),
    ("", (STASHES,), {"stashes": 2}),
    ("", (STASHES, "stash@{0}"), {"stashes": 1}),
    ("", (STASHES, "stash@{7}"), {}),
    ("git stash clear", (STASHES,), {}),
    ("", (BRANCH_MOVES, "HEAD~1"), {"commits": 1}),
    ("", (BRANCH_MOVES, "HEAD^"), {"commits": 1}),
    ("", (BRANCH_MOVES, "@~2"), {"commits": 2}),
    ("", (BRANCH_MOVES, "HEAD^^"), {"commits": 2}),
    ("", (BRANCH_MOVES, "origin/main"), {"commits": 2}),
    ("", (BRANCH_MOVES, "v1"), {"commits": 2}),
    ("", (BRANCH_MOVES, "lone"), {"commits": 2}),
    ("", (BRANCH_MOVES, "HEAD"), {}),
    ("", (BRANCH_MOVES, "main"), {}),
    ("git branch keep", (BRANCH_MOVES, "HEAD~2"), {}),
    ("git push -q origin main", (BRANCH_MOVES, "HEAD~2"), {}),
    ("git checkout -q --detach", (BRANCH_MOVES, "HEAD~1"), {}),
    (
        "git checkout -q --detach; git commit -q --allow-empty -m x",
        (BRANCH_MOVES, "HEAD~1"),
        {"commits": 1},
    ),
    ("", (BRANCH_MOVES, "HEAD~99"), {"unknown": ("which commits HEAD~99 would leave behind",)}),
    (
        "",
        (BRANCH_MOVES, "HEAD~99999999999"),
        {"unknown": ("which commits HEAD~99999999999 would leave behind",)},
    ),
    (
        "",
        (BRANCH_MOVES, "@{yesterday}"),
        {"unknown": ("which commits @{yesterday} would leave behind",)},
    ),
    ("", (BRANCH_MOVES, ":/c2"), {"unknown": ("which commits :/c2 would leave behind",)}),
    (
        "git reset -q --soft HEAD~1; git reset -q --soft ORIG_HEAD",
        (BRANCH_MOVES, "HEAD@{1}"),
        {"commits": 1},
    ),
    ("git reset -q --soft HEAD~1", (BRANCH_MOVES, "ORIG_HEAD"), {}),
    ("", (HISTORY,), {"commits": 4, "stashes": 2}),
    ("git push -q origin main mine; git stash clear", (HISTORY,), {}),
    ("git gc -q; git pack-refs --all", (HISTORY,), {"commits": 4, "stashes": 2}),
    (
        "git checkout -q --detach; git commit -q --allow-empty -m x",
        (HISTORY,),
        {"commits": 5, "stashes": 2},
    ),
    ("git remote remove origin; git stash clear", (HISTORY,), {"commits": 7}),
    ("", (REFLOG,), {}),
    ("git stash clear; git commit -q --amend -m other", (REFLOG,), {"commits": 1}),
    ("git stash clear; git reset -q --hard HEAD~2", (REFLOG,), {"commits": 2}),
    ("git reset -q --hard HEAD~2", (REFLOG,), {}),
    ("", (REMOTE, "origin"), {}),
    ("", (REMOTE, "origin", "main:main"), {}),
    ("", (REMOTE, "origin", ":theirs"), {"remote_commits": 2}),
    ("", (REMOTE, "origin", ":merged"), {}),
    ("", (REMOTE, "origin", ":nothing"), {}),
    ("", (REMOTE, "origin", "main:theirs"), {"remote_commits": 2}),
    ("", (REMOTE, "origin", "topic~1:theirs"), {"remote_commits": 1}),
    (
        "git push -q origin main; git reset -q --hard HEAD~2",
        (REMOTE, "origin"),
        {"remote_commits": 2},
    ),
    (
        "git push -q origin main; git commit -q --amend -m other",
        (REMOTE, "origin"),
        {"remote_commits": 1},
    ),
    (
        "git push -q origin main; git reset -q --hard HEAD~2",
        (REMOTE, "origin", "HEAD:HEAD"),
        {"remote_commits": 2},
    ),
    (
        "git push -q origin main; git reset -q --hard HEAD~2",
        (REMOTE, "origin", "@:refs/heads/main"),
        {"remote_commits": 2},
    ),
    ("", (REMOTE, "origin", "*"), {"remote_commits": 2}),
    ("", (REMOTE, "upstream"), {"unknown": ("what upstream holds",)}),
    (
        "",
        (REMOTE, "origin", "nothing:theirs"),
        {"unknown": ("what nothing is",), "remote_commits": 2},
    ),
]
"""What was done in the repository, what goes, and what that costs."""


@pytest.mark.parametrize(
    ("change", "asked", "expected"),
    HISTORIES,
    ids=[f"{change or 'made'} {' '.join(asked)}" for change, asked, _ in HISTORIES],
)
def test_what_goes_of_a_history(
    top: Path, change: str, asked: tuple[str, ...], expected: dict[str, object]
) -> None:
    """Commits count that nothing else names once something is gone; those that a branch, a tag, a
    remote or a HEAD still has do not.
    """
    run(change or ":", top)
    assert figures(found(Stake(str(top), asked[0], asked[1:]))) == expected


def test_an_abbreviated_commit_is_found(top: Path) -> None:
    """A commit may be named by the first digits of its name, loose or packed; digits that fit none
    or several name nothing.
    """
    for pack in ("true", "git gc -q"):
        run(f"{pack}; git rev-parse HEAD~1 > ../name", top)
        name = (top.parent / "name").read_text().strip()
        refs = Refs(f"{top}/.git")
        objects = GitObjects(f"{top}/.git/objects")
        assert (
            resolve(refs, objects, name)
            == resolve(refs, objects, name[:9])
            == resolve(refs, objects, "main~1")
            == bytes.fromhex(name)
        )
        assert resolve(refs, objects, "f" * 12) == b""
        assert figures(found(Stake(str(top), BRANCH_MOVES, (name[:9],)))) == {"commits": 1}


def test_the_repository_itself(top: Path) -> None:
    """With .git its commits and stashes go that no remote has; with the folder around it the files
    as well; with a bare one all.
    """
    radius = found(Stake(f"{top}/.git", ALL))
    assert (radius.commits, radius.stashes, radius.files, radius.internal > 20) == (
        4,
        2,
        radius.internal,
        True,
    )
    both = found(Stake(str(top), ALL))
    assert (both.commits, both.stashes, both.internal, both.committed, both.ignored) == (
        4,
        2,
        radius.internal,
        5,
        2,
    )
    assert found(Stake(str(top.parent), ALL)).commits == 4 + 3
    assert found(Stake(f"{top.parent}/remote.git", ALL)).commits == 3


def test_a_history_counts_once(top: Path) -> None:
    """A branch that goes with the repository around it is not counted again; what a remote loses
    is.
    """
    whole = found(Stake(f"{top}/.git", ALL))
    branch, stashes, remote = (
        Stake(str(top), BRANCHES, ("mine",)),
        Stake(str(top), STASHES),
        Stake(str(top), REMOTE, ("origin", ":theirs")),
    )
    assert found(branch, stashes, Stake(f"{top}/.git", ALL)) == whole
    assert figures(found(branch, stashes, Stake(str(top), HISTORY))) == {"commits": 4, "stashes": 2}
    assert found(Stake(f"{top}/.git", ALL), remote) == whole.plus(Radius(remote_commits=2))


def test_paths_of_another_platform_are_not_looked_up_here() -> None:
    """A path of Windows is no relative path of this machine."""
    assert found(Stake("c:/x", ALL)).unknown == (
        "what would be lost on another platform than this",
    )


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("refs", {"commits": 4, "stashes": 2}),
        ("objects", {"commits": 4, "stashes": 2}),
        ("refs/heads/mine", {"commits": 4, "stashes": 2}),
        ("logs", {"commits": 0, "stashes": 0}),
        ("hooks", {"commits": 0, "stashes": 0}),
        ("index", {"commits": 0, "stashes": 0}),
    ],
)
def test_parts_of_a_repository(top: Path, inside: str, expected: dict[str, int]) -> None:
    """Its refs and objects are its history; its hooks and its index are not."""
    radius = found(Stake(f"{top}/.git/{inside}", ALL))
    assert {field: getattr(radius, field) for field in expected} == expected
    assert radius.internal == radius.files > 0


def test_a_linked_work_tree(top: Path) -> None:
    """A linked work tree has its files' changes to lose, and no commits of the repository that it
    belongs to.
    """
    run("git worktree add -q ../tree mine; echo x >> ../tree/mine.txt; echo n > ../tree/new", top)
    tree = top.parent / "tree"
    assert figures(found(Stake(str(tree), ALL))) == {
        "files": 7,
        "committed": 4,
        "changed": 1,
        "untracked": 1,
        "internal": 1,
    }
    assert figures(found(Stake(str(tree), BRANCH_MOVES, ("HEAD~1",)))) == {"commits": 1}
    assert figures(found(Stake(str(tree), CHANGED))) == {"files": 1, "changed": 1}


def test_a_submodule(top: Path) -> None:
    """A submodule's files are its own repository's; its history lies in the one around it and goes
    with that.
    """
    run(
        "git -c protocol.file.allow=always submodule --quiet add ../remote.git sub; git commit -qm sub; cd sub; echo x >> top.txt;"
        "echo m > more; git add more; git commit -qm more; echo n > new; cd ..; git push -q origin main mine; git stash clear",
        top,
    )
    below = found(Stake(f"{top}/sub", ALL))
    assert (below.files, below.commits, below.internal) == (7, 0, 1)
    assert found(Stake(f"{top}/.git", ALL)).commits == 1


def test_a_shallow_clone(top: Path) -> None:
    """Where a clone is cut off its history ends, and that is no failure."""
    run(
        "git clone -q --depth 1 file://$PWD/../remote.git ../shallow; cd ../shallow; git commit -q --allow-empty -m x",
        top,
    )
    assert figures(found(Stake(f"{top.parent}/shallow", HISTORY))) == {"commits": 1}


def test_no_repository(tmp_path: Path) -> None:
    """What is asked of a repository that is not there is said to be unknown; a repository that
    cannot be read as well.
    """
    assert found(Stake(str(tmp_path.resolve()), BRANCHES, ("x",))).unknown == (
        "what the repository holds, for none was found",
    )
    (tmp_path / ".git").mkdir()
    assert found(Stake(str(tmp_path.resolve()), BRANCHES, ("x",))).unknown == (
        "which commits exist only here",
    )


@pytest.mark.parametrize(
    "damage",
    [
        "rm -rf .git/objects/*",
        "for f in $(find .git/objects -type f); do chmod +w $f; echo x > $f; done",
        "git config extensions.objectFormat sha256",
        "git config extensions.refStorage reftable",
        "rm .git/HEAD",
        "rm .git/refs/heads/mine; mkfifo .git/refs/heads/mine",
        "echo nonsense > .git/refs/heads/mine; echo nonsense > .git/packed-refs",
    ],
)
def test_a_damaged_repository(top: Path, damage: str) -> None:
    """Whatever a repository's files hold, nothing fails, and no commit is claimed to be safe that
    is not known to be.
    """
    run(damage, top)
    for stake in (
        Stake(str(top), HISTORY),
        Stake(str(top), BRANCHES, ("mine",)),
        Stake(str(top), REFLOG),
        Stake(f"{top}/src", ALL),
    ):
        radius = found(stake)
        assert radius.commits or radius.unknown or radius.files or "nonsense" in damage


def test_variables_of_git_make_repositories_unknown(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where git is told to look elsewhere nothing is said of what it has."""
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    assert figures(found(Stake(f"{top}/src", ALL))) == {"files": 3}
    assert found(Stake(str(top), BRANCHES, ("mine",))).unknown == (
        "what the repository holds, for none was found",
    )


def test_a_long_history_is_read_to_the_bound(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more commits are read than the bound says; what was counted is then a lower bound."""
    run(
        "git remote remove origin; for i in 1 2 3 4 5 6 7 8 9; do git commit -q --allow-empty -m $i; done",
        top,
    )
    run("git branch -qD mine topic; git tag -d lone", top)
    monkeypatch.setattr(commits, "MAX_COMMITS", 6)
    radius = found(Stake(str(top), HISTORY))
    assert (radius.commits, radius.complete) == (6, False)
    monkeypatch.setattr(commits, "MAX_COMMITS", 3000)
    assert figures(found(Stake(str(top), HISTORY))) == {"commits": 12, "stashes": 2}


def test_more_refs_than_the_bound(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more refs than are read nothing is said of what they keep."""
    monkeypatch.setattr(gitrefs, "MAX_REFS", 3)
    assert figures(found(Stake(str(top), BRANCHES, ("mine",)))) == {
        "unknown": ("which commits exist only here",)
    }


def test_commits_of_one_second(top: Path) -> None:
    """Commits of the very same time are walked in any order, and still counted right; so are those
    that are older than their parents.
    """
    run(
        "export GIT_COMMITTER_DATE=@1700000000; git checkout -qb same v1; for i in 1 2 3 4 5; do git commit -q --allow-empty -m $i; done;"
        "git branch held same~2; export GIT_COMMITTER_DATE=@1000000000; git checkout -qb old same~4; git commit -q --allow-empty -m old",
        top,
    )
    assert figures(found(Stake(str(top), BRANCHES, ("same",)))) == {"commits": 2}
    assert figures(found(Stake(str(top), BRANCHES, ("old",)))) == {"commits": 1}


def test_recorded_answers() -> None:
    """A record answers what was noted, and says that nobody looked for the rest."""
    facts = Recorded()
    facts.radii["all /w/src"] = Radius(3, 41)
    assert facts.radius((Stake("/w/src"),)) == Radius(3, 41)
    assert facts.radius((Stake("/w/src"), Stake("/w/x"))) == Radius(
        3, 41, unknown=("what lies there, for nobody looked",)
    )


@pytest.mark.parametrize("seed", range(40))
def test_hostile_repositories(original: Path, tmp_path: Path, seed: int) -> None:
    """Whatever bytes a repository's own files hold, every question has an answer."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    top = copied(original, tmp_path)
    if seed % 2:
        run("git gc -q; git pack-refs --all", top)
    files = sorted(
        path for path in (top / ".git").rglob("*") if path.is_file() and "hooks" not in path.parts
    )
    for path in chance.sample(files, min(len(files), 12)):
        data = bytearray(path.read_bytes())
        path.chmod(0o644)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.choice((0, 1, 4))] = chance.choice(
                (b"", b"\0", b"\xff" * 9, b"ref: ../../x", b"\n", b"9" * 5000, bytes(40))
            )
        path.write_bytes(data)
    stakes = [
        Stake(str(top), what, names)
        for what in (HISTORY, REFLOG, STASHES, CHANGED, UNTRACKED)
        for names in ((),)
    ]
    stakes += [
        Stake(str(top), BRANCHES, ("mine", "../../x")),
        Stake(str(top), BRANCH_MOVES, ("HEAD~1",)),
        Stake(str(top), REMOTE, ("origin", "*")),
    ]
    for stake in [*stakes, Stake(str(top), ALL), Stake(str(top), TAGS, ("lone",))]:
        assert isinstance(found(stake), Radius)
