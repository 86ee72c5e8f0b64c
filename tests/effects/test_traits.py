"""Traits are declared: what readers set, what rules ask for, and what the lint says of one that
nothing sets.
"""

from __future__ import annotations

from pathlib import Path

from interlock.data.traits import is_declared
from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import ToolCall
from interlock.rules.catalogue import RULES
from scripts.freeze import ROOT, texts


def test_what_readers_set_is_declared() -> None:
    """Every trait of every effect of every text of the tests."""
    undeclared: dict[str, str] = {}
    for tool, command in dict.fromkeys(texts(Path("nowhere"))):
        call = ToolCall(tool, tool, {"command": command}, cwd=ROOT, roots=(ROOT,))
        for effect in read(call, Recorded(home="/home/user")).effects:
            undeclared |= {trait: command for trait in effect.traits if not is_declared(trait)}
    assert undeclared == {}


def test_what_rules_ask_for_is_declared() -> None:
    """A built-in rule that asks for a trait nobody declared would never match."""
    asked = {
        trait for rule in RULES for trait in (*rule.match.has, *rule.match.any, *rule.match.lacks)
    }
    assert {trait for trait in asked if not is_declared(trait)} == set()
