"""What an ask says of the loss: each command with its figures, a twin that loses nothing, and that
it never changes an answer.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interlock.effects.read import read
from interlock.facts import Live
from interlock.guard.blast_radius import radius
from interlock.model.call import ToolCall
from interlock.model.radius import Radius
from tests.facts.repositories import copied, made, run


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the repository that all tests copy, with a little work in it that no commit has."""
    top = made(tmp_path_factory.mktemp("repositories"))
    run(
        "echo x >> src/a.py; echo n > src/new.py; mkdir d; echo n > d/new; ln -s src/a.py link", top
    )
    with closing(sqlite3.connect(top / "app.db")) as database, database:
        database.execute("create table t (x)")
    database.close()
    return top


@pytest.fixture
def top(original: Path, tmp_path: Path) -> Path:
    """Return a repository of the test's own."""
    return copied(original, tmp_path)


def call_of(top: Path, command: str, **fields: Any) -> ToolCall:
    """Return the call of a shell command in the repository."""
    return ToolCall(
        "shell",
        "Bash",
        {"command": command},
        cwd=str(top),
        roots=(str(top),),
        session="s",
        **fields,
    )


def lost(top: Path, command: str) -> Radius | None:
    """Return what a command would take away."""
    facts = Live(str(top.parent / "home"))
    return radius(read(call_of(top, command), facts).effects, facts)


def figures(found: Radius | None) -> dict[str, object]:
    """Return what is not at its default, apart from bytes, times and names."""
    shown = (
        {
            field: getattr(found, field)
            for field in Radius.fields
            if field not in ("size", "newest", "examples")
        }
        if found
        else {}
    )
    return {field: value for field, value in shown.items() if value != Radius.defaults[field]}


