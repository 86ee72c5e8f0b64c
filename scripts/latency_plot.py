"""The picture of how long a client waits for its guard: bars of what ``bench/peers.py`` measured,
read from the table of ``docs/performance.md``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.accuracy_plot import FONT, THEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
_ROW = re.compile(
    r"^\| (?:\*\*)?([^|*]+?)(?:\*\*)? \| ([0-9.]+) \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$",
    re.MULTILINE,
)
WIDTH, LEFT, RIGHT, TOP, STEP = 860, 352, 90, 58, 30


def rows() -> list[tuple[str, float]]:
    """Return what was started and its milliseconds, as the page has them."""
    return [
        (name.replace("`", ""), float(middle))
        for name, middle in _ROW.findall(PAGE.read_text(encoding="utf-8"))
    ]


def plot(theme: str) -> Iterator[str]:
    """Yield the lines of the picture."""
    paint, found = THEMES[theme], rows()
    height, most = TOP + STEP * len(found) + 14, max([middle for _, middle in found])
    said = "; ".join([f"{name}: {middle} ms" for name, middle in found])
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img">'
    )
    yield f"<title>How long a client waits for its guard</title><desc>{said}</desc>"
    yield (
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="9"'
        f' fill="{paint["ground"]}" stroke="{paint["line"]}"/>'
    )
    yield f'<g font-family="{FONT}" font-size="13" fill="{paint["text"]}">'
    yield (
        '<text x="24" y="34" font-weight="700">milliseconds from the start of the guard to its'
        " answer, median</text>"
    )
    for number, (name, middle) in enumerate(found):
        yield from _bar(TOP + STEP * number, name, middle, middle / most, paint)
    yield "</g></svg>"


def _bar(y: int, name: str, middle: float, share: float, paint: dict[str, str]) -> Iterator[str]:
    mine = name.startswith("interlock")
    colour = (
        paint["ours"]
        if mine
        else paint["soft"]
        if name.partition(" ")[0] in ("/bin/true", "sh")
        else paint["peer"]
    )
    wide, weight = (
        max(round(share * (WIDTH - LEFT - RIGHT), 1), 1.5),
        ' font-weight="700"' if mine else "",
    )
    yield f'<text x="{LEFT - 12}" y="{y + 15}" text-anchor="end"{weight}>{name}</text>'
    yield f'<rect x="{LEFT}" y="{y + 2}" width="{wide:g}" height="18" rx="3" fill="{colour}"/>'
    yield f'<text x="{LEFT + wide + 9:g}" y="{y + 15}" fill="{paint["soft"]}">{middle:.1f}</text>'
