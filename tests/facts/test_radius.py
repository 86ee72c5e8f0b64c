"""What would be lost, counted on the disk and in git's own files: real repositories, odd files, and
every bound.
"""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from interlock.facts import Live, Recorded, commits, extent, gitrefs
from interlock.facts.gitobjects import GitObjects
from interlock.facts.gitrefs import Refs, resolve
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    BRANCHES,
    CHANGED,
    HISTORY,
    IGNORED,
    NAMED,
    NOT_TRACKED,
    REFLOG,
    REMOTE,
    STASHES,
    TAGS,
    UNTRACKED,
    Radius,
    Stake,
)
from tests.facts.repositories import copied, made, run


def found(*stakes: Stake, home: str = "/nowhere") -> Radius:
    """Ask the disk."""
    return Live(home).radius(stakes)


def figures(radius: Radius) -> dict[str, object]:
    """Return what is not at its default, apart from bytes, times and names."""
    shown = {
        field: getattr(radius, field)
        for field in Radius.fields
        if field not in ("size", "newest", "examples")
    }
    return {field: value for field, value in shown.items() if value != Radius.defaults[field]}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the repository that all tests copy."""
    return made(tmp_path_factory.mktemp("repositories"))


@pytest.fixture
def top(original: Path, tmp_path: Path) -> Path:
    """Return a repository of the test's own."""
    return copied(original, tmp_path)


# -- files -----------------------------------------------------------------------------------------

HERE = ""
STATES: list[tuple[str, tuple[str, ...], dict[str, object]]] = [
    ("", ("src", ALL), {"files": 3, "committed": 3}),
    ("echo x >> src/a.py", ("src", ALL), {"files": 3, "committed": 2, "changed": 1}),
    ("echo x >> src/a.py; git add -A", ("src", ALL), {"files": 3, "committed": 2, "changed": 1}),
    ("echo x > src/new.py", ("src", ALL), {"files": 4, "committed": 3, "untracked": 1}),
    ("echo x > src/new.py; git add -A", ("src", ALL), {"files": 4, "committed": 3, "changed": 1}),
    ("rm src/a.py", ("src", ALL), {"files": 2, "committed": 2}),
    ("echo x > src/x.log", ("src", ALL), {"files": 4, "committed": 3, "ignored": 1}),
    ("", ("build", ALL), {"files": 1, "ignored": 1}),
    ("", ("build/out.o", ALL), {"files": 1, "ignored": 1}),
    ("", ("top.txt", ALL), {"files": 1, "committed": 1}),
    ("", ("nothing", ALL), {}),
    ("", ("top.txt/below", ALL), {}),
    ("ln -s / src/away", ("src", ALL), {"files": 4, "committed": 3, "untracked": 1}),
    ("ln -s src link", ("link", ALL), {"files": 1, "untracked": 1}),
    (
        "git add -f build; git commit -qm x; echo y > build/more.o",
        ("build", ALL),
        {"files": 2, "committed": 1, "ignored": 1},
    ),
    (
        "echo '*' > .gitignore; echo x > src/new.py",
        ("src", ALL),
        {"files": 4, "committed": 3, "untracked": 1},
    ),
    ("git rm -q --cached src/a.py", ("src", ALL), {"files": 3, "committed": 2, "untracked": 1}),
    ("git update-index --split-index", ("src", ALL), {"files": 3}),
    (
        "mkdir src/inner; git init -q src/inner; echo x > src/inner/f",
        ("src/inner/f", ALL),
        {"files": 1, "untracked": 1},
    ),
    # changes of tracked files, as a hard reset throws them away
    ("", (HERE, CHANGED), {}),
    (
        "echo x >> src/a.py; echo y >> top.txt; echo n > new",
        (HERE, CHANGED),
        {"files": 2, "changed": 2},
    ),
    ("echo x >> src/a.py; echo y >> top.txt", ("src", CHANGED), {"files": 1, "changed": 1}),
    ("echo x >> src/a.py; git add -A; rm src/a.py", (HERE, CHANGED), {"files": 1, "changed": 1}),
    ("rm src/a.py", (HERE, CHANGED), {}),
    ("git rm -q src/a.py", (HERE, CHANGED), {}),
    (
        "git update-index --split-index",
        (HERE, CHANGED),
        {"unknown": ("which files are not as the last commit has them",)},
    ),
    # what git clean deletes
    ("", (HERE, UNTRACKED), {}),
    ("echo n > new; mkdir d; echo n > d/new", (HERE, UNTRACKED), {"files": 2, "untracked": 2}),
    ("echo n > new; mkdir d; echo n > d/new", (HERE, IGNORED), {"files": 2, "ignored": 2}),
    (
        "echo n > new; mkdir d; echo n > d/new",
        (HERE, NOT_TRACKED),
        {"files": 4, "untracked": 2, "ignored": 2},
    ),
    ("git init -q inner; echo n > inner/new", (HERE, UNTRACKED), {}),
    (
        "git update-index --split-index; echo n > new",
        (HERE, UNTRACKED),
        {"unknown": ("which files git does not track",)},
    ),
    # patterns
    (
        "touch x.o y.o .z.o; mkdir d; touch d/w.o",
        (HERE, NAMED, "*.o"),
        {"files": 2, "untracked": 2},
    ),
    (
        "touch x.o y.o .z.o; mkdir d; touch d/w.O",
        (HERE, NAMED, "**/*.o"),
        {"files": 5, "untracked": 4, "ignored": 1},
    ),
    ("", (HERE, NAMED, "s*"), {"files": 3, "committed": 3}),
    ("", (HERE, NAMED, "*/deep"), {"files": 1, "committed": 1}),
    ("", (HERE, NAMED, "src/[ac].py"), {"files": 2, "committed": 2}),
    ("", (HERE, NAMED, "*.none"), {}),
]
"""What was done in the repository, what is asked of (a path, what of it, a pattern), and the
figures.
"""


