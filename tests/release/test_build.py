"""What is released: the same bytes each time it is built, with all that is needed in it and nothing
that is not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scripts import relay_wheel, release_check
from scripts.sbom import NOT_SHIPPED, sbom

TOP = Path(__file__).resolve().parents[2]
KEPT = (
    "src",
    "scripts",
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "pyproject.toml",
    ".gitignore",
)
"""Enough of the repository for a build: its tests and pages are carried the same way, and take long
to pack.
"""


def build(folder: Path) -> Path:
    """Build wheel and sdist of the sources in a folder, in a time zone of its own; every file is as
    old as today is young.
    """
    for path in (folder / "source").rglob("*"):
        os.utime(path)
    environment = {
        "PATH": "/usr/bin:/bin",
        "SOURCE_DATE_EPOCH": release_check.EPOCH,
        "HOME": str(folder),
        "TZ": f"Etc/{folder.name}",
    }
    argv = [sys.executable, "-m", "hatchling", "build", "-d", str(folder / "dist")]
    subprocess.run(
        argv, cwd=folder / "source", env=environment, check=True, capture_output=True, timeout=300
    )
    return folder / "dist"


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two builds of the same sources, made in two folders at two times."""
    first, second = (
        tmp_path_factory.mktemp("release") / "GMT-3",
        tmp_path_factory.mktemp("again") / "deeper" / "GMT+9",
    )
    for name in KEPT:
        if (TOP / name).is_dir():
            shutil.copytree(
                TOP / name,
                first / "source" / name,
                ignore=shutil.ignore_patterns("*.bundle", "*.tmp", "*.pyc"),
            )
        else:
            shutil.copyfile(TOP / name, first / "source" / name)
    shutil.copytree(first / "source", second / "source")
    return build(first), build(second)


def test_two_builds_are_the_same(twice: tuple[Path, Path]) -> None:
    """Byte for byte, wheel and sdist: whoever builds a release gets what was published."""
    first, second = (
        {path.name: path.read_bytes() for path in folder.iterdir()} for folder in twice
    )
    assert len(first) == 2
    assert first == second


def test_the_wheel_holds_the_package_and_nothing_else(twice: tuple[Path, Path]) -> None:
    """Every module, the shipped policies and plugins, the mark of its types; no tests, no leftovers
    of running it.
    """
    with zipfile.ZipFile(next(twice[0].glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    source = {
        str(path.relative_to(TOP / "src"))
        for path in (TOP / "src/interlock").rglob("*")
        if path.is_file() and "__pycache__" not in str(path)
    }
    assert source <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"interlock"}
    assert not [name for name in names if name.endswith((".pyc", ".bundle", ".db"))]


def test_the_sdist_holds_what_is_asked_for(twice: tuple[Path, Path]) -> None:
    """What a distributor reads and runs."""
    with tarfile.open(next(twice[0].glob("*.tar.gz"))) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert tops >= {
        "src",
        "scripts",
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "Makefile",
        "pyproject.toml",
    }


def test_the_bill_of_materials_is_of_this_wheel(twice: tuple[Path, Path]) -> None:
    """It names every file, what is always needed as required, each extra's packages as optional,
    and is the same each time.
    """
    found = [sbom(str(next(folder.glob("*.whl")))) for folder in twice]
    assert found[0] == found[1]
    made: dict[str, Any] = found[0]
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    with zipfile.ZipFile(next(twice[0].glob("*.whl"))) as wheel:
        assert {one["name"] for one in made["metadata"]["component"]["components"]} == set(
            wheel.namelist()
        )
    assert {one["name"] for one in made["components"] if one["scope"] == "required"} == {"pyyaml"}
    assert {"pyyaml", "apprise"} <= {one["name"] for one in made["components"]}
    assert not {"pytest", "ruff", "hatchling"} & {one["name"] for one in made["components"]}
    refs = [one["bom-ref"] for one in made["components"]]
    assert len(refs) == len(set(refs))


def test_every_extra_is_tried_alone() -> None:
    """``make release-check`` knows each extra that people may ask for."""
    extras = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(release_check.EXTRAS) == set(extras) - NOT_SHIPPED


def test_every_machine_with_a_relay_has_a_wheel() -> None:
    """``make release-check`` builds what ``scripts/relay_wheel.py`` can."""
    assert release_check.MACHINES == relay_wheel.MACHINES


def test_a_wheel_for_an_unknown_machine_is_not_made(tmp_path: Path) -> None:
    """A sentence says which there are."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), relay_wheel.VARIABLE: "pdp11"}
    argv = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(
        argv, cwd=TOP, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode != 0
    assert "INTERLOCK_RELAY=pdp11: expected one of x86_64, aarch64" in done.stderr + done.stdout
    assert not list(tmp_path.iterdir())


def test_the_changelog_keeps_its_form() -> None:
    """Headings of Keep a Changelog, the newest first, with something under each."""
    lines = (TOP / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    heads = [line for line in lines if line.startswith("## ")]
    assert heads[0] == "## [Unreleased]"
    kinds = [line[4:] for line in lines if line.startswith("### ")]
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert all(
        lines[number + 1 :][:2] != ["", ""] and lines[number + 2].startswith(("- ", "**"))
        for number, line in enumerate(lines)
        if line.startswith("### ")
    )
