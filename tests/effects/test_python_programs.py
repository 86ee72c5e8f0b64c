"""Short Python programs, risky and ordinary, as calls of their own and through a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.cli.judge import judge_text as judged_as
from interlock.model.call import PYTHON
from tests.judging import judged

ROWS = Path(__file__).parent / "languages"


def programs(name: str) -> list[str]:
    """Return the programs of a file; a line of ``####`` stands between two."""
    return [
        text.strip("\n")
        for text in (ROWS / f"{name}.txt").read_text(encoding="utf-8").split("####\n")
        if text.strip()
    ]


def verdicts(program: str) -> set[str]:
    """Return the answers to a program: as a call of its own, and as text for ``python3 -``."""
    return {
        str(judged_as(program, PYTHON).verdict),
        str(judged(f"python3 - <<'EOF'\n{program}\nEOF").verdict),
    }


@pytest.mark.parametrize("program", programs("python_risky"))
def test_a_risky_program_is_no_silent_one(program: str) -> None:
    """A program that harms, hides or sends what is not its own is asked about or denied, whichever
    way it comes.
    """
    assert "allow" not in verdicts(program)


@pytest.mark.parametrize("program", programs("python_benign"))
def test_an_ordinary_program_is_quiet(program: str) -> None:
    """A program of everyday work is no question, whichever way it comes."""
    assert verdicts(program) == {"allow"}
