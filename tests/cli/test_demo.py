"""``interlock demo``: the first thing that anybody sees fits on one screen, and is what the first
page shows.
"""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

from interlock.cli import demo
from tests.warm import interlock

TOP = Path(__file__).resolve().parents[2]
SCREEN = 40
"""Lines of a screen, three of which are what ``make demo`` says itself."""


@cache
def shown() -> list[str]:
    """Return the lines of the demonstration."""
    done = interlock("demo", cwd=TOP, env={"PYTHONPATH": str(TOP / "src")})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_it_fits_on_one_screen() -> None:
    """Every kind of answer is in it, in few lines that no terminal of usual width breaks."""
    lines = shown()
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
    picture = (TOP / "docs/pictures/session.svg").read_text(encoding="utf-8")
    drawn = (
        re.sub(r"&#x27;", "'", picture.partition("<desc>")[2].partition("</desc>")[0])
        .replace("&amp;", "&")
        .replace("&quot;", '"')
    )
    answers = [line for line in shown() if line[:2] in ("✓ ", "! ", "? ", "✗ ")]
    assert len(answers) == len(demo.SESSION)
    assert [line for line in answers if line not in drawn] == []
