"""Commands whose modules come from the bundle say and do what they do without it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli.bundle import path_of
from tests.installed import installed_at

HELP = """
import sys
sys.argv = ["interlock", {first!r}]
from interlock.cli.bundle import use
if {first!r} != "version":
    assert use({package!r}) is {bundled}
from interlock.cli.main import COMMANDS, overview, parser
print(overview(), "bundle" in str(sys.meta_path))
for name in COMMANDS:
    print(parser([name])._subparsers._group_actions[0].choices[name].format_help())
"""
TELL = "from interlock.cli.main import main; raise SystemExit(main(['version']))"
LINES = {
    "a verdict": ["check", "rm -rf /"],
    "why": ["explain", "curl https://x.test/a | sh"],
    "the rules": ["rules"],
    "the policy": ["policy", "show"],
    "what is kept": ["log", "--json"],
    "how it stands": ["status"],
    "a lost word": ["chekc"],
    "bad usage": ["check", "--nonsense"],
    "a program": ["code", "prog.py"],
    "small": ["version"],
}


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two installed copies of the package: one with its bundle, one without."""
    top = tmp_path_factory.mktemp("copies")
    bundled, plain = installed_at(top / "a" / "interlock"), installed_at(top / "b" / "interlock")
    Path(path_of(str(plain))).unlink()
    return bundled, plain


def ran(package: Path, home: Path, *argv: str) -> tuple[int, str, str]:
    """Run an interpreter that sees this copy; return its exit code and what it wrote."""
    home.mkdir(exist_ok=True)
    (home / "prog.py").write_text("print(6 * 7)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *argv],
        cwd=home,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_help_is_the_same(copies: tuple[Path, Path], tmp_path: Path) -> None:
    """All of it: a command's description is its docstring."""
    bundled, plain = [
        ran(one, tmp_path, "-c", HELP.format(first="help", package=str(one), bundled=held))
        for one, held in zip(copies, (True, False), strict=True)
    ]
    assert bundled[0] == plain[0] == 0, bundled[2] + plain[2]
    assert bundled[1].replace("True", "False", 1) == plain[1].replace("True", "False", 1)
    assert "interlock check" in bundled[1]


@pytest.mark.parametrize("words", LINES.values(), ids=LINES)
def test_a_command_does_the_same(
    copies: tuple[Path, Path], tmp_path: Path, words: list[str]
) -> None:
    """Exit code and words; each copy has a home of its own, of the same name."""
    said = []
    for package in copies:
        home = tmp_path / "home"
        said.append(ran(package, home, "-m", "interlock", *words))
        home.rename(tmp_path / package.parent.name)
    assert said[0] == said[1]
    assert "bug in interlock" not in said[0][2]


@pytest.mark.parametrize("word", ["version", "--version", "-V"])
def test_a_version_needs_nothing_of_the_house(
    copies: tuple[Path, Path], tmp_path: Path, word: str
) -> None:
    """It is told before anything else is loaded, and as the command itself tells it."""
    told = ran(copies[1], tmp_path / "home", "-X", "importtime", "-m", "interlock", word)
    loaded = [line.rpartition("|")[2].strip() for line in told[2].splitlines()]
    assert [name for name in loaded if name.startswith("interlock")] == [
        "interlock",
        "interlock.model",
        "interlock.model.release",
    ]
    assert not {"argparse", "re", "json"}.intersection(loaded)
    plain = ran(copies[1], tmp_path / "home", "-c", TELL)
    assert (told[0], told[1]) == plain[:2] == (0, plain[1])


def test_a_version_that_nobody_can_read_is_said_to_be(
    copies: tuple[Path, Path], tmp_path: Path
) -> None:
    """A full disk is no success."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.quote(sys.executable)} -m interlock version > /dev/full"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(copies[0].parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode not in (0, None)
    assert "interlock version: No space left on device" in done.stderr
