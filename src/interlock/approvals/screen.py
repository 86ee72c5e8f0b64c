"""A request on a terminal, line by line: what the call would do, its words with what matters
marked, what would be lost, a safer way.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator

from interlock.approvals.summary import ApprovalSummary, FindingSummary
from interlock.model.display import visible

Paint = Callable[..., str]
"""Takes a text and the names of colours; ``plain`` takes none."""

WIDTH = 96
"""Columns that a line has at most."""
LONGEST = 300
"""Characters of one text that are shown."""


def plain(text: str, *names: str) -> str:
    """Paint nothing."""
    del names
    return text


def lines(asked: ApprovalSummary, paint: Paint, *, colour: bool) -> Iterator[str]:
    """Yield a call that is asked about, line by line; nothing in it can command the terminal."""
    yield paint(
        f"  {sanitize_line(asked.tool)} in {sanitize_line(asked.cwd) or 'an unknown folder'}",
        "grey",
    )
    for row in asked.lines:
        yield paint(f"    | {visible(row)}", "grey")
    if asked.cut:
        yield f"    | … {asked.cut} more lines"
    before = None
    for item in asked.items:
        quoted = (item.line, item.start, item.end, item.inner)
        if item.line and quoted != before:
            yield from _quote_item(item, paint, colour=colour)
        before = quoted
        yield from _wrap(
            f"• {sanitize_line(item.message)}"
            + (f": {sanitize_line(item.words)}" if item.words else ""),
            4,
        )
        if item.instead:
            yield from _wrap("safer: " + sanitize_line(item.instead), 6)
        yield paint(f"      rule {sanitize_line(item.rule)}", "grey")
    if asked.more:
        yield f"    and {asked.more} more"
    if asked.lost:
        yield from _wrap(
            f"at stake: {sanitize_line(asked.lost)}"
            + (f" ({sanitize_line(asked.examples)})" if asked.examples else ""),
            4,
        )
    if asked.partial:
        yield paint("    part of this call could not be analysed", "grey")


def _quote_item(item: FindingSummary, paint: Paint, *, colour: bool) -> Iterator[str]:
    before, meant, after = (
        visible(part)
        for part in (
            item.line[: item.start],
            item.line[item.start : item.end],
            item.line[item.end :],
        )
    )
    yield f"    {before}{paint(meant, 'red', 'underline') if meant else ''}{after}"
    if meant and not colour:
        yield f"    {' ' * len(before)}{'^' * len(meant)}"
    if item.inner:
        yield paint(f"    which runs: {sanitize_line(item.inner)}", "grey")


def sanitize_line(text: str) -> str:
    """Return a text as may be shown: of one line, bounded, and without power over the terminal."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def _wrap(text: str, indent: int) -> list[str]:
    return textwrap.wrap(
        text,
        columns(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    )


def columns() -> int:
    """Return how many columns lines may have: those of the terminal that output or errors go to."""
    for descriptor in (1, 2):
        try:
            found = os.get_terminal_size(descriptor).columns
        except OSError:
            continue
        if found:
            return max(40, min(WIDTH, found))
    return WIDTH


def format_time_left(seconds: float) -> str:
    """Say how long is left: ``4:12``, ``75 minutes``, ``2 hours``, ``30 days``."""
    whole = max(0, int(seconds))
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    if whole < 7200:
        return f"{whole // 60} minutes"
    if whole < 2 * 86400:
        return f"{round(whole / 3600)} hours"
    return f"{round(whole / 86400)} days"
