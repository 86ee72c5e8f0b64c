"""Real repositories for tests, made with git in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": "t@example.test"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}

MADE = """
git init -q --bare -b main ../remote.git
git init -q -b main
git remote add origin ../remote.git
mkdir -p src/deep
printf 'one\\n' | tee src/a.py src/deep/b.py > top.txt
printf 'build/\\n*.log\\n' > .gitignore
git add -A; git commit -qm c1; git tag v1; git branch merged; git push -q origin main merged
git checkout -qb topic
echo 1 > topic.txt; git add -A; git commit -qm t1
echo 2 > topic.txt; git add -A; git commit -qm t2
git push -q origin topic:theirs; git checkout -q main
git checkout -q --detach; echo lone > lone.txt; git add -A; git commit -qm lone; git tag -am lone lone; git checkout -q main
echo two > top.txt; git commit -qam c2
echo three > src/c.py; git add -A; git commit -qm c3
git checkout -qb mine merged
echo 3 > mine.txt; git add -A; git commit -qm m1
echo 4 > mine.txt; git add -A; git commit -qm m2
git checkout -q main
echo s1 > top.txt; git stash -q; echo s2 > top.txt; git stash -q
mkdir build; printf '0123456789' > build/out.o; echo log > debug.log
"""
"""main is two commits ahead of its remote, mine holds two that nothing else has, topic is pushed as
theirs; two stashes, a tag on its own.
"""


def run(script: str, folder: Path) -> None:
    """Run a script of a test in a folder."""
    subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env={**ENVIRONMENT, "HOME": str(folder.parent)},
        check=True,
        capture_output=True,
    )


def made(folder: Path) -> Path:
    """Make the repository above in ``folder/w`` and return its top."""
    top = folder.resolve() / "w"
    top.mkdir(parents=True)
    run(MADE, top)
    return top


def copied(top: Path, folder: Path) -> Path:
    """Return a copy of a repository and of what lies beside it."""
    shutil.copytree(top.parent, folder.resolve() / "copy", symlinks=True)
    return folder.resolve() / "copy" / top.name
