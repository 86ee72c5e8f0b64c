"""What git does to a whole work tree it does to the guard's files in it: real repositories, judged
with the facts of the disk.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from tests.facts.repositories import ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision

SETTINGS = json.dumps(
    {
        "hooks": {
            "PreToolUse": [
                {"hooks": [{"command": "python3 -I -S /opt/interlock/hook.py claude-code check"}]}
            ]
        }
    }
)
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
        subprocess.run(
            ["sh", "-ec", script],
            cwd=self.project,
            env={**ENVIRONMENT, "HOME": str(self.home)},
            check=True,
            capture_output=True,
        )

    def judged(self, command: str, folder: str = "work/shop") -> Decision:
        """Judge a command in the project, or in another workspace at home."""
        root = str(self.home / folder)
        call = ToolCall(SHELL, "Bash", {"command": command}, root, (root,))
        return Guard(builtin(), ask=NATIVE, facts=Live(str(self.home))).check(call)

    def answers(self, command: str) -> str:
        """Return what the guard's own rule says of a command: ``deny``, ``ask``, or ``""`` where it
        says nothing.
        """
        said = [
            finding.effective for finding in self.judged(command).findings if finding.rule == RULE
        ]
        return str(max(said)) if said else ""


UNTRACKED = "git init -q; git add a.py; git commit -qm c; "
TRACKED = "git init -q; git add -A; git commit -qm c; git branch other; "
CHANGED = TRACKED + "echo ' ' >> .claude/settings.json"
IGNORED = "echo .claude > .gitignore; " + UNTRACKED.replace("a.py", "a.py .gitignore")
PLUGIN = (
    UNTRACKED + "rm -r .claude; mkdir -p .opencode/plugin; echo 1 > .opencode/plugin/interlock.js"
)
LINKED = UNTRACKED + "mv .claude/settings.json ../; ln -s ../../settings.json .claude/settings.json"
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
    (UNTRACKED, "git stash push -u -- '*.json'", "deny"),
    (UNTRACKED, "git stash push -u -- '*.py'", ""),
    (UNTRACKED, "git clean -fd -- '*.json'", "deny"),
    (UNTRACKED, "git-stash -u", "deny"),
    (UNTRACKED, "git-stash list", ""),
    # another version control has its own list of what is tracked
    (UNTRACKED + "mkdir .jj", "jj restore", "ask"),
    (UNTRACKED, "jj restore", ""),
    (UNTRACKED + "mkdir .jj", "jj log", ""),
    (UNTRACKED + "mkdir .bzr", "bzr revert", "ask"),
    (UNTRACKED, "bzr revert", ""),
    # what a search finds is changed
    (UNTRACKED, "find . -name '*.json' -exec sed -i s/a/b/ {} +", "ask"),
    (UNTRACKED, "find . -name '*.md' -exec sed -i s/a/b/ {} +", ""),
    (UNTRACKED, "grep -rl interlock . | xargs sed -i s/a/b/", "ask"),
    (UNTRACKED, "grep -rl frobnicate . | xargs sed -i s/a/b/", ""),
    (UNTRACKED, "rg -l interlock . | xargs sed -i s/a/b/", ""),
    (UNTRACKED, "rg --hidden -l interlock . | xargs sed -i s/a/b/", "ask"),
    # what a program is handed that is not known to only read
    (UNTRACKED, "frobnicate .claude", "ask"),
    (UNTRACKED, "frobnicate .claude/*", "ask"),
    (UNTRACKED, "frobnicate .", ""),
    (UNTRACKED, "ls .claude", ""),
    (UNTRACKED, "du -sh .claude", ""),
    (UNTRACKED, "git clean -n", ""),
    (UNTRACKED, "git checkout other", ""),
    (UNTRACKED, "git pull", ""),
    (UNTRACKED, "git reset --hard", ""),
    (UNTRACKED, "git stash list", ""),
    (UNTRACKED, "echo 2 > b.py; git stash", ""),
    (UNTRACKED, "echo 2 > b.py && git add b.py && git commit -m b && git pull", ""),
    (UNTRACKED, "echo 2 > a.py; git checkout other", ""),
    (UNTRACKED, "git -c user.name=x commit -am b && git stash", ""),
    (UNTRACKED, "git add . && git commit -m b && git pull", "ask"),
    (UNTRACKED, "sh -c 'git add --all' && git stash", "ask"),
    (UNTRACKED, "git update-index --add .claude/settings.json && git stash", "ask"),
    (UNTRACKED, "git rm -rf .", ""),
    # ignored
    (IGNORED, "git stash -a", "deny"),
    (IGNORED, "git clean -fdx", "deny"),
    (IGNORED, "git clean -fdX", "deny"),
    (IGNORED, "git stash -u", ""),
    (IGNORED, "git clean -fd", ""),
    (IGNORED, "git add -A && git commit -m b && git pull", ""),
    (IGNORED, "echo 2 > b.py && git stash -u", ""),
    (IGNORED, "git add -f .claude && git stash", "ask"),
    (IGNORED, "echo > .gitignore && git clean -fd", "ask"),
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
    (TRACKED, "echo 2 > b.py; git add -A; git stash", ""),
    (TRACKED, "git checkout HEAD -- .", ""),
    (TRACKED, "git restore -s HEAD .", ""),
    (TRACKED, "git reset --hard @", ""),
    (TRACKED, "git reset -q && git stash -u", ""),
    (TRACKED, "git rm -q a.py && git stash -u", ""),
    (TRACKED, "git rm -r --cached .; git stash -u", "ask"),
    (TRACKED, "git reset HEAD~1 && git clean -fd", "ask"),
    (TRACKED, "git reset --soft HEAD~1; git stash", "ask"),
    (TRACKED, "git rm -r .", "deny"),
    (TRACKED, "git rm -rf .claude", "deny"),
    (TRACKED, "git rm -r --cached .claude", ""),
    (TRACKED, "git sparse-checkout set src", "ask"),
    (TRACKED, "git sparse-checkout list", ""),
    (TRACKED, "git read-tree -m -u other", "ask"),
    (TRACKED, "git read-tree -m other", ""),
    # HEAD is another commit by now; and what nobody lists may change the work tree
    (TRACKED, "git symbolic-ref HEAD refs/heads/other && git reset --hard", "ask"),
    (TRACKED, "git update-ref HEAD other && git stash", "ask"),
    (TRACKED, "git symbolic-ref --short HEAD && git stash", ""),
    (TRACKED, "git subtree pull --prefix=x y z", "ask"),
    (TRACKED, "git subtree split --prefix=x", ""),
    (TRACKED, "git flow feature start x", "ask"),
    (TRACKED, "git svn rebase", "ask"),
    (TRACKED, "git svn info", ""),
    (TRACKED, "git lfs pull", ""),
    (TRACKED, "git submodule update --init", ""),
    # tracked and changed: taken back
    (CHANGED, "git stash", "deny"),
    (CHANGED, "git reset --hard", "deny"),
    (CHANGED, "git checkout .", "deny"),
    (CHANGED, "git restore .", "deny"),
    (CHANGED, "git checkout -f other", "deny"),
    (CHANGED, "git stash push -- a.py", ""),
    (CHANGED, "git reset", ""),
    (CHANGED, "git commit -qam x && git stash", "ask"),
    (CHANGED, "git checkout HEAD -- .", "deny"),
    (CHANGED, "echo 2 > a.py; git checkout .", "deny"),
    # a client's plugin is a file in a folder of anybody's
    (PLUGIN, "git stash -u", "deny"),
    (PLUGIN, "git clean -fd .opencode", "deny"),
    (PLUGIN, "git stash", ""),
    # settings behind a link, as people keep them who have their dotfiles in a repository
    (LINKED, "git stash -u", "deny"),
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
def test_the_guards_files_in_a_work_tree(
    tmp_path: Path, script: str, command: str, expected: str
) -> None:
    """Denied where git's own data show that one is changed, asked about where they do not tell, and
    no word where none is.
    """
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

MEMBER = "mkdir -p t/.claude t/src; echo '{}' > t/.claude/settings.json; echo 1 > t/src/a; "
OURS, OTHERS = MEMBER + "tar cf x.tar -C t .claude", MEMBER + "tar cf x.tar -C t src"
ZIPPED, OTHER_ZIP = (
    MEMBER + "cd t; python3 -m zipfile -c ../x.zip .claude",
    MEMBER + "cd t; python3 -m zipfile -c ../x.zip src",
)
ABSENT = "rm -r .claude; "
HOOK = "git init -q; mkdir -p t/.git/hooks; echo 1 > t/.git/hooks/{}; tar cf x.tar -C t ."
ARCHIVES = [
    (OURS, "tar xf x.tar", "deny"),
    (OTHERS, "tar xf x.tar", ""),
    (MEMBER + "tar czf x.tgz -C t .claude", "tar xzf x.tgz", "deny"),
    (MEMBER + "tar cjf x.tbz -C t .claude", "tar -x -f x.tbz", "deny"),
    (MEMBER + "tar cJf x.txz -C t .claude", "bsdtar -xf x.txz", "deny"),
    (MEMBER + "tar czf x.tgz -C t src", "tar xzf x.tgz", ""),
    (MEMBER + "tar cf x.tar t", "tar xf x.tar", ""),
    (MEMBER + "tar cf x.tar t", "tar xf x.tar --strip-components=1", "deny"),
    (MEMBER + "tar cf x.tar t", "tar xf x.tar --strip-components=2", ""),
    (OURS, "tar xf x.tar -C src", "ask"),
    (ABSENT + OURS, "tar xf x.tar", "ask"),
    (OURS, "tar tf x.tar", ""),
    (MEMBER + "tar cf x.tar -C t .", "tar xf x.tar ./src", ""),
    (MEMBER + "tar cf x.tar -C t .", "tar xf x.tar ./.claude", "deny"),
    (MEMBER + "cd t; python3 -m zipfile -c ../x.zip .claude src", "unzip -o x.zip 'src/*'", ""),
    (
        MEMBER + "cd t; python3 -m zipfile -c ../x.zip .claude src",
        "unzip -o x.zip '*.json'",
        "deny",
    ),
    (OURS, "python3 -c \"import tarfile; tarfile.open('x.tar').extract('src/a')\"", ""),
    (ZIPPED, "7z x x.zip", "deny"),
    (OTHER_ZIP, "7z x x.zip", ""),
    (ZIPPED, "unar x.zip", "deny"),
    (OTHER_ZIP, "unar x.zip", ""),
    (ZIPPED, "ditto -xk x.zip .", "deny"),
    (OURS, "pax -r -f x.tar", "deny"),
    (OTHERS, "pax -r -f x.tar", ""),
    (MEMBER, "cd t && cp --parents .claude/settings.json ..", "deny"),
    (MEMBER, "cd t && cp --parents src/a ..", ""),
    (MEMBER, "cd t && find . | cpio -pdm ..", "ask"),
    (MEMBER, "cd t && find . | cpio -pdm ../new", ""),
    (MEMBER, "cp -rT t .", "deny"),
    (MEMBER, "find t -maxdepth 1 -name '.c*' -exec cp -r {} . ';'", "ask"),
    (OURS, "tar xf x.tar --transform s,x,y,", "ask"),
    (ZIPPED, "unzip -o x.zip", "deny"),
    (OTHER_ZIP, "unzip -o x.zip", ""),
    (ZIPPED, "unzip -l x.zip", ""),
    (ZIPPED, "python3 -m zipfile -e x.zip .", "deny"),
    (OTHER_ZIP, "python3 -m zipfile -e x.zip .", ""),
    (ZIPPED, "python3 -c \"import zipfile; zipfile.ZipFile('x.zip').extractall()\"", "deny"),
    (OTHER_ZIP, "python3 -c \"import zipfile; zipfile.ZipFile('x.zip').extractall()\"", ""),
    (ZIPPED, "python3 -c \"import shutil; shutil.unpack_archive('x.zip', '.')\"", "deny"),
    (OURS, "python3 -c \"import tarfile; tarfile.open('x.tar').extractall()\"", "deny"),
    (OTHERS, "python3 -c \"import tarfile; tarfile.open('x.tar').extractall()\"", ""),
    (MEMBER, "python3 -c \"import shutil; shutil.copytree('t', '.', dirs_exist_ok=True)\"", "deny"),
    (
        MEMBER,
        "python3 -c \"import shutil; shutil.copytree('t/src', 'src', dirs_exist_ok=True)\"",
        "",
    ),
    (MEMBER, "node -e \"require('fs').cpSync('t', '.', {recursive: true})\"", "deny"),
    (MEMBER, "node -e \"require('fs').cpSync('t/src', 'src', {recursive: true})\"", ""),
    # what is in a pipe, or is not there yet, is not known; it is asked about where one of ours lies
    (MEMBER, "tar c -C t . | tar x", "ask"),
    (ABSENT + MEMBER, "tar c -C t . | tar x", ""),
    ("", "curl -sL https://example.com/x.tgz | tar xz", "ask"),
    ("", "curl -sL https://example.com/x.tgz | tar xz -C vendor", ""),
    ("", "curl -sLO https://example.com/x.tgz && tar xzf x.tgz", "ask"),
    ("", "git clone https://example.com/t t && cp -r t/. .", "ask"),
    ("", "git clone https://example.com/t t && cp -r t/src src", ""),
    (OTHERS, "tar xf x.tar -C t && cp -r t/. .", "ask"),
    ("", "echo 1 > out.json && mv out.json .", ""),
    ("", "rsync -a host.test:tmpl/ ./", "ask"),
    ("", "rsync -a host.test:tmpl/ vendor/", ""),
    ("", "scp -r host.test:tmpl/. .", "ask"),
    ("", "scp host.test:a.txt .", ""),
    ("", "aws s3 sync s3://b .", "ask"),
    ("", "aws s3 cp s3://b/a.txt .", ""),
    ("", "rclone copy r:b .", "ask"),
    ("", "docker cp c:/x/. .", "ask"),
    ("", "docker cp c:/x/a.txt .", ""),
    ("", "npx degit user/repo . --force", "ask"),
    ("", "degit user/repo --force", "ask"),
    ("", "degit user/repo vendor", ""),
    (ABSENT, "degit user/repo . --force", ""),
    ("", "npx tiged gitlab:user/repo .", "ask"),
    ("", "npx giget gh:user/repo . --force", "ask"),
    ("", "npx giget gh:user/repo", ""),
    ("", "copier copy gh:a/b .", "ask"),
    (TEMPLATE, "copier copy ./tmpl .", "deny"),
    (TEMPLATE, "copier copy ./plain .", ""),
    (TEMPLATE, 'perl -MFile::Copy::Recursive=dircopy -e \'dircopy("tmpl", ".")\'', "deny"),
    (
        TEMPLATE,
        'perl -MFile::Copy::Recursive -e \'File::Copy::Recursive::rcopy("tmpl", ".")\'',
        "deny",
    ),
    (TEMPLATE, 'perl -e \'use File::Copy::Recursive qw(dircopy); dircopy "tmpl", "."\'', "deny"),
    (TEMPLATE, 'perl -MFile::Copy::Recursive=dircopy -e \'dircopy("plain", ".")\'', ""),
    (TEMPLATE, "perl -e 'print \"dircopy(tmpl, .)\"'", ""),
    # all of a folder
    ("", "rm -rf .", "ask"),
    ("", "rm -rf ~/work/shop", "ask"),
    ("", "mv ../shop ../other", "ask"),
    ("mkdir src", "rm -rf src", ""),
    (
        "mkdir -p node_modules/x/.claude; cp .claude/settings.json node_modules/x/.claude",
        "rm -rf node_modules",
        "",
    ),
    # other version controls, and what puts a tree of links into the home
    ("", "hg update", "ask"),
    ("", "hg log", ""),
    (ABSENT, "hg update", ""),
    ("", "svn switch ^/branches/x", "ask"),
    ("", "svn status", ""),
    (TRACKED, "jj new main", "ask"),
    (UNTRACKED, "jj new main", ""),
    ("", "yadm checkout other", "ask"),
    ("", "yadm status", ""),
    (MEMBER, "stow -t ~ t", "deny"),
    ("mkdir -p t/.config/nvim", "stow -t ~ t", ""),
]


@pytest.mark.parametrize(("script", "command", "expected"), ARCHIVES)
def test_what_comes_out_of_an_archive_and_goes_with_a_folder(
    tmp_path: Path, script: str, command: str, expected: str
) -> None:
    """Archives are looked into; what cannot be looked into is possible where a file of the guard's
    lies, and not spoken of elsewhere.
    """
    assert Place(tmp_path, script).answers(command) == expected


@pytest.mark.parametrize(
    ("name", "asked"), [("pre-commit", True), ("pre-commit.sample", False), ("notes", False)]
)
def test_a_hook_that_comes_out_of_an_archive(tmp_path: Path, name: str, asked: bool) -> None:
    """It runs at the next commit; a sample does not."""
    decision = Place(tmp_path, ABSENT + HOOK.format(name)).judged("tar xf x.tar")
    assert ("fs.write-persistence" in {finding.rule for finding in decision.findings}) is asked


@pytest.mark.parametrize(("script", "command", "expected"), BROUGHT)
def test_what_comes_with_a_tree_or_a_patch(
    tmp_path: Path, script: str, command: str, expected: str
) -> None:
    """A copy, a move and a patch that bring a file of the guard's are writes of it, over ours
    certain; others are not spoken of.
    """
    assert Place(tmp_path, script).answers(command) == expected


@pytest.mark.parametrize(
    "command",
    sorted({command for _, command, _ in ROWS if "~" not in command and "HOME" not in command}),
)
def test_a_repository_without_them_is_not_spoken_of(tmp_path: Path, command: str) -> None:
    """Settings of a client that do not name interlock are anybody's."""
    place = Place(tmp_path)
    (place.project / ".claude/settings.json").write_text('{"model": "opus"}', encoding="utf-8")
    place.run(UNTRACKED)
    assert place.answers(command.replace(".claude", "src")) == ""
