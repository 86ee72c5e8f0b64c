"""Hooks of git: one that this call or its session wrote is read when a command runs it; one that
lay there is the person's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.facts import Recorded
from interlock.model.facts import Repository
from tests.guard.scenarios import Session
from tests.judging import ROOT, decided, judged, rules_of, shell

if TYPE_CHECKING:
    from pathlib import Path

RUN = [
    ("pre-commit", "git commit -m x"),
    ("commit-msg", "git commit -m x"),
    ("post-commit", "git commit -n -m x"),
    ("pre-commit", "git -C . commit -m x"),
    ("pre-push", "git push"),
    ("post-checkout", "git checkout -b x"),
    ("post-checkout", "git switch x"),
    ("post-merge", "git pull"),
    ("pre-rebase", "git rebase main"),
    ("reference-transaction", "git commit -m x"),
    ("post-index-change", "git add a"),
]
LEFT = [
    ("pre-commit", "git status"),
    ("pre-commit", "git push"),
    ("pre-commit", "git commit --no-verify -m x"),
    ("commit-msg", "git commit -n -m x"),
    ("pre-push", "git push --no-verify"),
    ("pre-push", "git commit -m x"),
    ("pre-commit.sample", "git commit -m x"),
]


WORK = Repository(ROOT, "work")
GIT_HOOKS = frozenset(name for name, _ in RUN)


def deletes(command: str) -> bool:
    """Whether a command is seen to delete the home folder."""
    return "fs.delete-home" in rules_of(judged(command))


@pytest.mark.parametrize(("hook", "command"), RUN)
def test_a_hook_that_the_call_writes_is_run(hook: str, command: str) -> None:
    """By the command that runs it, in whatever language it says that it is; a harmless one adds
    nothing to the question about its being written.
    """
    assert deletes(f"printf 'rm -rf ~' > .git/hooks/{hook}; {command}")
    assert deletes(
        f"printf '#!/usr/bin/env python3\\nimport shutil; shutil.rmtree(\"/home/user\")' > .git/hooks/{hook} && {command}"
    )
    quiet = judged(f"printf 'npm test' > .git/hooks/{hook}")
    assert rules_of(judged(f"printf 'npm test' > .git/hooks/{hook}; {command}")) == rules_of(
        quiet
    ) | rules_of(judged(command))


@pytest.mark.parametrize(("hook", "command"), LEFT)
def test_a_hook_that_a_command_leaves_out(hook: str, command: str) -> None:
    """Another command's, or one that it is told not to run: a call that writes it is told what it
    will do, one that comes later is not.
    """
    assert not earlier(hook, command)
    assert deletes(f"printf 'rm -rf ~' > .git/hooks/{hook}; {command}") is (hook in GIT_HOOKS)


@pytest.mark.parametrize(("hook", "command"), RUN)
def test_a_hook_of_the_session_is_run_by_a_later_call(hook: str, command: str) -> None:
    """By the same commands that run what they wrote themselves."""
    assert earlier(hook, command)


def earlier(hook: str, command: str) -> bool:
    """Whether a command is seen to delete the home folder by a hook that the session made."""
    path = f"{ROOT}/.git/hooks/{hook}"
    facts = Recorded("/home/user", texts={path: "rm -rf ~\n"})
    facts.repository = lambda _: WORK  # type: ignore[method-assign, assignment]
    facts.marks[path] = frozenset({"made"})
    return "fs.delete-home" in rules_of(decided(shell(command), facts=facts))


TEXTS = {
    f"{ROOT}/.git/hooks/pre-commit": "rm -rf ~\n",
    f"{ROOT}/.githooks/pre-commit": "rm -rf ~\n",
    f"{ROOT}/.husky/pre-commit": "rm -rf ~\n",
}


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ("", ".git/hooks/pre-commit"),
        (".githooks", ".githooks/pre-commit"),
        (".husky/_", ".husky/pre-commit"),
    ],
)
@pytest.mark.parametrize("mark", ["made", "changed-hook", ""])
def test_a_hook_of_an_earlier_call(setting: str, path: str, mark: str) -> None:
    """What the session made or changed is read, wherever git is set to look; the same text that
    nobody touched is not.
    """
    facts = Recorded(
        "/home/user",
        texts={
            **TEXTS,
            f"{ROOT}/.git/config": f"[core]\n hooksPath = {setting}\n" if setting else "",
        },
    )
    facts.repository = lambda _: WORK  # type: ignore[method-assign, assignment]
    facts.marks[f"{ROOT}/{path}"] = frozenset({mark} if mark else ())
    found = decided(shell("git commit -m x"), facts=facts)
    assert ("fs.delete-home" in rules_of(found)) is bool(mark)
    assert "fs.delete-home" not in rules_of(decided(shell("git log"), facts=facts))


def test_hooks_across_calls(tmp_path: Path) -> None:
    """One call writes it, or writes over it, and a later one of the same session runs it; a sample
    that git made is nobody's doing.
    """
    session = Session(tmp_path)
    hook = ".git/hooks/pre-commit"
    assert session.play(f"! echo 'rm -rf ~' > {hook}\n? git commit -m x => allow") == []
    assert (
        session.play(
            f"? cp src/a.py {hook} => ask\n? git commit -m x => deny\n? git commit -n -m x => allow\n? git status => allow"
        )
        == []
    )
    session.session = "another"
    assert session.play("? git commit -m x => allow") == []


CHANGED = [
    (".husky", ".husky/_", "sed -i 's/npm test/rm -rf ~/' .husky/pre-commit"),
    (".githooks", ".githooks", "echo 'rm -rf ~' >> .githooks/pre-commit"),
    (
        "tools/git",
        "tools/git",
        "python3 -c \"open('tools/git/pre-commit', 'a').write('rm -rf ~')\"",
    ),
    (".githooks", ".githooks", "cp -r new/. .githooks"),
]


@pytest.mark.parametrize("text", ["rm -rf ~", "npm run lint"])
@pytest.mark.parametrize(("folder", "setting", "command"), CHANGED)
def test_a_hook_of_the_project_that_the_session_changes(
    tmp_path: Path, folder: str, setting: str, command: str, text: str
) -> None:
    """It lay there before, outside of ``.git``: changed in place it is read by what runs it; in
    another session it is the person's.
    """
    session = Session(tmp_path)
    session.do(
        f"git config core.hooksPath {setting}; mkdir -p {folder}; echo 'npm test' > {folder}/pre-commit"
    )
    assert session.play("? git commit -m x => allow") == []
    session.judge("?", command.replace("rm -rf ~", text))
    session.do(f"echo '{text}' >> {folder}/pre-commit")
    found = session.judge("?", "git commit -m x")
    assert ("fs.delete-home" in rules_of(found)) is ("rm" in text)
    assert str(found.verdict) == ("deny" if "rm" in text else "allow")
    assert (
        session.play(
            "? git commit -n -m x => allow\n? git status => allow\n@ another\n? git commit -m x => allow"
        )
        == []
    )


def test_a_hook_that_the_edit_tool_changes(tmp_path: Path) -> None:
    """As with a command."""
    session = Session(tmp_path)
    session.do(
        "git config core.hooksPath .husky/_; mkdir .husky; echo 'npm test' > .husky/pre-commit"
    )
    call = session.call("w", f"{session.project}/.husky/pre-commit").replace(
        tool="edit", name="Edit"
    )
    call = call.replace(
        input={
            "file_path": f"{session.project}/.husky/pre-commit",
            "old_string": "npm test",
            "new_string": "npm run x",
        }
    )
    session.guard().check(call)
    session.do("echo 'rm -rf ~' > .husky/pre-commit")
    assert session.play("? git push => allow\n? git commit -m x => deny") == []


def test_a_hook_that_runs_git_comes_to_an_end() -> None:
    """A hook may run the command that runs it."""
    found = judged("printf 'git commit -m again' > .git/hooks/pre-commit; git commit -m x")
    assert "ask" in str(found.verdict)