NOTHING: dict[str, object] = {}
CHANGED: dict[str, object] = {"files": 1, "changed": 1}
ROWS: list[tuple[str, dict[str, object], str, dict[str, object]]] = [
    # command, what it takes away, a twin that takes away nothing (or less), what that takes
    (
        "rm -rf src",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rm -rf src/deep",
        NOTHING,
    ),
    (
        "rm -rf src/*",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rm -rf src/*.none",
        NOTHING,
    ),
    (
        "rm -f src/*.py",
        {"files": 3, "committed": 1, "changed": 1, "untracked": 1},
        "rm -f src/c*.py",
        {"files": 1, "committed": 1},
    ),
    (
        "rm src/a.py src/new.py",
        {"files": 2, "changed": 1, "untracked": 1},
        "rm missing.py",
        NOTHING,
    ),
    (
        "rm -rf src src/a.py",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rmdir src",
        NOTHING,
    ),
    ("rm link", {"files": 1, "untracked": 1}, "ls link", NOTHING),
    ("cd src && rm -rf deep new.py", {"files": 1, "untracked": 1}, "cd src && ls", NOTHING),
    ("rm -rf build", {"files": 1, "ignored": 1}, "ls build", NOTHING),
    (
        "find . -name '*.py' -delete",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1, "most": True},
        "find . -name '*.py'",
        NOTHING,
    ),
    (
        "find src -type f -exec rm {} +",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1, "most": True},
        "find src -type f",
        NOTHING,
    ),
    (
        "python3 -c 'import shutil; shutil.rmtree(\"src\")'",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "python3 -c 1",
        NOTHING,
    ),
    (
        "rsync -a --delete build/ src/",
        {
            "files": 4,
            "committed": 2,
            "changed": 1,
            "untracked": 1,
            "unknown": ("what is overwritten in src",),
        },
        "rsync -a build/ new/",
        NOTHING,
    ),
    ("git reset --hard", CHANGED, "git reset --soft HEAD~1", NOTHING),
    ("git reset --hard HEAD~2", {**CHANGED, "commits": 2}, "git reset HEAD~2", NOTHING),
    ("git reset --hard mine", {**CHANGED, "commits": 2}, "git log mine", NOTHING),
    ("git checkout -- .", CHANGED, "git checkout -b new", NOTHING),
    ("git checkout -- src/deep src/a.py", CHANGED, "git checkout -- top.txt", NOTHING),
    ("git checkout -f mine", CHANGED, "git checkout mine", NOTHING),
    ("git restore src", CHANGED, "git restore --staged src", NOTHING),
    ("git clean -fd", {"files": 4, "untracked": 4}, "git clean -n", NOTHING),
    ("git clean -f", {"files": 3, "untracked": 3}, "git clean -nf", NOTHING),
    ("git clean -fdx", {"files": 6, "untracked": 4, "ignored": 2}, "git clean -fd build", NOTHING),
    ("git clean -fdX", {"files": 2, "ignored": 2}, "git status", NOTHING),
    ("git branch -D mine", {"commits": 2}, "git branch -D merged", NOTHING),
    ("git branch -D mine topic", {"commits": 2}, "git branch -d mine", NOTHING),
    (
        "git update-ref -d refs/heads/mine",
        {"commits": 2},
        "git update-ref -d refs/heads/merged",
        NOTHING,
    ),
    ("git tag -d lone", {"commits": 1}, "git tag -d v1", NOTHING),
    ("git rm -rf src", CHANGED, "git rm -r src", NOTHING),
    (
        "git worktree remove -f src",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "git worktree remove src",
        NOTHING,
    ),
    ("git submodule deinit -f .", CHANGED, "git submodule status", NOTHING),
    ("git stash drop", {"stashes": 1}, "git stash drop stash@{5}", NOTHING),
    ("git stash clear", {"stashes": 2}, "git stash list", NOTHING),
    ("git push -f origin main:theirs", {"remote_commits": 2}, "git push origin main", NOTHING),
    (
        "git push -f origin topic~1:theirs",
        {"remote_commits": 1},
        "git push -f origin main",
        NOTHING,
    ),
    ("git push --mirror", {"remote_commits": 2}, "git push --all", NOTHING),
    (
        "git push origin --delete theirs",
        {"remote_commits": 2},
        "git push origin --delete merged",
        NOTHING,
    ),
    ("git push origin :theirs", {"remote_commits": 2}, "git push origin main:theirs", NOTHING),
    ("git push --force upstream", {"unknown": ("what upstream holds",)}, "git push", NOTHING),
    (
        "git push -f https://x.test/y main",
        {"unknown": ("what https://x.test/y would lose",)},
        "git push https://x.test/y main",
        NOTHING,
    ),
    ("git reflog expire --expire=now --all", NOTHING, "git reflog", NOTHING),
    (
        "git gc --prune=now",
        {"unknown": ("how many commits nothing names any more",)},
        "git gc",
        NOTHING,
    ),
    ("git filter-branch --all", {"commits": 4, "stashes": 2}, "git rebase main", NOTHING),
    (
        "cd d && git branch -D mine",
        {"commits": 2},
        "cd .. && git branch -D merged",
        {"unknown": ("what the repository holds, for none was found",)},
    ),
    (
        "git -C /nowhere branch -D mine",
        {"unknown": ("what the repository holds, for none was found",)},
        "git -C src branch -D merged",
        NOTHING,
    ),
    (
        "git branch -D $X",
        {"unknown": ("what git branch throws away, before it runs",)},
        "echo $X",
        NOTHING,
    ),
    ("> src/a.py", CHANGED, ">> src/a.py", NOTHING),
    ("echo x > src/c.py", {"files": 1, "committed": 1}, "echo x > src/fresh.py", NOTHING),
    ("echo x > link", CHANGED, "echo x > /dev/null", NOTHING),
    ("cp top.txt src/new.py", {"files": 1, "untracked": 1}, "cp top.txt src/fresh.py", NOTHING),
    ("mv top.txt src/new.py", {"files": 1, "untracked": 1}, "mv top.txt src/fresh.py", NOTHING),
    ("cp top.txt src", {"unknown": ("what is overwritten in src",)}, "cp -n top.txt src", NOTHING),
    ("truncate -s 0 src/a.py", CHANGED, "truncate -s 0 src/fresh.py", NOTHING),
    (
        "sed -i s/a/b/ src/a.py src/c.py",
        {"files": 2, "changed": 1, "committed": 1},
        "sed s/a/b/ src/a.py",
        NOTHING,
    ),
    ("shred -u src/new.py", {"files": 1, "untracked": 1}, "shred -u missing", NOTHING),
    (
        "docker volume rm x",
        {"unknown": ("how much docker rm x removes",)},
        "docker volume ls",
        NOTHING,
    ),
    (
        "kubectl delete pvc x",
        {"unknown": ("how much kubectl delete pvc x removes",)},
        "kubectl get pvc",
        NOTHING,
    ),
    ("dropdb x", {"unknown": ("how much x holds",)}, "psql -l", NOTHING),
    (
        "psql -c 'drop table t'",
        {"unknown": ("how much table t holds",)},
        "psql -c 'select 1'",
        NOTHING,
    ),
    (
        "sqlite3 app.db 'drop table t'",
        {"files": 1, "untracked": 1, "most": True},
        "sqlite3 app.db 'select 1'",
        NOTHING,
    ),
    ("rm -rf $X/y", {"unknown": ("what rm deletes, before it runs",)}, "ls $X/y", NOTHING),
    (
        "ssh host 'rm -rf /srv/x'",
        {"unknown": ("what /srv/x holds in remote host",)},
        "ssh host ls",
        NOTHING,
    ),
    (
        "dd if=/dev/zero of=/dev/sda",
        {"unknown": ("what is on /dev/sda",)},
        "dd if=top.txt of=/dev/null",
        NOTHING,
    ),
]


@pytest.mark.parametrize(
    ("command", "expected", "twin", "less"), ROWS, ids=[row[0] for row in ROWS]
)
def test_what_a_command_takes_away(
    top: Path, command: str, expected: dict[str, object], twin: str, less: dict[str, object]
) -> None:
    """A command takes away what its figures say, and its twin nothing, or what its own say."""
    assert figures(lost(top, command)) == expected
    assert figures(lost(top, twin)) == less


def test_an_edit_by_a_tool(top: Path) -> None:
    """A file that a tool writes over is at stake as any other; one that is new is not."""
    facts = Live(str(top.parent / "home"))
    for name, expected in (("src/a.py", CHANGED), ("src/fresh.py", NOTHING)):
        call = ToolCall(
            "write",
            "Write",
            {"file_path": f"{top}/{name}", "content": "x"},
            cwd=str(top),
            roots=(str(top),),
        )
        assert figures(radius(read(call, facts).effects, facts)) == expected


def test_many_files_that_are_written(top: Path) -> None:
    """Of the files that a call writes only so many are looked at, and the rest is said to be
    unknown.
    """
    run("mkdir many; for i in $(seq 90); do echo x > many/$i; done", top)
    found = lost(
        top, "; ".join([f"echo y > many/{number}" for number in range(1, 91)]) + "; rm src/new.py"
    )
    assert figures(found) == {
        "files": 64,
        "untracked": 64,
        "complete": False,
        "unknown": ("what the rest of the call overwrites, before it runs",),
    }
    assert figures(lost(top, "echo y > many/1; rm src/new.py")) == {"files": 2, "untracked": 2}
