"""What is installed runs from the bundle: it reads every program and language as the sources do.

What only annotations name is left out of a bundle, so whatever is found by its name alone could be
missing there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.test_import_budget import copied

CORPUS = Path(__file__).parent / "corpus"
ROOT = "/home/user/project"
JUDGE = """
import json, sys
source, bundled, root = sys.argv[1:]
sys.path.append(source)
if bundled == "bundled":
    from interlock.cli.bundle import use
    assert use(source + "/interlock")
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import ToolCall
from interlock.policy.builtin import builtin

facts, policy, answers = Recorded("/home/user"), builtin(), []
for tool, name, given in json.load(sys.stdin):
    call = ToolCall(tool, name, given, root, (root,))
    reading = read(call, facts)
    decision = decide(call, reading, policy, "d")
    effects = [f"{effect.kind} {effect.target}" for effect in reading.effects]
    answers.append([str(decision.verdict), *effects])
json.dump(answers, sys.stdout)
"""


def lines() -> list[str]:
    """Return all dangerous lines, and a few of each kind that is ordinary."""
    text = yaml.safe_load((CORPUS / "danger.yaml").read_text(encoding="utf-8"))
    return [
        line
        for classes in text.values()
        for answer, rows in classes.items()
        for line in (rows if isinstance(rows, list) else rows.splitlines())[
            : 3 if answer.startswith("allow") else None
        ]
    ]


def calls() -> list[tuple[str, str, dict[str, str]]]:
    """Return calls of every shell that is read."""
    windows = [
        ("shell", "PowerShell", {"command": "Remove-Item -Recurse -Force C:\\\\Users"}),
        ("shell", "PowerShell", {"command": "Get-ChildItem | Select-Object Name"}),
        ("shell", "cmd", {"command": "del /s /q C:\\\\Users"}),
        ("shell", "cmd", {"command": "dir"}),
    ]
    some = lines() if "INTERLOCK_CLIENTS" in os.environ else lines()[::4]
    return [*[("shell", "Bash", {"command": line}) for line in some], *windows]


def answers(source: Path, how: str) -> list[list[str]]:
    """Judge the calls in one bare process."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", JUDGE, str(source), how, ROOT],
        input=json.dumps(calls()),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package as `interlock install` leaves it."""
    return copied(tmp_path_factory.mktemp("installed"))


def test_a_bundle_reads_what_its_sources_read(installed: Path) -> None:
    """Every effect and every verdict of some thousand calls is the same."""
    plain = answers(installed, "plain")
    bundled = answers(installed, "bundled")
    other = [
        (call[2]["command"], one, two)
        for call, one, two in zip(calls(), plain, bundled, strict=True)
        if one != two
    ]
    assert other == []
    assert {answer[0] for answer in plain} == {"allow", "ask", "deny"}
