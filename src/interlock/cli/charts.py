"""Figures as a picture: cards above, a bar for each day below. SVG, no script, no font of its own,
readable in light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from html import escape

from interlock.audit.statistics import Day

WIDTH, EDGE, TOP, CARD, FOOT = 860, 24, 64, 46, 150
FONT = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
STYLE = """\
.g{fill:#fff;stroke:#d1d9e0}.t{fill:#1f2328}.s{fill:#59636e}
.allow{fill:#2da44e}.asked{fill:#bf8700}.refused{fill:#cf222e}
@media (prefers-color-scheme: dark){.g{fill:#0d1117;stroke:#30363d}.t{fill:#e6edf3}
.s{fill:#9aa4b2}.allow{fill:#3fb950}.asked{fill:#d29922}.refused{fill:#f85149}}"""
MOST_NAMES = 8
"""Days that are named below the bars."""


def picture(
    title: str, cards: Sequence[tuple[str, str, str]], days: Sequence[Day]
) -> Iterator[str]:
    """Yield the lines of the picture: figures (name, number, what else) and days, oldest first."""
    height = TOP + CARD * len(cards) + FOOT + 40
    said = "; ".join([f"{name} {number} ({more})" for name, number, more in cards])
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img">'
    )
    yield f"<title>{escape(title)}</title><desc>{escape(said)}</desc><style>{STYLE}</style>"
    yield f'<rect class="g" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="9"/>'
    yield f'<g font-family="{FONT}" font-size="14">'
    yield f'<text class="t" x="{EDGE}" y="36" font-size="17"><tspan>{escape(title)}</tspan></text>'
    for at, (name, number, more) in enumerate(cards):
        y = TOP + CARD * at + 24
        yield f'<text class="s" x="{EDGE}" y="{y}">{escape(name)}</text>'
        yield (
            f'<text class="t" x="230" y="{y}" font-size="22" font-weight="700"'
            f' text-anchor="end">{escape(number)}</text>'
        )
        yield f'<text class="s" x="250" y="{y}">{escape(more)}</text>'
    yield from _bars(days, TOP + CARD * len(cards) + FOOT)
    yield "</g></svg>"


def _bars(days: Sequence[Day], ground: int) -> Iterator[str]:
    most = max([day.calls for day in days] + [1])
    step = (WIDTH - 2 * EDGE) / max(len(days), 1)
    every = -(-len(days) // MOST_NAMES)
    for at, day in enumerate(days):
        x, y = EDGE + step * at, float(ground)
        allowed = day.calls - day.asked - day.refused
        parts = (("allow", allowed), ("asked", day.asked), ("refused", day.refused))
        said = f"{day.day}: {day.calls} calls, {day.asked} asked, {day.refused} refused"
        yield f"<g><title>{said}</title>"
        for name, count in parts:
            tall = count / most * (FOOT - 30)
            y -= tall
            if count:
                yield (
                    f'<rect class="{name}" x="{x + step * 0.1:.1f}" y="{y:.1f}"'
                    f' width="{step * 0.8:.1f}" height="{max(tall, 1):.1f}"/>'
                )
        yield "</g>"
        if at % every == 0:
            named = date.fromisoformat(day.day).strftime("%d %b")
            middle = x + step / 2
            yield (
                f'<text class="s" x="{middle:.1f}" y="{ground + 20}" font-size="12"'
                f' text-anchor="middle">{named}</text>'
            )
