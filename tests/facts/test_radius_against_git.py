"""The figures of what would be lost, compared with what git itself says of the same
repositories.
"""

from __future__ import annotations

import os
import random
import subprocess
from typing import TYPE_CHECKING

import pytest

from interlock.facts import Live
from interlock.model.radius import ALL, BRANCHES, CHANGED, IGNORED, UNTRACKED, Radius, Stake
from tests.facts.repositories import ENVIRONMENT, copied, made, run

if TYPE_CHECKING:
    from pathlib import Path


def git(top: Path, *words: str, given: str = "") -> list[str]:
    """Run git and return the lines, or the parts between zeros, that it prints."""
    environment = {**ENVIRONMENT, "HOME": str(top.parent)}
    done = subprocess.run(
        ["git", *words],
        cwd=top,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        input=given,
    )
    return [part for part in done.stdout.replace("\0", "\n").split("\n") if part]


def graph(chance: random.Random, commits: int) -> str:
    """Return the words of git-fast-import(1) for a random history: several commits a second, and
    some older than their parents.
    """
    lines, times = [], [1_700_000_000]
    for number in range(1, commits + 1):
        parents = sorted(
            chance.sample(range(1, number), min(number - 1, chance.choice((0, 1, 1, 1, 1, 2, 3))))
        )
        times.append(
            max(times[parent] for parent in [*parents, 0]) + chance.choice((0, 0, 1, 5, -20))
        )
        lines += [] if parents else ["reset refs/heads/all", ""]
        lines += [
            "commit refs/heads/all",
            f"mark :{number}",
            f"committer t <t@example.test> {times[-1]} +0000",
            f"data {len(str(number))}",
            str(number),
        ]
        lines += [f"{'merge' if at else 'from'} :{parent}" for at, parent in enumerate(parents)]
        lines.append("")
    for kind in ("heads/a", "heads/b", "heads/c", "remotes/origin/a", "remotes/origin/b", "tags/t"):
        lines += [f"reset refs/{kind}", f"from :{chance.randint(1, commits)}", ""]
    return "\n".join([*lines, "reset refs/heads/all", f"from :{commits}", "", "done", ""])


@pytest.mark.parametrize("seed", range(20))
def test_commits_that_only_a_branch_has(tmp_path: Path, seed: int) -> None:
    """For every branch of a random history as many commits go with it as git counts: in none of the
    other refs, loose or packed.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    top = tmp_path.resolve() / "w"
    top.mkdir()
    git(top, "init", "-q", "-b", "c")
    git(top, "fast-import", "--quiet", "--done", given=graph(chance, 40))
    if seed % 2:
        git(top, "gc", "-q")
    for some in (["a"], ["b"], ["all"], ["a", "b"], ["a", "b", "all"]):
        others = [f"--exclude=refs/heads/{name}" for name in some]
        going = set(git(top, "rev-list", *[f"refs/heads/{name}" for name in some]))
        lost = going - set(git(top, "rev-list", *others, "--all"))
        assert Live("/x").radius((Stake(str(top), BRANCHES, tuple(some)),)) == Radius(
            commits=len(lost)
        )


CHANGES = (
    "echo x >> src/a.py",
    "echo x > src/deep/b.py; git add -A",
    "rm -f src/c.py",
    "git rm -qf --ignore-unmatch src/deep/b.py",
    "git rm -q --cached --ignore-unmatch top.txt",
    "mkdir -p new/deep; echo n > new/deep/n; echo n > 'new/a b'",
    "echo n > new.log; mkdir -p src/build; echo o > src/build/o",
    "mkdir -p build; echo o > build/o; git add -f build/o",
    "ln -sf src/a.py link; git add link",
    "git mv src/a.py src/moved.py",
    "touch src/a.py top.txt",
    "chmod +x top.txt",
    "git add -A; git commit -qm more",
    "git stash -q",
    "echo n > src/n; git add src/n; echo m >> src/n",
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the repository that all tests copy."""
    return made(tmp_path_factory.mktemp("repositories"))


@pytest.mark.parametrize("seed", range(25))
def test_states_of_files(original: Path, tmp_path: Path, seed: int) -> None:
    """After any changes every file counts as what git calls it: as HEAD has it, changed, untracked
    or ignored.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    top = copied(original, tmp_path)
    for change in chance.choices(CHANGES, k=6):
        run(f"({change}) || :", top)
    tracked = set(git(top, "ls-files", "-z"))
    differing = set(git(top, "diff", "--name-only", "-z", "--no-renames", "HEAD"))
    ignored = set(git(top, "ls-files", "-o", "-i", "--exclude-standard", "-z"))
    untracked = set(git(top, "ls-files", "-o", "--exclude-standard", "-z"))
    staged = set(git(top, "diff", "--name-only", "-z", "--no-renames", "--cached"))
    here = {name for name in tracked if os.path.lexists(top / name)}
    differing |= staged
    expected = (len(here - differing), len(here & differing), len(untracked), len(ignored))

    def said(radius: Radius) -> tuple[int, int, int, int]:
        return radius.committed, radius.changed, radius.untracked, radius.ignored

    def ask(what: str) -> Radius:
        return Live("/x").radius((Stake(str(top), what),))

    assert said(ask(ALL)) == expected
    assert said(ask(UNTRACKED)) == (0, 0, len(untracked), 0)
    assert said(ask(IGNORED)) == (0, 0, 0, len(ignored))
    assert ask(CHANGED).changed == len((here & differing) | (tracked & staged))