@pytest.mark.parametrize(
    ("change", "asked", "expected"),
    STATES,
    ids=[f"{change or 'clean'} {' '.join(asked)}" for change, asked, _ in STATES],
)
def test_what_git_has_of_files(
    top: Path, change: str, asked: tuple[str, ...], expected: dict[str, object]
) -> None:
    """Each file below a path counts once, as what git has of it; what is as the last commit has it
    is not lost.
    """
    run(change or ":", top)
    path = f"{top}/{asked[0]}".rstrip("/")
    names = tuple([f"{top}/{pattern}" for pattern in asked[2:]])
    assert figures(found(Stake(path, asked[1], names))) == expected


def test_bytes_times_and_names(top: Path) -> None:
    """The size is that of the files, the time the newest change, the names those that are in no
    commit, and printable ones or not as they are.
    """
    run(
        "echo x >> src/a.py; printf 12345 > 'src/a b\n.txt'; touch -d @2000000000 src/deep/b.py",
        top,
    )
    radius = found(Stake(f"{top}/src", ALL))
    assert (radius.size, radius.newest) == (6 + 5 + 6 + 4, 2_000_000_000)
    assert radius.examples == ("src/a.py", "src/a b\n.txt", "src/c.py")


def test_what_belongs_to_no_repository(tmp_path: Path) -> None:
    """Files outside of every repository are under no version control."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_text("12")
    assert figures(found(Stake(f"{tmp_path.resolve()}/d", ALL))) == {"files": 1, "unversioned": 1}


def test_the_same_thing_counts_once(top: Path) -> None:
    """What lies below something that goes as a whole is not counted again, and neither is the same
    thing twice.
    """
    stakes = [
        Stake(f"{top}/src", ALL),
        Stake(f"{top}/src/a.py", ALL),
        Stake(f"{top}/src", ALL),
        Stake(f"{top}/src", CHANGED),
    ]
    assert found(*stakes) == found(stakes[0])
    assert found(stakes[1], Stake(f"{top}/top.txt", ALL)).files == 2


def test_not_deep(top: Path) -> None:
    """Deleting a folder without going into it takes nothing; cleaning without -d leaves untracked
    folders alone.
    """
    run("mkdir d; echo n > d/new; echo n > src/new; echo n > new", top)
    assert figures(found(Stake(f"{top}/src", ALL, deep=False))) == {}
    assert figures(found(Stake(f"{top}/top.txt", ALL, deep=False))) == {"files": 1, "committed": 1}
    assert figures(found(Stake(f"{top}", UNTRACKED, deep=False))) == {"files": 2, "untracked": 2}
    assert figures(found(Stake(f"{top}", NAMED, (f"{top}/s*",), deep=False))) == {}


# -- odd files -------------------------------------------------------------------------------------


def test_odd_files_are_counted_and_never_opened(tmp_path: Path) -> None:
    """A pipe, a socket and links are files without bytes; a sparse file counts with its apparent
    size, a file of two names once.
    """
    folder = tmp_path.resolve() / "d"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(folder)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    (folder / "link").symlink_to("/etc/passwd")
    with (folder / "sparse").open("wb") as sparse:
        sparse.truncate(10**12)
    (folder / "one").write_text("123")
    os.link(folder / "one", folder / "two")
    radius = found(Stake(str(folder), ALL))
    assert (radius.files, radius.size, radius.complete) == (6, 10**12 + 3, True)


def test_a_folder_that_cannot_be_read() -> None:
    """What is behind a folder that cannot be read makes the figures a lower bound."""
    with TemporaryDirectory() as made_here:
        folder = Path(made_here).resolve()
        (folder / "closed").mkdir()
        for name in ("a", "closed/b"):
            (folder / name).write_text("1")
        assert figures(found(Stake(str(folder), ALL))) == {"files": 2, "unversioned": 2}
        folder.chmod(0o755)
        (folder / "closed").chmod(0)
        superuser = os.geteuid() == 0
        try:
            if superuser:
                os.seteuid(65534)  # nobody; the superuser reads everything
            radius = found(Stake(str(folder), ALL))
        finally:
            if superuser:
                os.seteuid(0)
            (folder / "closed").chmod(0o755)
    assert figures(radius) == {"files": 1, "unversioned": 1, "complete": False}


def test_what_goes_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that vanishes between being seen and being entered was not there, and nothing
    fails.
    """
    folder = tmp_path.resolve() / "d"
    for name in ("a", "b", "c"):
        (folder / name).mkdir(parents=True)
        (folder / name / "f").write_text("1")
    listed = extent.Extent._listed

    def vanishing(place: extent.WalkedFolder, tally: extent.Tally) -> object:
        if place.path.endswith("/b"):
            (folder / "b/f").unlink()
            (folder / "b").rmdir()
        return listed(place, tally)

    monkeypatch.setattr(extent.Extent, "_listed", staticmethod(vanishing))
    assert figures(found(Stake(str(folder), ALL))) == {"files": 2, "unversioned": 2}


