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
ELSEWHERE = [
    # other languages: what a program says, and the command that it is
    ("""node -e "require('simple-git')().push(['--force','origin','main'])\"""", "git push --force origin main"),
    ("""node -e "require('simple-git')().raw(['push','origin','+HEAD:main'])\"""", "git push origin +HEAD:main"),
    ("""node -e "require('simple-git')().reset('hard')\"""", "git reset --hard"),
    ("""node -e "require('simple-git')().clean('fdx')\"""", "git clean -fdx"),
    ("""node -e "require('simple-git')().deleteLocalBranch('old',true)\"""", "git branch -D old"),
    ("""node -e "require('simple-git')('/home/user/other').push('origin','main')\"""", "git -C /home/user/other push origin main"),
    ("""node -e "require('isomorphic-git').push({dir:'.',ref:'main',force:true})\"""", "git push --force origin main"),
    ("""node -e "require('isomorphic-git').deleteBranch({dir:'.',ref:'old'})\"""", "git branch -D old"),
    ("""node -e "require('nodegit').Reset.reset(r,c,NodeGit.Reset.TYPE.HARD)\"""", "git reset --hard"),
    ("""ruby -e 'Rugged::Repository.new(".").reset("HEAD~4", :hard)'""", "git reset --hard HEAD~4"),
    ("""ruby -e 'Rugged::Repository.new(".").remotes["origin"].push(["+x:main"])'""", "git push origin +x:main"),
    ("""ruby -e 'Rugged::Repository.new(".").branches.delete("old")'""", "git branch -D old"),
    ("""ruby -e 'Git.open(".").push("origin","main",force: true)'""", "git push --force origin main"),
    ("""ruby -e 'Git.open(".").reset_hard("HEAD~3")'""", "git reset --hard HEAD~3"),
    ("""python3 -c "from dulwich.repo import Repo; del Repo('.').refs[b'refs/heads/x']\"""", "git update-ref -d refs/heads/x"),
    ("cat > x.go <<'E'\npackage main\nfunc main() { r, _ := git.PlainOpen(\".\"); r.Push(&git.PushOptions{Force: true}) }\nE\ngo run x.go", "git push --force origin"),
    ("cat > x.go <<'E'\npackage main\nfunc main() { r, _ := git.PlainOpen(\".\"); w, _ := r.Worktree(); w.Reset(&git.ResetOptions{Mode: git.HardReset}) }\nE\ngo run x.go", "git reset --hard"),
]  # fmt: skip
QUIET = (
    """node -e "require('simple-git')().status().then(s=>console.log(s))\"""",
    """node -e "require('simple-git')().log({maxCount:5})\"""",
    """node -e "require('isomorphic-git').log({dir:'.',depth:3})\"""",
    """ruby -e 'puts Rugged::Repository.new(".").head.name'""",
    """ruby -e 'Git.open(".").log.each { |c| puts c }'""",
    """python3 -c "d = {'a': 1}; del d['a']\"""",
)


@pytest.mark.parametrize(("program", "command"), ELSEWHERE)
def test_another_language_is_judged_as_the_command(program: str, command: str) -> None:
    """By the same rules of git's, whoever calls it."""
    found = {rule for rule in rules_of(decided(shell(program))) if rule.startswith("git.")}
    assert (
        found
        == {rule for rule in rules_of(decided(shell(command))) if rule.startswith("git.")}
        != set()
    )


@pytest.mark.parametrize("program", QUIET)
def test_looking_in_another_language_is_quiet(program: str) -> None:
    """No rule of git's speaks."""
    assert not [rule for rule in rules_of(decided(shell(program))) if rule.startswith("git.")]


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
