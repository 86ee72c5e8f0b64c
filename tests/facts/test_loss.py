"""What would be lost, told by reading git's files: everything that git itself would call clean,
nothing that it would not, and never a guess.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.facts import Live
from interlock.facts.gitignore import Patterns
from interlock.facts.worktree import MAX_ALTERED
from interlock.model.facts import ALL, FILES, TRACKED, UNKNOWN, UNTRACKED, Loss, Unknown
from tests.facts.repositories import ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path


class Work:
    """A real repository in a folder of its own."""

    def __init__(self, top: Path) -> None:
        self.top = top.resolve()
        self.top.mkdir(parents=True, exist_ok=True)

    def git(self, *words: str) -> str:
        """Run git here."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.top,
            env={**ENVIRONMENT, "HOME": str(self.top.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def put(self, name: str, text: str = "one\n") -> Path:
        """Write a file."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, message: str = "x") -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def loss(self, path: str = "", of: str = ALL) -> object:
        """Ask what would be lost."""
        found = Live(str(self.top.parent)).loss(f"{self.top}/{path}".rstrip("/"), of)
        return (
            found.replace(
                ignored=tuple([one.removeprefix(f"{self.top}/") for one in found.ignored])
            )
            if isinstance(found, Loss)
            else found
        )


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Return a repository with three committed files, one of them old enough for its stat to be
    believed.
    """
    made = Work(tmp_path / "w")
    made.git("init", "-q", "-b", "main")
    for name in ("src/a.py", "src/deep/b.py", "top.txt"):
        made.put(name)
    made.commit()
    return made


def test_clean(work: Work) -> None:
    """What is committed and untouched can be lost without loss, wherever it lies."""
    assert work.loss("src") == Loss(2)
    assert work.loss("src/a.py") == Loss(1)
    assert work.loss("src/deep", TRACKED) == Loss(1)
    assert work.loss("", UNTRACKED) == Loss(3)
    assert work.loss("", TRACKED) == Loss(3)


CHANGES: dict[str, Loss | Unknown] = {
    "echo two > src/a.py": Loss(2, 1),
    "echo longer > src/a.py": Loss(2, 1),
    "touch -d @1 src/a.py": Loss(2),
    "cp src/a.py x; mv x src/a.py": Loss(2),
    "rm src/a.py": Loss(2),
    "echo two > src/a.py; git add -A": Loss(2, 1),
    "echo two > src/a.py; git add -A; rm src/a.py": Loss(2, 1),
    "echo one > src/new.py; git add -A": Loss(3, 1),
    "echo one > src/new.py; git add -N src/new.py": UNKNOWN,
    "echo one > src/new.py": Loss(2, 0, 1),
    "chmod +x src/a.py": Loss(2, 1),
    "rm src/a.py; ln -s deep src/a.py": Loss(2, 1),
    "rm src/a.py; mkdir src/a.py; touch src/a.py/in": Loss(2, 1),
    "git rm -q --cached src/a.py": Loss(1, 1),
    "mkdir other; touch other/new.py": Loss(2),
    "touch .git/index.lock": UNKNOWN,
    "rm .git/index": Loss(0, 1),
    "echo DIRC nonsense > .git/index": UNKNOWN,
    "git update-index --skip-worktree src/a.py; echo two > src/a.py": Loss(2, 1),
    "git update-index --assume-unchanged src/a.py; echo two > src/a.py": Loss(2, 1),
    "git init -q src/inner": Loss(2, 0, 1),
    "git update-index --index-version 3": Loss(2),
    "git update-index --index-version 4": Loss(2),
    "git update-index --split-index": UNKNOWN,
    "git sparse-checkout set --cone --sparse-index deep": UNKNOWN,
    "git config extensions.objectFormat sha1": UNKNOWN,
    "git config core.worktree /": UNKNOWN,
    "git gc -q": Loss(2),
    "git pack-refs --all": Loss(2),
    "git checkout -q --detach": Loss(2),
    "echo nonsense > .git/HEAD": UNKNOWN,
    "echo ref: ../../x > .git/HEAD": UNKNOWN,
    "git read-tree HEAD; git update-index --force-remove top.txt": Loss(2),
    "mkfifo src/pipe": Loss(2, 0, 1),
    "rm src/a.py; mkfifo src/a.py": Loss(2, 1),
}
"""What is done in a repository with two committed files in ``src``, and what deleting ``src`` would
cost then.
"""


@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_a_folder(work: Work, change: str) -> None:
    """Whatever happened to a folder since its commit, what it would cost to delete it is counted,
    or unknown.
    """
    subprocess.run(
        ["sh", "-ec", change],
        cwd=work.top,
        env={**ENVIRONMENT, "HOME": str(work.top.parent)},
        check=True,
    )
    assert work.loss("src") == CHANGES[change]


@pytest.mark.parametrize("change", CHANGES)
def test_which_tracked_files_were_altered(work: Work, change: str) -> None:
    """None are named that are not counted, and all that are there and tracked; what cannot be known
    of the ones is unknown of the others.
    """
    subprocess.run(
        ["sh", "-ec", change],
        cwd=work.top,
        env={**ENVIRONMENT, "HOME": str(work.top.parent)},
        check=True,
    )
    expected, folder = work.loss("src", TRACKED), f"{work.top}/src"
    altered = Live(str(work.top.parent)).find_altered(folder)
    assert isinstance(altered, tuple) is isinstance(expected, Loss)
    if isinstance(altered, tuple) and isinstance(expected, Loss):
        assert bool(altered) is (
            bool(expected.modified)
            and change not in ("git rm -q --cached src/a.py", "rm .git/index")
        )
        assert all(path.startswith(f"{folder}/") for path in altered)


def test_more_altered_files_than_are_named(work: Work) -> None:
    """Past the bound nobody says which."""
    for number in range(MAX_ALTERED + 1):
        work.put(f"many/{number}.txt")
    work.git("add", "-A")
    assert Live(str(work.top.parent)).find_altered(f"{work.top}/many") is UNKNOWN
    work.commit()
    assert Live(str(work.top.parent)).find_altered(f"{work.top}/many") == ()


def test_times_do_not_fool(work: Work) -> None:
    """A file of the same length with its old times restored is seen by its inode's change time, or
    by its text.
    """
    path = work.top / "src/a.py"
    before = path.stat()
    path.write_text("two\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert work.loss("src") == Loss(2, 1)


def test_a_file_as_young_as_the_index_is_read(work: Work) -> None:
    """A racily clean entry is compared by its text (git's racy-git.txt)."""
    path, index = work.top / "src/a.py", work.top / ".git/index"
    path.write_text("two\n")
    stamp = index.stat().st_mtime_ns
    os.utime(path, ns=(stamp, stamp))
    assert work.loss("src") == Loss(2, 1)


def test_unborn(tmp_path: Path) -> None:
    """Before the first commit everything in the index would be lost."""
    work = Work(tmp_path / "w")
    work.git("init", "-q")
    work.put("a.py")
    assert work.loss("", TRACKED) == Loss()
    assert work.loss("", UNTRACKED) == Loss(0, 0, 1)
    work.git("add", "-A")
    assert work.loss("a.py") == Loss(1, 1)


def test_the_repository_itself_is_never_without_loss(work: Work) -> None:
    """Deleting the work tree deletes ``.git``; cleaning it does not; without a repository nothing
    is known.
    """
    assert work.loss() == Loss(3, 0, 1)
    assert work.loss("", UNTRACKED) == Loss(3)
    assert Live("/h").loss(str(work.top.parent), ALL) is UNKNOWN


def test_links_are_counted(work: Work) -> None:
    """What follows links leaves the folder, so it is told how many there are."""
    (work.top / "src/up").symlink_to("..")
    assert work.loss("src") == Loss(2, 0, 1)
    work.commit()
    assert work.loss("src") == Loss(3, links=1)


def test_files_of_one_folder(work: Work) -> None:
    """``rm *`` takes the files of one folder, no folders and no hidden ones."""
    work.put("deep/new.txt")
    work.put(".hidden")
    assert work.loss("", FILES) == Loss(1)
    work.put("new.txt")
    assert work.loss("", FILES) == Loss(1, 0, 1)


def test_linked_work_trees(work: Work, tmp_path: Path) -> None:
    """A linked work tree has an index and a HEAD of its own, and shares the objects."""
    other = Work(tmp_path / "other")
    work.git("worktree", "add", "-q", "-b", "topic", str(other.top))
    assert other.loss("src") == Loss(2)
    other.put("src/a.py", "two\n")
    assert other.loss("src") == Loss(2, 1)
    assert work.loss("src") == Loss(2)


def test_submodules_are_unknown(work: Work, tmp_path: Path) -> None:
    """What lies in a submodule is another repository's; beside it all is known."""
    inner = Work(tmp_path / "inner")
    inner.git("init", "-q")
    inner.put("x")
    inner.commit()
    work.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner.top),
        "lib/inner",
    )
    work.commit()
    assert work.loss("lib") is UNKNOWN
    assert work.loss("src") == Loss(2)


def test_conflicts_are_unknown(work: Work) -> None:
    """A file with a merge conflict has no one state."""
    work.git("checkout", "-q", "-b", "topic")
    work.put("src/a.py", "two\n")
    work.commit()
    work.git("checkout", "-q", "main")
    work.put("src/a.py", "three\n")
    work.commit()
    with pytest.raises(subprocess.CalledProcessError):
        work.git("merge", "topic")
    assert work.loss("src") is UNKNOWN
    assert work.loss("top.txt") == Loss(1)


def test_packs_with_deltas(work: Work) -> None:
    """Commits and trees that are deltas on others in a pack are read all the same."""
    for number in range(40):
        for name in range(30):
            work.put(f"many/file{name}.txt", f"{number} {name}\n" * 20)
        work.commit(f"a long message that hardly changes {number} " * 20)
    work.git("gc", "-q", "--aggressive")
    work.git("read-tree", "HEAD")
    work.git("update-index", "-q", "--refresh")
    assert work.loss("many") == Loss(30)
    # the index's root tree is no longer known
    work.git("update-index", "--force-remove", "top.txt")
    assert work.loss("many") == Loss(30)


def test_borrowed_objects(work: Work, tmp_path: Path) -> None:
    """Objects of a repository that this one borrows from are found (``git clone --shared``)."""
    work.git("clone", "-q", "--shared", str(work.top), str(tmp_path / "shared"))
    assert Work(tmp_path / "shared").loss("src") == Loss(2)


def test_git_is_never_run(work: Work) -> None:
    """What the repository configures is not started."""
    work.git("config", "core.fsmonitor", "touch canary")
    work.git("config", "filter.x.clean", "touch canary")
    work.put(".gitattributes", "* filter=x\n")
    work.loss()
    assert not (work.top / "canary").exists()


def test_another_repository_in_the_environment(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where variables point git elsewhere nothing is known."""
    monkeypatch.setenv("GIT_INDEX_FILE", "/x")
    assert work.loss("src") is UNKNOWN


# -- ignored ---------------------------------------------------------------------------------------


def test_ignored(work: Work) -> None:
    """Ignored files are named apart; rules of a folder count below it; what is tracked is not
    ignored; the nearer file decides.
    """
    work.put(".gitignore", "*.log\n/out/\n!keep.log\n# no\n\ntmp/\n")
    work.put("src/.gitignore", "local.py\n")
    work.put("src/tracked.log")
    work.git("add", "-f", "src/tracked.log")
    work.commit()
    for name in (
        "src/x.log",
        "src/local.py",
        "src/keep.log",
        "local.py",
        "out/a",
        "src/out/b",
        "src/tmp/c",
    ):
        work.put(name)
    assert work.loss("src") == Loss(4, 0, 2, ("src/local.py", "src/tmp", "src/x.log"))
    assert work.loss("out") == Loss(0, 0, 0, ("out",))
    assert work.loss("src/tmp/c") == Loss(0, 0, 0, ("src/tmp/c",))
    assert work.loss("local.py") == Loss(0, 0, 1)


def test_rules_that_are_in_no_commit_ignore_nothing(work: Work) -> None:
    """An agent that writes ``*`` into ``.gitignore`` makes nothing known to be worthless."""
    work.put("notes/mine.txt")
    work.put(".gitignore", "*\n")
    assert work.loss("notes") is UNKNOWN
    assert work.loss("", UNTRACKED) is UNKNOWN
    work.git("add", "-f", ".gitignore")
    assert work.loss("notes") is UNKNOWN
    work.git("commit", "-q", "-m", "x")
    assert work.loss("notes") == Loss(0, 0, 0, ("notes",))


def test_excluded_in_the_repository(work: Work) -> None:
    """The user's own ``info/exclude`` counts; a nearer rule undoes it."""
    work.put("notes/mine.txt")
    work.put(".git/info/exclude", "notes\n")
    assert work.loss("notes") == Loss(0, 0, 0, ("notes",))
    work.put(".gitignore", "!notes\n")
    work.commit()
    assert work.loss("notes") == Loss(1)


PATTERNS = [
    ("*.o", "a.o"), ("*.o", "x/a.o"), ("/a.o", "a.o"), ("/a.o", "x/a.o"), ("x/a.o", "x/a.o"), ("x/a.o", "y/x/a.o"), ("**/a", "x/y/a"), ("**/a", "a"),
    ("a/**", "a/b/c"), ("a/**", "a"), ("a/**/b", "a/b"), ("a/**/b", "a/x/y/b"), ("x?", "xy"), ("[ab]c", "bc"), ("[!ab]c", "cc"), ("\\#a", "#a"),
    ("a\\ ", "a "), ("a ", "a"), ("x", "x/y/z"), ("x/", "x/y"), ("x/", "x"), ("*", "a"), ("*/", "a"), ("!a", "a"), ("a*b*c", "aXbYc"), ("*.", "a."),
    ("a/*", "a/b"), ("a/*", "a/b/c"), ("/*", "a"), ("**", "a/b"), ("a**b", "aXXb"), ("\\!a", "!a"), ("foo.*", "foo.bar"), (".*", ".x"),
    ("x/*.py", "x/y/z.py"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "path"), PATTERNS)
def test_patterns_agree_with_git(tmp_path: Path, pattern: str, path: str) -> None:
    """One pattern against one path: what ``git check-ignore`` says."""
    work = Work(tmp_path / "w")
    work.git("init", "-q")
    work.put(path)
    work.put(".git/info/exclude", pattern + "\n")
    said = (
        subprocess.run(
            ["git", "check-ignore", "-q", path], cwd=work.top, env=ENVIRONMENT, check=False
        ).returncode
        == 0
    )
    patterns, steps = Patterns(pattern), tuple(path.split("/"))
    ours = any(
        patterns.ignores(steps[: depth + 1], folder=depth + 1 < len(steps))
        for depth in range(len(steps))
    )
    assert ours == said
