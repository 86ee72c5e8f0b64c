"""The unknown-program ladder: what words tell of programs that nobody described, and how its
catches can be told apart.
"""

from __future__ import annotations

import pytest

from interlock.cli.judge import judge_text
from interlock.effects.unknown_programs import TRAIT
from interlock.effects.verb_words import parts, verb_of
from interlock.model.action import ASK, VERDICT_ALLOW, VERDICT_ASK, WARN
from tests.effects import rows_ladder
from tests.effects.reading import effects_of


@pytest.mark.parametrize("command", rows_ladder.ASKED)
def test_words_that_tell_of_a_change_are_asked_about(command: str) -> None:
    """A verb, a place, a command among the words: the person decides, nothing is denied."""
    assert judge_text(command).verdict == VERDICT_ASK


@pytest.mark.parametrize("command", rows_ladder.NOTED)
def test_words_of_a_workspace_are_noted(command: str) -> None:
    """Verbs that ordinary tools use as well give a warning only."""
    decision = judge_text(command)
    assert decision.verdict == VERDICT_ALLOW
    assert WARN in {finding.action for finding in decision.findings}


@pytest.mark.parametrize("command", rows_ladder.PERMITTED)
def test_ordinary_words_are_permitted(command: str) -> None:
    """Looking, rehearsing, names of files, and the work of every day are not interrupted."""
    assert judge_text(command).verdict == VERDICT_ALLOW


@pytest.mark.parametrize(
    "command", [row for row in rows_ladder.ASKED if "|" not in row and "&&" not in row]
)
def test_its_catches_can_be_told_apart(command: str) -> None:
    """What only the ladder sees carries its trait, and is possible only unless it is a command
    behind ``--``.
    """
    asked = [finding.effect for finding in judge_text(command).findings if finding.action >= ASK]
    assert asked
    assert all(
        effect is not None and TRAIT in effect.traits and effect.certain <= (" -- " in command)
        for effect in asked
    )


def test_known_programs_do_not_climb() -> None:
    """A program with a row of its own has no effect of the ladder."""
    assert not [
        effect
        for effect in effects_of("terraform destroy; rm -rf /srv/x; cat /dev/sda")
        if TRAIT in effect.traits
    ]


def test_words_are_taken_apart() -> None:
    """Colons, hyphens, underscores and capitals join parts of a word; a part that denies takes the
    verb away.
    """
    assert parts("db:dropAll_now") == ["db", "drop", "all", "now"]
    assert verb_of("deleteUser") == ("delete", False)
    assert verb_of("pre-deploy") is None


def test_work_is_bounded() -> None:
    """Hundreds of words that may be commands end in a question, not in time."""
    assert judge_text("frobnicate " + "rm x " * 400).verdict == VERDICT_ASK
    assert judge_text("frobnicate " + "word " * 4000).verdict == VERDICT_ALLOW
