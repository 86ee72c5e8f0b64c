"""What a public forge runs and shows: workflows of every system and Python that is named, versions
that agree, and forms that can be read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

TOP = Path(__file__).resolve().parents[2]
FORGE = TOP / ".github"
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
ACTIONLINT = shutil.which("actionlint")


def read(path: Path) -> dict[object, object]:
    """Return a file of the forge."""
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize(
    "path",
    sorted([*FORGE.rglob("*.yml"), TOP / "action.yml", TOP / ".pre-commit-config.yaml"]),
    ids=str,
)
def test_every_file_is_a_table(path: Path) -> None:
    """It parses, and is no list or text."""
    assert read(path)


@pytest.mark.parametrize(
    "path", sorted((FORGE / "workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_a_workflow_asks_for_no_more_than_it_needs(path: Path) -> None:
    """The token reads by default, every job ends by itself, and no text of others' is put into a
    script.
    """
    text = path.read_text(encoding="utf-8")
    told = read(path)
    assert told["permissions"] == {"contents": "read"}
    jobs = told["jobs"]
    assert isinstance(jobs, dict)
    assert all("timeout-minutes" in job for job in jobs.values())
    scripts = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert not [script for script in scripts if "${{" in script]
    assert "pull_request_target" not in text


def test_tests_run_on_three_systems_with_every_python() -> None:
    """Linux, macOS and Windows, and each Python from the oldest that is promised on."""
    jobs = read(FORGE / "workflows/ci.yml")["jobs"]
    assert isinstance(jobs, dict)
    matrix = jobs["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert f">={matrix['python'][0]}" == PROJECT["project"]["requires-python"]


def test_the_hook_before_a_commit_is_the_ruff_of_the_tests() -> None:
    """One version in both places, or style would be judged twice."""
    config = (TOP / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    found = re.search(r"rev: v([\d.]+)", config)
    assert found is not None
    assert f"ruff=={found[1]}" in PROJECT["project"]["optional-dependencies"]["dev"]


@pytest.mark.skipif(
    ACTIONLINT is None,
    reason="actionlint is not installed; go install github.com/rhysd/actionlint/cmd/actionlint@latest",
)
def test_actionlint_has_nothing_to_say() -> None:
    """Expressions, contexts, names of steps and the shell's words are right."""
    done = subprocess.run(
        [str(ACTIONLINT), *map(str, (FORGE / "workflows").glob("*.yml"))],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
