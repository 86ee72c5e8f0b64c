"""Prompts, the call that follows, and what is found of it: every finding beside its permitted
neighbours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.intent.classify import classify
from interlock.intent.judge import MISFIT, findings
from interlock.intent.prompt_history import after
from interlock.intent.request import SessionIntent, parse_asked
from interlock.model.action import ASK, WARN
from tests.judging import ROOT, shell, tool

ROWS: list[tuple[list[str], str | dict[str, Any], str]] = [
    tuple(row) for row in yaml.safe_load((Path(__file__).parent / "calls.yaml").read_text())
]
WORDS = {
    (MISFIT, WARN): "warn",
    (MISFIT, ASK): "ask",
    ("intent.outside-scope", ASK): "limit",
    ("intent.outside-scope", WARN): "limit-warn",
}


def stands(prompts: list[str]) -> SessionIntent:
    """Return what stands after prompts, as a session keeps it: by way of its text."""
    stood = SessionIntent()
    for prompt in prompts:
        stood = after(stood, classify(prompt))
        assert parse_asked(stood.intent, stood.scope) == stood
    return stood


def found(prompts: list[str], call: str | dict[str, Any], level: str = "on") -> str:
    """Return the strictest finding of a call after prompts, in the words of the file."""
    stood = stands(prompts)
    if isinstance(call, str):
        made = shell(call)
    else:
        fields = {
            key: f"{ROOT}/{value}" if key.endswith("path") else value
            for key, value in call["input"].items()
        }
        made = tool(call["tool"], fields, call.get("name", ""))
    reading = read(made, Recorded("/home/user"))
    said = findings(made.replace(intent=stood.intent, scope=stood.scope), reading, level)
    strictest = max(
        said, key=lambda finding: (finding.action, finding.rule != MISFIT), default=None
    )
    return WORDS[strictest.rule, strictest.action] if strictest is not None else "-"


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{' / '.join(row[0])} : {row[1]}"[:120]) for row in ROWS]
)
def test_each_call_is_found_as_its_row_says(
    row: tuple[list[str], str | dict[str, Any], str],
) -> None:
    """A call that does not fit what was asked for, or breaks a limit, is found; its neighbour that
    fits is not.
    """
    prompts, call, expected = row
    assert found(prompts, call) == expected, f"{stands(prompts).intent} | {stands(prompts).scope}"


def test_half_of_the_rows_permit() -> None:
    """There are enough rows, and enough of them where nothing may be found."""
    permitted = sum(row[2] == "-" for row in ROWS)
    assert len(ROWS) >= 150
    assert permitted >= 0.45 * len(ROWS)
