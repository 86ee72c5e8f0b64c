"""Every kind of effect answers every question that somebody asks of kinds."""

from __future__ import annotations

import pytest

from interlock.model.effect import KINDS
from interlock.model.kinds import meaning, rows

CHOICES = {"grant": {"target", "call", "none"}, "goal": {"goal", "way"}}


def test_every_kind_has_a_row_and_every_row_a_kind() -> None:
    """A kind is added with its answers."""
    assert list(rows()) == ["kind", *KINDS][1:]


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_one_of_those_that_are_understood(kind: str) -> None:
    """A word that nobody asks for would be no answer."""
    for question, answer in rows()[kind].items():
        assert answer in CHOICES.get(question, {question, "-"} if question != "kind" else {kind})


def test_a_row_that_leaves_a_question_open_is_refused() -> None:
    """Whoever adds a kind has to think of each."""
    assert rows("kind loses\nreads -\n") == {"reads": {"kind": "reads", "loses": "-"}}
    with pytest.raises(ValueError, match="shorter"):
        rows("kind loses reaches\nreads -\n")


def test_a_kind_is_among_those_that_gave_an_answer() -> None:
    """What is asked for is found, and nothing else."""
    assert {"deletes", "reads"} <= meaning("path")
    assert "pushes" not in meaning("path")
    assert meaning("call").isdisjoint(meaning("none"))
