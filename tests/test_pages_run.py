"""The commands of the first pages, run as they are written, one after the other, in a home where an
agent is and interlock never was.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

TOP = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(?:sh)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
ASKS = ("interlock init",)
"""What asks a person; with ``--yes`` it is done without."""
JUDGES = {"ask": 10, "deny": 11}


def lines(page: str) -> list[str]:
    """Return the command lines of a page's blocks, without what is said beside them."""
    text = (TOP / page).read_text(encoding="utf-8")
    return [
        line.partition("  #")[0].strip()
        for block in BLOCK.findall(text)
        for line in block.splitlines()
        if re.match(r"(make|interlock|uvx|pipx|uv) ", line)
    ]


def run(line: str, home: Path, folder: Path, *more: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell with a home of its own, and say yes where it asks."""
    for words in ASKS:
        line = re.sub(rf"{words}$", f"{words} --yes", line)
    kept = {
        name: text for name, text in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))
    }
    path = ":".join([*map(str, more), f"{home}/.local/bin", "/usr/local/bin:/usr/bin:/bin"])
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env={**kept, "HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def fresh(folder: Path) -> Path:
    """Return a home with an agent's settings."""
    home = folder / "home"
    (home / ".claude").mkdir(parents=True)
    return home


def test_the_first_page_runs(tmp_path: Path) -> None:
    """What stands below the line that installs; `tour` and all that judges run nothing."""
    home = fresh(tmp_path)
    program = home / ".local/bin/interlock"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={quote(f"{TOP}/src")} exec {quote(sys.executable)} -m interlock "$@"\n'
    )
    program.chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()
    ran = [line for line in lines("docs/index.md") if line.startswith("interlock ")]
    assert {line.split()[1] for line in ran} >= {"init", "tour", "check", "explain", "demo"}
    for line in ran:
        done = run(line, home, project)
        assert done.returncode in (0, *JUDGES.values()), (line, done.stdout, done.stderr)
        assert done.stdout.strip(), line
        assert "Traceback" not in done.stderr, line
    assert "interlock" in (home / ".claude/settings.json").read_text(encoding="utf-8")


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.parametrize("line", lines("README.md"))
def test_a_way_to_install_of_the_readme(line: str, tmp_path: Path) -> None:
    """Each line of the README in a clone: afterwards the program is there and the agent asks it."""
    tool = shutil.which(line.split(maxsplit=1)[0])
    if tool is None:
        pytest.skip(f"{line.split(maxsplit=1)[0]} is not installed")
    clone, home = tmp_path / "clone", fresh(tmp_path)
    subprocess.run(["git", "clone", "-q", str(TOP), str(clone)], check=True)
    done = run(line, home, clone, Path(tool).parent)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "interlock doctor claude-code: " in done.stdout
    told = run("interlock check rm -rf /", home, clone)
    assert (told.returncode, "DENY" in told.stdout) == (11, True), told.stderr
    settings = (home / ".claude/settings.json").read_text(encoding="utf-8")
    assert str(clone) not in settings, "hooks name what stays, not the clone"
