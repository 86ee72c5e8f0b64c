"""The page on code mode says what the tests show."""

from __future__ import annotations

from pathlib import Path

from tests.codemode.rows_python import BUBBLEWRAP, GUARD, LANDLOCK, ROWS

PAGE = Path(__file__).parent.parent.parent / "docs" / "code-mode.md"


def test_every_way_out_stands_on_the_page_with_what_stops_it() -> None:
    """The page's table and the tests' rows are the same."""
    groups: dict[tuple[int, frozenset[str]], list[str]] = {}
    for row in ROWS:
        groups.setdefault((row.number, row.stopped_by), []).append(row.name)
    text = PAGE.read_text(encoding="utf-8")
    for (number, stopped_by), names in groups.items():
        marks = " | ".join(
            "yes" if tier in stopped_by else "-" for tier in (GUARD, LANDLOCK, BUBBLEWRAP)
        )
        assert f"| {number} | {', '.join(names)} | {marks} |" in text, number