def test_at_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more files are looked at than the budget of the whole call says, and the figures then are
    a lower bound.
    """
    folder = tmp_path.resolve() / "d"
    for part in range(4):
        (folder / str(part)).mkdir(parents=True)
        for name in range(9):
            (folder / str(part) / f"{name}").touch()
    everything = Stake(str(folder), ALL)
    monkeypatch.setattr(extent, "MAX_ENTRIES", 40)
    assert figures(found(everything)) == {"files": 36, "unversioned": 36}
    monkeypatch.setattr(extent, "MAX_ENTRIES", 39)
    assert figures(found(everything)) == {"files": 35, "unversioned": 35, "complete": False}
    parts = [Stake(f"{folder}/{part}", ALL) for part in range(4)]
    monkeypatch.setattr(extent, "MAX_ENTRIES", 20)
    assert figures(found(*parts)) == {"files": 20, "unversioned": 20, "complete": False}


def test_a_huge_folder_costs_no_more_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a folder with far more files than the bound only so many are looked at."""
    folder = tmp_path.resolve() / "d"
    folder.mkdir()
    for name in range(3000):
        (folder / str(name)).touch()
    seen: list[str] = []
    add = extent.Tally.add

    def noting(self: extent.Tally, name: str, stat: os.stat_result, state: str) -> None:
        seen.append(name)
        add(self, name, stat, state)

    monkeypatch.setattr(extent.Tally, "add", noting)
    monkeypatch.setattr(extent, "MAX_ENTRIES", 1000)
    assert figures(found(Stake(str(folder), ALL))) == {
        "files": 1000,
        "unversioned": 1000,
        "complete": False,
    }
    assert len(seen) == 1000


# -- history ---------------------------------------------------------------------------------------

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
