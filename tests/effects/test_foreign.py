"""Programs of other languages to effects: each dangerous one-liner beside ordinary ones that stay quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judging import judged

ROWS = Path(__file__).parent / "languages"


def rows(name: str) -> list[str]:
    """Return the commands of a file, one a line; ``##`` begins a comment."""
    return [line for line in (ROWS / f"{name}.txt").read_text(encoding="utf-8").split("\n") if line and not line.startswith("##")]


@pytest.mark.parametrize("command", rows("denied"))
def test_what_no_task_needs_is_denied(command: str) -> None:
    """A program that destroys the system, hands out secrets or a shell is denied in every language."""
    assert str(judged(command).verdict) == "deny"


@pytest.mark.parametrize("command", rows("asked"))
def test_what_a_person_should_see_is_asked(command: str) -> None:
    """A program whose effects may be wanted, or cannot be read, is asked about in every language."""
    assert str(judged(command).verdict) in {"ask", "deny"}


@pytest.mark.parametrize("command", rows("allowed"))
def test_ordinary_programs_stay_quiet(command: str) -> None:
    """Versions, sums, JSON, text work and the project's own files are no question in any language."""
    assert str(judged(command).verdict) == "allow"
