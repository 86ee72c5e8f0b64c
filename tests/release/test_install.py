"""``make install``: interlock for whoever runs it, apart from all else, and again for a newer
version.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def installed(home: Path, *path: str) -> subprocess.CompletedProcess[str]:
    """Run it in a home of its own."""
    environment = {
        "HOME": str(home),
        "PATH": ":".join([*path, "/usr/local/bin:/usr/bin:/bin"]),
        "LANG": "C.UTF-8",
    }
    return subprocess.run(
        ["/bin/sh", "scripts/install.sh"],
        cwd=TOP,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_program_that_is_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    """Where another program of that name stands, nothing is installed, and one sentence says
    why.
    """
    program = tmp_path / ".local/bin/interlock"
    program.parent.mkdir(parents=True)
    program.write_text("mine", encoding="utf-8")
    done = installed(tmp_path)
    assert (
        done.returncode,
        done.stderr.count("\n"),
        f"{program} is there and is no link" in done.stderr,
    ) == (1, 1, True)
    assert [path.name for path in (tmp_path / ".local").rglob("*")] == ["bin", "interlock"]
    assert program.read_text(encoding="utf-8") == "mine"


@pytest.mark.e2e
@pytest.mark.long
def test_it_is_there_afterwards_and_a_second_time(tmp_path: Path) -> None:
    """The program runs from a folder of its own, with policy files; a second time is an upgrade;
    what is said fits the search path.
    """
    program = tmp_path / ".local/bin/interlock"
    first = installed(tmp_path)
    assert first.returncode == 0, first.stderr
    assert "~/.local/bin is not on your PATH" in first.stdout
    again = installed(tmp_path, str(program.parent))
    assert again.stdout.splitlines()[-1] == "==> installed; next: interlock init", again.stderr
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    for words, said in ((["status"], "profile"), (["policy", "init"], "policy.yaml")):
        done = subprocess.run(
            [program, *words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, said in done.stdout) == (0, True), done.stderr
