"""Traits are declared: what readers set, what rules ask for, and what the lint says of one that
nothing sets.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.data.traits import is_declared
from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import ToolCall
from interlock.rules.catalogue import RULES
from scripts.freeze import ROOT, texts
from tests.effects import rows_cmd, rows_powershell
from tests.effects.windows import rows, windows
from tests.judging import example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def undeclared(calls: Iterable[ToolCall]) -> dict[str, ToolCall]:
    """Return traits that nobody declared, each with a call whose effects have it."""
    return {
        trait: call
        for call in calls
        for effect in read(call, Recorded(home="/home/user")).effects
        for trait in effect.traits
        if not is_declared(trait)
    }


def of_texts(every: int) -> Iterator[ToolCall]:
    """Yield every so many of the texts of the tests, as calls."""
    for tool, command in islice(dict.fromkeys(texts(Path("nowhere"))), 0, None, every):
        yield ToolCall(tool, tool, {"command": command}, cwd=ROOT, roots=(ROOT,))


def of_windows() -> Iterator[ToolCall]:
    """Yield what is stopped of the shells of Windows."""
    for shell, lines in (("cmd", rows_cmd.STOPPED), ("powershell", rows_powershell.STOPPED)):
        yield from [windows(command, shell) for _, command in rows(lines)]


def test_what_readers_set_is_declared() -> None:
    """Every trait of every effect of the rules' examples, of Windows' rows, and of one text of the
    tests in eight.
    """
    examples = [example(of) for rule in RULES for of in (*rule.catches, *rule.passes)]
    assert undeclared([*examples, *of_windows(), *of_texts(8)]) == {}


@pytest.mark.long
def test_what_readers_set_for_any_text_is_declared() -> None:
    """Of every text of the tests."""
    assert undeclared(of_texts(1)) == {}


def test_what_rules_ask_for_is_declared() -> None:
    """A built-in rule that asks for a trait nobody declared would never match."""
    asked = {
        trait for rule in RULES for trait in (*rule.match.has, *rule.match.any, *rule.match.lacks)
    }
    assert {trait for trait in asked if not is_declared(trait)} == set()
