"""Colours and marks for people's terminals; plain text everywhere else."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TextIO

from interlock.model.display import visible as visible  # noqa: PLC0414 - commands take it from here

_CODES = {
    "red": "31",
    "green": "32",
    "amber": "33",
    "blue": "34",
    "grey": "90",
    "bold": "1",
    "underline": "4",
}
VERDICTS = {
    "allow": ("green", "✓", "ALLOW"),
    "warn": ("amber", "!", "ALLOW, with a warning"),
    "ask": ("amber", "?", "ASK"),
    "deny": ("red", "✗", "DENY"),
}


class Painter:
    """Paints when the stream is a terminal and neither ``NO_COLOR`` (no-color.org) nor a dumb
    terminal says no, or where ``FORCE_COLOR`` (force-color.org) says yes.
    """

    def __init__(self, stream: TextIO, *, colour: bool | None = None) -> None:
        forced = bool(os.environ.get("FORCE_COLOR"))
        shows = forced or (stream.isatty() and os.environ.get("TERM") != "dumb")
        wanted = shows and not os.environ.get("NO_COLOR")
        self.on = wanted if colour is None else colour

    def __call__(self, text: str, *names: str) -> str:
        """Return the text in the named colours."""
        if not self.on or not names:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


def terminal_width(otherwise: int = 80) -> int:
    """Return how wide the terminal is: what ``COLUMNS`` says, else the terminal itself; elsewhere
    ``otherwise``. As ``shutil`` does it, whose import costs a third of Python's own start.
    """
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(1).columns or otherwise
    except OSError:
        return otherwise


def complain(text: str) -> None:
    """Write what is wrong to standard error; where a person reads it, no word is broken."""
    if sys.stderr.isatty() and text.endswith("\n") and "\r" not in text and "\x1b" not in text:
        width = terminal_width()
        text = "".join([f"{wrap_line(line, width)}\n" for line in text.splitlines()])
    sys.stderr.write(text)


def wrap_line(line: str, width: int, after: str = "  ") -> str:
    """Return a line as lines of at most ``width`` columns; only what has no space is longer."""
    return "\n".join(
        textwrap.wrap(
            line, width, subsequent_indent=after, break_long_words=False, break_on_hyphens=False
        )
    )
