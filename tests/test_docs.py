"""Pages that are generated are fresh, and pages that are written name things that exist."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli.main import COMMANDS
from interlock.integrations.clients import CLIENTS
from interlock.rules.catalogue import RULES
from scripts.install_client import CLIENTS as TESTED

TOP = Path(__file__).resolve().parent.parent
PAGES = [TOP / "README.md", TOP / "CHANGELOG.md", *sorted((TOP / "docs").glob("**/*.md")), *sorted((TOP / "decisions").glob("*.md"))]


def test_generated_pages_are_fresh() -> None:
    """A rule or an option that changed shows in its page, or this fails and names the page."""
    environment = {**os.environ, "PYTHONPATH": str(TOP / "src")}
    done = subprocess.run(
        [sys.executable, str(TOP / "scripts/make_docs.py"), "--check"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


def test_the_table_of_clients_speaks_of_what_is_installed() -> None:
    """What was shown was shown with the versions that the tests install, for every client that interlock is installed for; nothing of it failed."""
    kept = json.loads((TOP / "tests/e2e/proven.json").read_text(encoding="utf-8"))
    assert kept["versions"] == {name: TESTED[name].version for name in CLIENTS}
    assert {said for held in kept["promises"].values() for said in held.values()} <= {"held", "skipped"}
    assert [name for name in CLIENTS if not any(held.get(name) == "held" for held in kept["promises"].values())] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page is a file of the repository."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rules_and_commands_that_are_named_exist(page: Path) -> None:
    """A page cannot speak of a rule or a command that is gone."""
    text = page.read_text(encoding="utf-8")
    families = {rule.id.partition(".")[0] for rule in RULES}
    named = {word for word in re.findall(r"\b[a-z]+\.[a-z]+(?:-[a-z]+)+\b", text) if word.partition(".")[0] in families}
    assert named <= {rule.id for rule in RULES}
    commands = set(re.findall(r"`interlock ([a-z-]+)", text))
    assert commands <= {*COMMANDS, "command", "undo", "approve"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever copies an example has one that works; what it records goes to a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("interlock.cli.embed._OPEN", {})
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)):
        exec(compile(code, f"{page.name} example {number}", "exec"), {"__name__": "example"})  # noqa: S102 - our own pages


POLICIES = [
    (page, text) for page in PAGES for text in re.findall(r"^```yaml\n(version: .*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("page", "text"), POLICIES, ids=lambda value: getattr(value, "name", "policy"))
def test_a_policy_on_a_page_is_accepted(page: Path, text: str, tmp_path: Path) -> None:
    """Whoever copies a policy file has one that can be used."""
    file = tmp_path / "policy.yaml"
    file.write_text(text, encoding="utf-8")
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(TOP / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "interlock", "policy", "check", str(file)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, f"{page.name}: {done.stdout}{done.stderr}"


def test_there_are_policies_on_pages() -> None:
    """The page of policies and the first page show one."""
    assert {page.name for page, _ in POLICIES} >= {"README.md", "policy.md"}
