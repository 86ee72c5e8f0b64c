"""The scripts around the code: what a person with a bare machine, and a machine that judges, are
told.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("sh", "bash", "dirname", "mktemp", "mkdir", "tee", "grep", "rm")
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="make and sh are not what Windows builds with"
)


def program(folder: Path, name: str, body: str) -> None:
    """Put a little shell program on a path."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Make a folder of programs with a shell and little else, no Python and no make."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, tool
        (folder / tool).symlink_to(found)
    return folder


def run(
    script: Path, bare: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a script where only the bare programs are found."""
    environment = {"PATH": str(bare), **variables}
    return subprocess.run(
        ["/bin/bash", str(script), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=bare,
    )


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("", "needs Python 3.11 or newer"),
        ('case "$*" in *version_info\\ *) exit 1;; esac', "needs Python 3.11 or newer"),
        (
            'case "$*" in *ensurepip*) exit 1;; *"%d.%d"*) echo 3.13;; esac',
            "apt-get install python3.13-venv",
        ),
    ],
    ids=["none", "too old", "without venv"],
)
def test_a_missing_python_is_one_sentence(
    bare: Path, tmp_path: Path, python: str, said: str
) -> None:
    """Without a Python that can do it, no environment is made, and one line says what to
    install.
    """
    if python:
        program(bare, "python3", python)
    done = run(ROOT / "scripts" / "venv.sh", bare, str(tmp_path / "venv"))
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_python_that_can_is_used(bare: Path, tmp_path: Path) -> None:
    """A Python that is new enough is asked for the environment, and its name is told."""
    program(
        bare,
        "python3",
        'case "$*" in --version) echo Python 3.12.1;; *-m\\ venv*) echo made "$@";; esac',
    )
    done = run(ROOT / "scripts" / "venv.sh", bare, str(tmp_path / "venv"))
    assert done.returncode == 0
    assert "Python 3.12.1" in done.stdout
    assert f"made -m venv --clear {tmp_path / 'venv'}" in done.stdout


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ("echo '===== 12 passed, 1 skipped in 3.00s ====='", 0),
        ("echo '===== 3 skipped in 0.01s ====='", 1),
        ("echo '===== no tests ran in 0.01s ====='", 1),
        ("echo '===== 12 passed in 3.00s ====='; exit 2", 2),
        ("true", 1),
    ],
    ids=["passed", "only skipped", "none found", "failed later", "silent"],
)
def test_a_run_without_tests_is_no_success(
    bare: Path, tmp_path: Path, made: str, code: int
) -> None:
    """What a machine runs succeeds only where ``make test`` did and some test passed."""
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "run"
    shutil.copy(ROOT / ".ci" / "run", script)
    program(bare, "make", made)
    assert run(script, bare).returncode == code


@pytest.mark.parametrize("place", [str(number) for number in range(6)])
def test_a_machine_tests_the_last_commit_where_nobody_planned_it(
    bare: Path, tmp_path: Path, place: str
) -> None:
    """In a clone that lies elsewhere and is gone afterwards; ``PLACE=here`` tests what lies
    here.
    """
    git = shutil.which("git") or pytest.skip(
        "git is not installed; to run this: sudo apt-get install git"
    )
    (bare / "git").symlink_to(git)
    source = tmp_path / "source"
    (source / ".ci").mkdir(parents=True)
    script = source / ".ci" / "run"
    shutil.copy(ROOT / ".ci" / "run", script)
    own = ("-c", "user.name=x", "-c", "user.email=x@x.test")
    for words in (("init", "-q"), ("add", "."), (*own, "commit", "-qm", "x")):
        subprocess.run(
            [git, *words], cwd=source, check=True, env={"PATH": os.defpath, "HOME": str(tmp_path)}
        )
    program(
        bare, "make", f'pwd; echo "1 passed"; test -f .ci/run; test "$PWD" != {source} || : > here'
    )
    variables = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = run(script, bare, PLACE=place, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    where = Path(done.stdout.splitlines()[-2])
    assert where != source
    assert not where.parent.exists()
    assert not (source / "here").exists()
    assert run(script, bare, PLACE="here", **variables).returncode == 0
    assert (source / "here").exists()
