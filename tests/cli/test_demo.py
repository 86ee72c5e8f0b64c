"""``interlock demo``: the first thing that anybody sees fits on one screen, and is what the first
page shows.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.cli import demo
from interlock.cli.main import main

if TYPE_CHECKING:
    import pytest

TOP = Path(__file__).resolve().parents[2]
SCREEN = 40
"""Lines of a screen, three of which are what ``make demo`` says itself."""


def test_it_fits_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind of answer is in it, in few lines that no terminal of usual width breaks."""
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= SCREEN - 3
    assert max(map(len, lines)) <= 100
    assert {
        mark: any(line.startswith(f"{mark} ") for line in lines) for mark in "✓!?✗"
    } == dict.fromkeys("✓!?✗", True)
    # whatever is not simply allowed says why, on the next line
    for line, after in itertools.pairwise(lines):
        assert not line.startswith(("! ", "? ", "✗ ")) or after.startswith(" " * 9), line


def test_it_shows_what_the_picture_of_the_first_page_shows() -> None:
    """Answer by answer."""
    done = subprocess.run(
        [sys.executable, "-m", "interlock", "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(TOP / "src")},
    )
    picture = (TOP / "docs/pictures/session.svg").read_text(encoding="utf-8")
    drawn = (
        re.sub(r"&#x27;", "'", picture.partition("<desc>")[2].partition("</desc>")[0])
        .replace("&amp;", "&")
        .replace("&quot;", '"')
    )
    answers = [line for line in done.stdout.splitlines() if line[:2] in ("✓ ", "! ", "? ", "✗ ")]
    assert len(answers) == len(demo.SESSION)
    assert [line for line in answers if line not in drawn] == []
