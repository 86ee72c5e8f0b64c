"""What git does to a whole work tree it does to the guard's files in it: real repositories, judged with the facts of the disk."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.organs import NATIVE
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from tests.facts.repositories import ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"command": "python3 -I -S /opt/interlock/hook.py claude-code check"}]}]}})
RULE = "guard.change-files"


class Place:
    """A home with a project in it; a script of a test makes the repositories."""

    def __init__(self, top: Path, script: str = "") -> None:
        self.home = top.resolve() / "home"
        self.project = self.home / "work/shop"
        for folder in (self.home / ".claude", self.project / ".claude"):
            folder.mkdir(parents=True)
            (folder / "settings.json").write_text(SETTINGS, encoding="utf-8")
        (self.home / ".config/interlock").mkdir(parents=True)
        (self.home / ".config/interlock/policy.yaml").write_text("version: 1\n", encoding="utf-8")
        (self.project / "a.py").write_text("1\n", encoding="utf-8")
        if script:
            self.run(script)

    def run(self, script: str) -> None:
        """Run a script in the project, at home."""
        subprocess.run(["sh", "-ec", script], cwd=self.project, env={**ENVIRONMENT, "HOME": str(self.home)}, check=True, capture_output=True)

    def answers(self, command: str) -> str:
        """Return what the guard's own rule says of a command: ``deny``, ``ask``, or ``""`` where it says nothing."""
        root = str(self.project)
        call = ToolCall(SHELL, "Bash", {"command": command}, root, (root,))
        decision = Guard(builtin(), ask=NATIVE, facts=Live(str(self.home))).check(call)
        said = [finding.effective for finding in decision.findings if finding.rule == RULE]
        return str(max(said)) if said else ""


UNTRACKED = "git init -q; git add a.py; git commit -qm c; "
TRACKED = "git init -q; git add -A; git commit -qm c; git branch other; "
CHANGED = TRACKED + "echo ' ' >> .claude/settings.json"
IGNORED = "echo .claude > .gitignore; " + UNTRACKED.replace("a.py", "a.py .gitignore")
ROWS: list[tuple[str, str, str]] = [
    # not tracked: goes with what takes such files, and with nothing else
    (UNTRACKED, "git stash -u", "deny"),
    (UNTRACKED, "git stash --include-untracked -q", "deny"),
    (UNTRACKED, "git stash push -u -m x", "deny"),
    (UNTRACKED, "git stash push -u -- .claude", "deny"),
    (UNTRACKED, "git stash -a", "deny"),
    (UNTRACKED, "git clean -fd", "deny"),
    (UNTRACKED, "git clean -fdx", "deny"),
    (UNTRACKED, "git clean -fd .claude", "deny"),
    (UNTRACKED, "git add -A; git stash", "ask"),
    (UNTRACKED, "git stash", ""),
    (UNTRACKED, "git stash push -u -- a.py", ""),
    (UNTRACKED, "git clean -n", ""),
    (UNTRACKED, "git checkout other", ""),
    (UNTRACKED, "git pull", ""),
    (UNTRACKED, "git reset --hard", ""),
    (UNTRACKED, "git stash list", ""),
    # ignored
    (IGNORED, "git stash -a", "deny"),
    (IGNORED, "git clean -fdx", "deny"),
    (IGNORED, "git clean -fdX", "deny"),
    (IGNORED, "git stash -u", ""),
    (IGNORED, "git clean -fd", ""),
    # tracked, as it was committed: another commit may hold another
    (TRACKED, "git checkout other", "ask"),
    (TRACKED, "git checkout HEAD~1 -- .claude", "ask"),
    (TRACKED, "git switch --detach other", "ask"),
    (TRACKED, "git reset --hard HEAD~1", "ask"),
    (TRACKED, "git merge other", "ask"),
    (TRACKED, "git pull", "ask"),
    (TRACKED, "git revert HEAD", "ask"),
    (TRACKED, "git cherry-pick other", "ask"),
    (TRACKED, "git rebase other", "ask"),
    (TRACKED, "git restore -s HEAD~1 .", "ask"),
    (TRACKED, "git stash", ""),
    (TRACKED, "git reset --hard", ""),
    (TRACKED, "git checkout -b new", ""),
    (TRACKED, "git switch -c new", ""),
    (TRACKED, "git checkout a.py", ""),
    (TRACKED, "git checkout HEAD~1 -- a.py", ""),
    (TRACKED, "git restore .", ""),
    (TRACKED, "git commit -qam x", ""),
    (TRACKED, "git fetch", ""),
    # tracked and changed: taken back
    (CHANGED, "git stash", "deny"),
    (CHANGED, "git reset --hard", "deny"),
    (CHANGED, "git checkout .", "deny"),
    (CHANGED, "git restore .", "deny"),
    (CHANGED, "git checkout -f other", "deny"),
    (CHANGED, "git stash push -- a.py", ""),
    (CHANGED, "git reset", ""),
    # the home, or a folder of the guard's own, is the work tree
    ("cd ~/.claude; git init -q; git commit -q --allow-empty -m x", "git -C ~/.claude stash -u -q", "deny"),
    ("cd ~/.claude; git init -q; git commit -q --allow-empty -m x", "cd ~/.claude && git stash -u", "deny"),
    ("cd ~/.claude; git init -q; git commit -q --allow-empty -m x", "git --work-tree=$HOME/.claude stash -u", "ask"),
    ("cd ~/.claude; git init -q; git commit -q --allow-empty -m x", "GIT_WORK_TREE=~/.claude git stash -u", "ask"),
    ("cd ~/.config/interlock; git init -q; git commit -q --allow-empty -m x", "git -C ~/.config/interlock stash -u", "deny"),
    ("cd; git init -q; git add .claude; git commit -q -m x", "cd ~ && git clean -fd .config", "deny"),
    ("", "git -C ~/.claude init -q && git -C ~/.claude commit -q --allow-empty -m x && git -C ~/.claude stash -u", "ask"),
    ("", "cd ~ && git init && git stash -u", "ask"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "command", "expected"), ROWS)
