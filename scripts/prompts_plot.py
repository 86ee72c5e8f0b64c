"""The picture of how often agents ask: bars of what ``tests/e2e/test_prompts.py`` counts, read from
the table of ``docs/proven.md``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.accuracy_plot import FONT, THEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "proven.md"
_ROW = re.compile(r"^\| ([^|]+?) \| (\d+) \| (\d+) \|$", re.MULTILINE)
CALLS = 40
WIDTH, LEFT, RIGHT, TOP, STEP = 860, 150, 190, 62, 74


def rows() -> list[tuple[str, int, int]]:
    """Return each agent with how often it asked before and after, as the page has them."""
    return [
        (name, int(before), int(after))
        for name, before, after in _ROW.findall(PAGE.read_text(encoding="utf-8"))
    ]


def plot(theme: str) -> Iterator[str]:
    """Yield the lines of the picture."""
    paint, found = THEMES[theme], rows()
    height = TOP + STEP * len(found) + 8
    said = "; ".join(
        [f"{name}: {before} questions before, {after} after" for name, before, after in found]
    )
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img">'
    )
    yield f"<title>Questions of the agent in forty ordinary calls</title><desc>{said}</desc>"
    yield (
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="9"'
        f' fill="{paint["ground"]}" stroke="{paint["line"]}"/>'
    )
    yield f'<g font-family="{FONT}" font-size="13" fill="{paint["text"]}">'
    yield (
        f'<text x="24" y="34" font-weight="700">questions of the agent in {CALLS} ordinary'
        " calls</text>"
    )
    for number, (name, before, after) in enumerate(found):
        y = TOP + STEP * number
        yield f'<text x="24" y="{y + 34}" font-weight="700">{name}</text>'
        yield from _bar(y + 4, before, "as the agent asks", paint["peer"], paint)
        yield from _bar(y + 32, after, "with proven: approve", paint["ours"], paint)
    yield "</g></svg>"


def _bar(y: int, count: int, words: str, colour: str, paint: dict[str, str]) -> Iterator[str]:
    wide = max(round(count / CALLS * (WIDTH - LEFT - RIGHT), 1), 1.5)
    yield f'<rect x="{LEFT}" y="{y}" width="{wide:g}" height="20" rx="3" fill="{colour}"/>'
    number = f'<tspan fill="{paint["text"]}" font-weight="700">{count}</tspan>'
    yield (
        f'<text x="{LEFT + wide + 9:g}" y="{y + 15}" fill="{paint["soft"]}">{number} {words}</text>'
    )
