"""The cookbook: every policy on the page is accepted, and every call of its table gets the answers
that stand there, before and after.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from interlock.cli import build
from interlock.integrations import claude_code
from interlock.policy.builtin import builtin
from interlock.policy.load import compile_file, together
from interlock.policy.problem import PolicyProblems
from interlock.policy.schema import ORGANISATION, PROJECT, USER
from interlock.policy.source import PolicySource
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.policy import Policy

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cookbook.md"
LAYERS = {
    "~/.config/interlock/policy.yaml": USER,
    ".interlock/policy.yaml": PROJECT,
    "/etc/interlock/policy.yaml": ORGANISATION,
}
TIMES = {"": 1, "twice": 2, "three times": 3}
ROW = re.compile(r"^\| (?:(\w+) )?`(.+?)`(?:, ([a-z ]+))? \| (\w+) \| (\w+) \|$", re.MULTILINE)


class Row(NamedTuple):
    """A line of a table. ``tool``: as the client calls it; ``given``: the command, the path, the
    address or the input.
    """

    tool: str
    given: str
    times: int
    before: str
    after: str


class Recipe(NamedTuple):
    """A policy of the page, the layer that its file belongs to, and what is said of it."""

    title: str
    layer: str
    text: str
    rows: tuple[Row, ...]


def recipes() -> list[Recipe]:
    """Read the page; a table's line that is not understood is no line, and
    ``test_nothing_of_the_page_is_left_out`` says so.
    """
    found = []
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        (text,) = re.findall(r"^```yaml\n(.*?)^```", part, re.DOTALL | re.MULTILINE)
        file = text.splitlines()[0].removeprefix("# ")
        rows = tuple(
            Row(tool or "Bash", given.replace("\\|", "|"), TIMES[times], before, after)
            for tool, given, times, before, after in ROW.findall(part)
        )
        found.append(Recipe(part.partition("\n")[0], LAYERS[file], text, rows))
    return found


RECIPES = recipes()


def policy_of(recipe: Recipe, home: Path) -> Policy:
    """Return the built-in rules with the recipe over them, as a file of its layer; raises
    ``PolicyError``.
    """
    rules = {rule.id: rule for rule in builtin().rules}
    source = PolicySource(
        recipe.layer,
        "policy.yaml",
        str(home),
        rules,
        build.reader(str(home)),
        PolicyProblems("policy.yaml"),
        recipe.layer != PROJECT,
    )
    layers, _ = compile_file(recipe.text.encode(), "policy.yaml", source)
    return together(layers, "2026-11-21").policy


def given(row: Row, home: Path, project: Path) -> dict[str, object]:
    """Return the tool's input; paths of the page become ones of this home and project."""
    if row.tool == "Bash":
        return {"command": row.given}
    if row.tool == "WebFetch":
        return {"url": row.given, "prompt": "what is it"}
    if row.tool.startswith("mcp__"):
        return dict(json.loads(row.given))
    path = (
        row.given.replace("~", str(home)) if row.given.startswith("~") else f"{project}/{row.given}"
    )
    return {
        "file_path": path,
        **{"Write": {"content": "x"}, "Edit": {"old_string": "a", "new_string": "b"}}.get(
            row.tool, {}
        ),
    }


def answers(rows: tuple[Row, ...], home: Path) -> list[str]:
    """Play the calls through the guard as Claude Code's hook hands them over, in a project that
    holds some work; return the answers.
    """
    project = home / "work" / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "cart.py").write_text("total = 0\n", encoding="utf-8")
    (project / ".git").mkdir()
    environment = {"HOME": str(home), "CLAUDE_PROJECT_DIR": str(project)}
    said: list[str] = []
    for row in [one for one in rows for _ in range(one.times)]:
        event = {
            "session_id": "s1",
            "cwd": str(project),
            "hook_event_name": "PreToolUse",
            "tool_name": row.tool,
            "tool_use_id": f"t{len(said)}",
        }
        call = claude_code.read(
            {**event, "tool_input": given(row, home, project)}, environment
        ).call
        assert call is not None
        decision = build.guard(environment, claude_code.asks).check(call)
        said.append("warn" if decision.warned else str(decision.verdict))
    return said


@pytest.fixture
def homes() -> Iterator[Path]:
    """Make a folder for homes; what lies below a temporary folder is judged as temporary, so it is
    none.
    """
    with tempfile.TemporaryDirectory(dir=lasting("cookbook")) as folder:
        yield Path(folder).resolve()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_does_what_its_table_says(
    recipe: Recipe, homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call is answered by the built-in rules as the column *before* says, and with the recipe
    as *after* says; at least one differs.
    """
    before, after = (
        [getattr(row, column) for row in recipe.rows for _ in range(row.times)]
        for column in ("before", "after")
    )
    assert answers(recipe.rows, homes / "before") == before
    policy = policy_of(recipe, homes / "after")
    monkeypatch.setattr(build, "policy", lambda *_: policy)
    assert answers(recipe.rows, homes / "after") == after
    assert before != after


def test_nothing_of_the_page_is_left_out() -> None:
    """There are twenty recipes, each with a policy and a table of which every line is played."""
    assert len(RECIPES) == 20
    tables = re.findall(r"^\| (?!call |---)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(tables) == sum(len(recipe.rows) for recipe in RECIPES)
