"""A formatter rewrites every file of its kind in a folder, the guard's among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guard.test_guarded_trees import Place

WHOLE = (
    "npx prettier --write .", "prettier -w .", "prettier --write '**/*.json'", "prettier --write '**/*.{js,json}'", "biome check --write .",
    "dprint fmt", "deno fmt", "codespell -w .", "mdformat .", "jsonlint -i .", "yamlfmt .", "bunx prettier --write $PWD",
    "npm exec prettier -- --write .", "sh -c 'prettier --write .'", "find . -name '*.json' -exec prettier --write {} +",
)  # fmt: skip
ONE = (
    "prettier --write .claude/settings.json",
    "codespell -w .claude/settings.json",
    "jsonlint --in-place .claude/settings.json",
    "deno fmt .claude/settings.json",
)
QUIET = (
    "prettier --check .", "prettier --write src", "prettier --write 'src/**/*.json'", "prettier --write '**/*.css'", "codespell .", "deno fmt --check",
    "black .", "ruff format .", "ruff check --fix .", "gofmt -w .", "eslint --fix .", "isort .", "jsonlint data.json", "rubocop -A",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project that holds a client's settings with our entry, and a policy."""
    place = Place(tmp_path)
    (place.project / "src").mkdir()
    (place.project / ".interlock").mkdir()
    (place.project / ".interlock/policy.yaml").write_text("version: 1\n", encoding="utf-8")
    return place


@pytest.fixture
def plain(tmp_path: Path) -> Place:
    """A project with settings of its own, in which nothing is the guard's."""
    place = Place(tmp_path)
    (place.project / ".claude/settings.json").write_text('{"model": "x"}\n', encoding="utf-8")
    (place.project / "src").mkdir()
    return place


@pytest.mark.parametrize("command", WHOLE)
def test_all_of_a_folder(place: Place, command: str) -> None:
    """Possible, and so asked about."""
    assert place.answers(command) == "ask"


@pytest.mark.parametrize("command", ONE)
def test_the_file_itself(place: Place, command: str) -> None:
    """Certain, and so denied."""
    assert place.answers(command) == "deny"


@pytest.mark.parametrize("command", QUIET)
def test_other_kinds_and_other_folders(place: Place, command: str) -> None:
    """A formatter of Python leaves settings alone, and so does one that only checks."""
    assert place.answers(command) == ""


@pytest.mark.parametrize("command", WHOLE)
def test_a_project_without_any_is_not_spoken_of(plain: Place, command: str) -> None:
    """Nothing of the guard's lies there."""
    assert plain.answers(command) == ""
