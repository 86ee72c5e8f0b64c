"""What is written to a terminal: the model's words as they come, guard events in amber, a spinner
that stands still while anything else is said.

Nothing that a model or a tool says commands the terminal: what is no letter is written out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from textwrap import wrap
from threading import Lock
from time import monotonic
from typing import Any

from interlock.agent.fold import Fold, columns
from interlock.approvals.prompt import colour_text
from interlock.approvals.screen import plain, sanitize_line
from interlock.integrations.protocol import for_people
from interlock.model.display import visible

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
EACH = 0.1
CLEAR = "\r\x1b[K"
LINES = 5
"""Lines of a tool's result that are shown."""
TELLING = ("command", "file_path", "pattern", "name", "path")
"""Arguments that say best what a call is about; the first that is there is shown."""


def clean(text: str) -> str:
    """Return a text without power over the terminal; lines and tabs stay. Takes any piece."""
    return "".join(
        [
            char if char.isprintable() or char in "\n\t" else "" if char == "\r" else visible(char)
            for char in text
        ]
    )


class Screen:
    """Where a person reads along. ``write`` takes text for the terminal; ``colour``: paint.
    ``moving``: the spinner turns.
    """

    def __init__(
        self, write: Callable[[str], object], *, colour: bool = True, moving: bool = True
    ) -> None:
        self._write = write
        self._paint = colour_text if colour else plain
        self._moving = moving
        self._lock = Lock()
        self._label = ""
        self._since = 0.0
        self._drawn = False
        self._fold = Fold()

    def spin(self, label: str) -> None:
        """Have the spinner turn, and say what is waited for."""
        with self._lock:
            self._still()
            self._label, self._since = label, monotonic()

    def still(self) -> str:
        """Take the spinner away; returns what it said."""
        with self._lock:
            label = self._label
            self._label = ""
            self._still()
            return label

    async def turning(self) -> None:
        """Draw the spinner for as long as this runs."""
        number = 0
        while self._moving:
            with self._lock:
                if self._label:
                    self._new_line()
                    waited = int(monotonic() - self._since)
                    self._put(
                        CLEAR
                        + self._paint(
                            f"{FRAMES[number % len(FRAMES)]} {self._label} · {waited} s · Esc"
                            " stops",
                            "grey",
                        )
                    )
                    self._drawn = True
            number += 1
            await asyncio.sleep(EACH)

    def piece(self, text: str) -> None:
        """Write on: words as they are whole."""
        with self._lock:
            self._label = ""
            self._still()
            self._put(self._fold.take(clean(text)))

    def line(self, text: str, *names: str) -> None:
        """Write a line of its own, painted. ``text`` is clean already where it has to be."""
        with self._lock:
            self._still()
            self._new_line()
            self._put(self._paint(text, *names) + "\n")

    def end(self) -> None:
        """End the line that is being written, if one is, and leave an empty one."""
        with self._lock:
            self._label = ""
            self._still()
            self._new_line()
            self._put("\n")

    def called(self, name: str, given: Mapping[str, Any]) -> None:
        """Show that a tool is called."""
        about = next((str(given[key]) for key in TELLING if key in given), "")
        self.line(
            f"{self._paint('●', 'green')} {self._paint(sanitize_line(name), 'bold')} {sanitize_line(about)}".rstrip()
        )
        self.spin(sanitize_line(name))

    def show_result(self, text: str, *, failed: bool) -> None:
        """Show the beginning of what a tool said."""
        self.still()
        rows = [sanitize_line(row) for row in text.split("\n") if row.strip()]
        for row in rows[:LINES]:
            self.line(f"  | {row}", *(["red"] if failed else ["grey"]))
        if len(rows) > LINES:
            self.line(f"  | and {len(rows) - LINES} lines more", "grey")

    def guard(self, lead: str, text: str = "") -> None:
        """Show what the guard did, in amber. ``text``: its answer to the model."""
        self.still()
        self.line(f"⚠ Guard: {sanitize_line(lead)}", "amber", "bold")
        for row in for_people(text):
            for line in wrap(
                sanitize_line(row),
                columns(),
                initial_indent="  ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            ):
                self.line(line, "amber")

    def _still(self) -> None:
        if self._drawn:
            self._put(CLEAR)
            self._drawn = False

    def _new_line(self) -> None:
        self._put(self._fold.rest())

    def _put(self, text: str) -> None:
        self._write(text)
