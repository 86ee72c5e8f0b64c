"""Words that come in pieces, broken at blanks: none stands on two lines of the terminal."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from unicodedata import combining, east_asian_width

LONGEST = 40
"""Letters of a word that are held back until its end comes."""
_WHOLE = re.compile(r".*\S(?=\s)", re.DOTALL)
_PARTS = re.compile(r"\n|[^\S\n]+|\S+")


def columns() -> int:
    """Return how wide the terminal is."""
    return max(20, shutil.get_terminal_size().columns)


def width(word: str) -> int:
    """Return how many columns a word takes."""
    return sum(
        [0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in word]
    )


class Fold:
    """``column``: how far the line that is being written has got."""

    def __init__(self, room: Callable[[], int] = columns) -> None:
        self.column = 0
        self._room = room
        self._held = ""

    def take(self, piece: str) -> str:
        """Take a piece; return what can be written now: whole words."""
        text = self._held + piece
        whole = _WHOLE.match(text)
        cut = (
            len(text)
            if len(text) - (whole.end() if whole else 0) > LONGEST
            else whole.end()
            if whole
            else 0
        )
        self._held = text[cut:]
        return self._fold_text(text[:cut])

    def rest(self) -> str:
        """Return what was held back; the line ends with it."""
        text, self._held = self._fold_text(self._held), ""
        ended = text + "\n" if self.column else text
        self.column = 0
        return ended

    def _fold_text(self, text: str) -> str:
        room, gap = self._room(), ""
        made: list[str] = []
        for part in _PARTS.findall(text):
            if part == "\n":
                made.append(part)
                self.column, gap = 0, ""
            elif part.isspace():
                gap = part
            else:
                wide = width(part)
                if self.column and self.column + len(gap) + wide > room:
                    made.append("\n")
                    self.column, gap = 0, ""
                made.append(gap + part)
                self.column = (self.column + len(gap) + wide - 1) % room + 1
                gap = ""
        return "".join(made)