def test_the_guards_files_in_a_work_tree(tmp_path: Path, script: str, command: str, expected: str) -> None:
    """Denied where git's own data show that one is changed, asked about where they do not tell, and no word where none is."""
    assert Place(tmp_path, script).answers(command) == expected


TEMPLATE = "mkdir -p tmpl/.claude tmpl/src plain/src; echo '{}' > tmpl/.claude/settings.json; echo 1 > plain/src/a; "
DIFF = "--- a/.claude/settings.json\\n+++ b/.claude/settings.json\\n@@ -1 +1 @@\\n-a\\n+b\\n"
PATCH = f"printf -- '{DIFF}' > p.diff; sed s,.claude/settings.json,a.py, p.diff > ok.diff"
BROUGHT = [
    (TEMPLATE, "cp -a tmpl/.claude .", "deny"),
    (TEMPLATE, "cp -r tmpl/. .", "deny"),
    (TEMPLATE, "cp -r tmpl/.c* .", "deny"),
    (TEMPLATE, "mv tmpl/.claude .", "deny"),
    (TEMPLATE, "rsync -a tmpl/ ./", "deny"),
    (TEMPLATE, "cp -r tmpl new", "ask"),
    (TEMPLATE, "cp -r plain/. .", ""),
    (TEMPLATE, "cp -r tmpl/src new", ""),
    (TEMPLATE, "rsync -a plain/ ./", ""),
    (TEMPLATE, "mv plain/src new", ""),
    (PATCH, "patch -p1 < p.diff", "deny"),
    (PATCH, "cat p.diff | patch -p1", "deny"),
    (PATCH, "git apply < p.diff", "deny"),
    (PATCH, "git apply p.diff", "deny"),
    (PATCH, "patch -p1 < ok.diff", ""),
    (PATCH, "git apply < ok.diff", ""),
]


@pytest.mark.parametrize(("script", "command", "expected"), BROUGHT)
def test_what_comes_with_a_tree_or_a_patch(tmp_path: Path, script: str, command: str, expected: str) -> None:
    """A copy, a move and a patch that bring a file of the guard's are writes of it, over ours certain; others are not spoken of."""
    assert Place(tmp_path, script).answers(command) == expected


@pytest.mark.parametrize("command", sorted({command for _, command, _ in ROWS if "~" not in command and "HOME" not in command}))
def test_a_repository_without_them_is_not_spoken_of(tmp_path: Path, command: str) -> None:
    """Settings of a client that do not name interlock are anybody's."""
    place = Place(tmp_path)
    (place.project / ".claude/settings.json").write_text('{"model": "opus"}', encoding="utf-8")
    place.run(UNTRACKED)
    assert place.answers(command.replace(".claude", "src")) == ""
