"""What would be lost, counted on the disk and in git's own files: real repositories, odd files, and
every bound.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from interlock.facts import Live, extent
from interlock.model.radius import (
    ALL,
    CHANGED,
    IGNORED,
    NAMED,
    NOT_TRACKED,
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
