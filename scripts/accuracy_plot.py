"""The plot of accuracy against noise: what each guard stops of the same dangerous commands, and
what it interrupts of the same ordinary ones.

Figures of interlock are read from ``docs/accuracy.md``, where ``make score`` puts them. The others
were measured in November 2026 with the same labelled shell commands, each as its maker packages it,
with its default settings, asked through its own library or hook.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"
STOPPED_ROW, INTERRUPTED_ROW = "shell lines answered ask or deny", "shell lines interrupted"
PROVEN_ROW, LET_PASS_ROW = "shell lines proven harmless", "dangerous shell lines proven harmless"


class Point(NamedTuple):
    """A guard: percent of dangerous commands stopped, percent of ordinary ones interrupted, and how
    far below its disc its label stands.
    """

    name: str
    stopped: float
    interrupted: float
    down: int = 4


PEERS = (
    Point("Dippy 0.2.7", 99.2, 34.8, down=-4),
    Point("vetter 0.2.1, check", 95.9, 37.3, down=7),
    Point("nah 0.11.0", 92.1, 39.9, down=14),
    Point("seatbelt-guard 0.1.5", 61.1, 0.2),
    Point("vetter 0.2.1, hook", 53.2, 5.2),
    Point("agentbelay 0.1.0", 38.8, 0.2, down=0),
    Point("cc-safety-net 2.4.5, paranoid", 35.8, 0.5, down=12),
    Point("cc-safety-net 2.4.5", 24.6, 0.0),
)
"""Versions and where they are published stand in docs/accuracy.md."""

FIRST_SIGHT = (
    Point("", 92.4, 2.0),
    Point("", 80.4, 1.2),
    Point("", 94.2, 0.3),
    Point("", 89.4, 0.3),
)
"""interlock on rounds of commands that were written before they were run, and mended only
afterwards (the second table of the page).
"""

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 470, 64, 66, 30, 56
MOST = 45
THEMES = {
    "light": {
        "ground": "#ffffff",
        "text": "#1f2328",
        "soft": "#59636e",
        "line": "#d1d9e0",
        "ours": "#00796b",
        "peer": "#8250df",
    },
    "dark": {
        "ground": "#0d1117",
        "text": "#e6edf3",
        "soft": "#9aa4b2",
        "line": "#30363d",
        "ours": "#2dd4bf",
        "peer": "#b794f6",
    },
}
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def ours() -> tuple[Point, Point]:
    """Return interlock's own figures from the raw column of the page: as it is installed, and where
    all that is not proven is asked about.
    """
    cells = dict(
        re.findall(r"^\| ([^|]+?) \| ([0-9.]+)%", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )
    stopped, interrupted, proven, passed = [
        float(cells[row]) for row in (STOPPED_ROW, INTERRUPTED_ROW, PROVEN_ROW, LET_PASS_ROW)
    ]
    return Point("interlock", stopped, interrupted, down=22), Point(
        "interlock, unproven: ask", 100 - passed, 100 - proven, down=-14
    )


def plot(theme: str) -> Iterator[str]:
    """Yield the lines of the picture."""
    paint = THEMES[theme]
    mine = ours()
    points = [*PEERS, *mine]
    said = "; ".join(
        [f"{one.name}: {one.stopped} % stopped, {one.interrupted} % interrupted" for one in points]
    )
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" role="img">'
    )
    yield f"<title>What guards stop, and what they interrupt</title><desc>{said}</desc>"
    yield (
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="9"'
        f' fill="{paint["ground"]}" stroke="{paint["line"]}"/>'
    )
    yield f"<style>text{{paint-order:stroke;stroke:{paint['ground']};stroke-width:5px}}</style>"
    yield f'<g font-family="{FONT}" font-size="13" fill="{paint["soft"]}">'
    yield _text(LEFT - 44, 32, "dangerous commands stopped", paint["text"], bold=True)
    yield _text(
        WIDTH - RIGHT,
        HEIGHT - 14,
        "ordinary commands interrupted",
        paint["text"],
        anchor="end",
        bold=True,
    )
    yield from _grid(paint)
    path = "L".join([f"{_x(one.interrupted)} {_y(one.stopped)}" for one in mine])
    yield f'<path d="M{path}" stroke="{paint["ours"]}" stroke-width="2" fill="none"/>'
    for point in FIRST_SIGHT:
        yield (
            f'<circle cx="{_x(point.interrupted)}" cy="{_y(point.stopped)}" r="4" fill="none"'
            f' stroke="{paint["ours"]}" stroke-width="2"/>'
        )
    yield _text(
        _x(FIRST_SIGHT[0].interrupted) + 14,
        _y(84.3),
        "interlock on commands never seen before: 80.4 to 94.2 % and 0.3 to 2.0 %",
        paint["ours"],
    )
    for point in points:
        yield from _mark(point, paint)
    yield "</g></svg>"


def _x(interrupted: float) -> float:
    return round(LEFT + interrupted / MOST * (WIDTH - LEFT - RIGHT), 1)


def _y(stopped: float) -> float:
    return round(TOP + (100 - stopped) / 100 * (HEIGHT - TOP - BOTTOM), 1)


def _grid(paint: dict[str, str]) -> Iterator[str]:
    for share in range(0, 101, 20):
        yield f'<path d="M{LEFT} {_y(share)}H{WIDTH - RIGHT}" stroke="{paint["line"]}"/>'
        yield _text(LEFT - 10, _y(share) + 4, f"{share} %", anchor="end")
    for share in range(0, MOST + 1, 10):
        yield _text(_x(share), HEIGHT - BOTTOM + 19, f"{share} %", anchor="middle")


def _mark(point: Point, paint: dict[str, str]) -> Iterator[str]:
    """Draw a guard: a disc and its name with both figures, left of it where the right edge is
    near.
    """
    mine = point.name.startswith("interlock")
    colour = paint["ours" if mine else "peer"]
    x, y = _x(point.interrupted), _y(point.stopped)
    near = point.interrupted > (MOST / 4 if mine else MOST / 2)
    yield f'<circle cx="{x}" cy="{y}" r="{8 if mine else 5}" fill="{colour}"/>'
    words = f"{point.name}: {point.stopped:.1f} % and {point.interrupted:.1f} %"
    yield _text(
        x + (-11 if near else 14),
        y + point.down,
        words,
        colour if mine else paint["text"],
        anchor="end" if near else "start",
        bold=mine,
    )


def _text(
    x: float, y: float, words: str, colour: str = "", anchor: str = "start", *, bold: bool = False
) -> str:
    style = (f' fill="{colour}"' if colour else "") + (' font-weight="700"' if bold else "")
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style}>{words}</text>'
