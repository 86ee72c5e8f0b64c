"""git's configuration is read like a script: aliases stand for what they say, and what git would
run of its own accord is read.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.effects.programs.gitfiles import MAX_RUN, settings
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from tests.facts.repositories import ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

LOSS = "rm -rf ~/Documents"
ROWS = [
    # scope and key, value, command, answer
    ("alias.x", f"!{LOSS}", "git x", "ask"),
    ("--global alias.x", f"!{LOSS}", "git x", "ask"),
    ("alias.x", "!echo hi", "git x", "allow"),
    ("alias.x", '!f() { rm -rf "$1"; }; f', "git x ~/Documents", "ask"),
    ("alias.x", '!f() { ls "$1"; }; f', "git x ~/Documents", "allow"),
    ("alias.pf", "push --force", "git pf origin main", "ask"),
    ("alias.pf", 'push "--force"', "git pf origin main", "ask"),
    ("alias.pf", "push", "git pf origin topic", "allow"),
    ("alias.x", "y", "git x", "allow"),
    ("alias.lg", "log --oneline", "git lg", "allow"),
    ("core.fsmonitor", LOSS, "git status", "ask"),
    ("core.fsmonitor", "./x.sh", "git status", "ask"),
    ("core.fsmonitor", "true", "git status", "allow"),
    ("diff.pdf.textconv", LOSS, "git diff", "ask"),
    ("diff.pdf.textconv", "pdftotext", "git diff", "allow"),
    ("filter.x.clean", LOSS, "git add -A", "ask"),
    ("filter.lfs.clean", "git-lfs clean -- %f", "git add -A", "allow"),
    ("core.sshCommand", f"sh -c '{LOSS}'", "git fetch", "ask"),
    ("core.sshCommand", "ssh -i ~/.ssh/id_x", "git fetch", "allow"),
    ("credential.helper", '!f() { echo "password=$TOKEN"; }; f', "git fetch", "allow"),
]


def judged(home: Path, command: str) -> str:
    """Return the answer to a command in the project."""
    root = str(home / "work")
    return str(
        Guard(builtin(), ask=NATIVE, facts=Live(str(home)))
        .check(ToolCall(SHELL, "Bash", {"command": command}, root, (root,)))
        .verdict
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a repository in it, in which a script that destroys lies."""
    work = tmp_path.resolve() / "home/work"
    work.mkdir(parents=True)
    git(work, "init", "-q")
    (work / "x.sh").write_text(f"#!/bin/sh\n{LOSS}\n", encoding="utf-8")
    return work.parent


def git(work: Path, *words: str) -> str:
    """Run git there, at home."""
    return subprocess.run(
        ["git", *words],
        cwd=work,
        env={**ENVIRONMENT, "HOME": str(work.parent)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize(("key", "value", "command", "expected"), ROWS)
def test_what_git_would_run(home: Path, key: str, value: str, command: str, expected: str) -> None:
    """As if it were written in the command."""
    git(home / "work", "config", *key.split(), value)
    assert judged(home, command) == expected


FILES = [
    ("[alias]\n x = status\n x = !rm -rf ~/Documents\n", "git x", "ask"),
    ("[alias]\n x = !rm -rf ~/Documents\n x = status\n", "git x", "allow"),
    ("[alias]\n X = !rm -rf ~/Documents\n", "git x", "ask"),
    ("[include]\n path = ../more\n", "git x", "ask"),
    ('[includeIf "gitdir:~/"]\n path = ~/work/more\n', "git X", "ask"),
    ("[include]\n path = ../more\n", "git status", "allow"),
    ("[include]\n path = config\n path = ../other\n", "git status", "ask"),
    ("\n" * 5000 + "[alias]\n x = !rm -rf ~/Documents\n", "git x", "ask"),
]


@pytest.mark.parametrize(("text", "command", "expected"), FILES)
def test_what_counts_in_a_file(home: Path, text: str, command: str, expected: str) -> None:
    """The last of two, in whatever case, and what is included, which may include its own file."""
    (home / "work/more").write_text(f"[alias]\n\tx = !{LOSS}\n", encoding="utf-8")
    (home / "work/other").write_text(f"[core]\n\tfsmonitor = {LOSS}\n", encoding="utf-8")
    with (home / "work/.git/config").open("a", encoding="utf-8") as file:
        file.write(text)
    assert judged(home, command) == expected


def test_a_linked_work_tree_has_its_repositorys_configuration(home: Path) -> None:
    """Its own folder holds none."""
    git(home / "work", "config", "alias.x", f"!{LOSS}")
    git(home / "work", "commit", "-q", "--allow-empty", "-m", "c")
    git(home / "work", "worktree", "add", "-q", "linked")
    assert judged(home, "git -C linked x") == "ask"
    assert judged(home, "git -C linked status") == "allow"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("A='!rm -rf ~/Documents' git --config-env=alias.x=A x", "ask"),
        ("A='log -1' git --config-env=alias.x=A x", "allow"),
        ("git -c alias.x='push \"--force\"' x origin main", "ask"),
        ("git config alias.pf 'push --force' && git pf origin main", "ask"),
        ("git config alias.pf 'push' && git pf origin topic", "allow"),
        ("git config --global alias.x 'clean -fdx'; git x", "ask"),
    ],
)
def test_an_alias_of_this_very_call(home: Path, command: str, expected: str) -> None:
    """It counts at once."""
    (home / "work/new.txt").write_text("x", encoding="utf-8")
    assert judged(home, command) == expected


def test_aliases_that_stand_for_one_another_end(home: Path) -> None:
    """What cannot be followed to its end is asked about."""
    git(home / "work", "config", "alias.a", "b")
    git(home / "work", "config", "alias.b", "a")
    assert judged(home, "git a") == "ask"


def test_more_commands_than_can_be_followed_are_asked_about(home: Path) -> None:
    """A bound that is passed is never silent."""
    for number in range(MAX_RUN + 1):
        git(home / "work", "config", f"filter.f{number}.clean", "pdftotext")
    assert judged(home, "git add -A") == "ask"


TEXTS = [
    '[alias]\n\tx = "!echo \\"a b\\" # c" ; d\n',
    '[Alias] X = push --force # all\n[diff "a b.C"]\n textConv=cat -v\n',
    "[core]\n\tfsmonitor\n\teditor = vim \\\n  -f\n; note\n# note\n",
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n[user]\n\tname = "A ; B"\n',
    '[remote "o"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_is_read_as_git_reads_it(home: Path, text: str) -> None:
    """Git itself lists the same keys and values."""
    path = home / "work/config.txt"
    path.write_text(text, encoding="utf-8")
    listed = (
        git(home / "work", "config", "--file", str(path), "--list", "-z").rstrip("\0").split("\0")
    )
    found = [
        (key, value if newline else "true")
        for key, newline, value in (one.partition("\n") for one in listed)
    ]
    assert list(settings(text)) == found
