"""Colours and marks for people's terminals; plain text everywhere else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from interlock.model.display import visible as visible  # noqa: PLC0414 - commands take it from here

if TYPE_CHECKING:
    from typing import TextIO

_CODES = {"red": "31", "green": "32", "amber": "33", "blue": "34", "grey": "90", "bold": "1", "underline": "4"}
VERDICTS = {
    "allow": ("green", "✓", "ALLOW"),
    "warn": ("amber", "!", "ALLOW, with a warning"),
    "ask": ("amber", "?", "ASK"),
    "deny": ("red", "✗", "DENY"),
}


class Painter:
    """Paints when the stream is a terminal and neither ``NO_COLOR`` (no-color.org) nor a dumb terminal says no."""

    def __init__(self, stream: TextIO, *, colour: bool | None = None) -> None:
        wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.on = wanted if colour is None else colour

    def __call__(self, text: str, *names: str) -> str:
        """Return the text in the named colours."""
        if not self.on or not names:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"
