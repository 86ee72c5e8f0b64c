"""One key of a person's keyboard: read from the terminal itself, so that standard input may be a
pipe; the terminal is left as it was found.
"""

from __future__ import annotations

import os
import select
import signal
import termios
from threading import current_thread, main_thread
from time import monotonic
from types import TracebackType
from typing import Any

from interlock.model.record import Record

STOPS = frozenset({"\x03", "\x04", "\x1c", "\x1b"})
"""Ctrl-C, Ctrl-D, Ctrl-\\ and Escape."""
SETTLING = 0.25
"""Seconds after a question came up in which keys count as typed for something else."""


class NoTerminalError(Exception):
    """There is no terminal to ask at; the text says what is missing."""


class Ends(Record):
    """The two ends of a terminal, as open files: where keys come from, and where words go."""

    keys: int
    words: int


class Keyboard:
    """Takes single keys from a terminal while entered. Raises ``NoTerminalError`` on entering."""

    def __init__(self, ends: Ends | None = None) -> None:
        self._add_option = ends
        self._opened = -1
        self._before: list[Any] = []
        self._signals: list[int] = []
        self.ends = ends or Ends(-1, -1)

    def __enter__(self) -> Keyboard:  # noqa: PYI034 - there is no subclass
        if self._add_option is None:
            self._open()
        try:
            if os.tcgetpgrp(self.ends.keys) == os.getpgrp():
                self._take()
                return self
            why = "this runs in the background of its terminal"
        except (OSError, termios.error) as error:
            why = str(error)
        self._close()
        raise NoTerminalError(f"the terminal cannot be asked: {why}")

    def _open(self) -> None:
        try:
            self._opened = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        except OSError as error:
            raise NoTerminalError(f"there is no terminal to ask at: {error.strerror}") from error
        self.ends = Ends(self._opened, 2 if os.isatty(2) else self._opened)

    def _take(self) -> None:
        """Have every key at once, unseen, and none of them as a signal; see to it that a signal
        from elsewhere finds the terminal put back.
        """
        self._before = termios.tcgetattr(self.ends.keys)
        raw = termios.tcgetattr(self.ends.keys)
        raw[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        if current_thread() is main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) == signal.SIG_DFL:
                    self._signals.append(number)
                    signal.signal(number, self._ended)
        # what was typed before the question is no answer to it
        termios.tcsetattr(self.ends.keys, termios.TCSAFLUSH, raw)

    def _ended(self, number: int, _frame: object) -> None:
        self._restore_terminal()
        os.kill(os.getpid(), number)

    def _restore_terminal(self) -> None:
        while self._signals:
            signal.signal(self._signals.pop(), signal.SIG_DFL)
        try:
            termios.tcsetattr(self.ends.keys, termios.TCSAFLUSH, self._before)
        except (OSError, termios.error):
            self._before = []  # the terminal is gone, and there is nothing to put back

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore_terminal()
        self._close()

    def _close(self) -> None:
        if self._opened >= 0:
            os.close(self._opened)
            self._opened = -1

    def settle(self) -> None:
        """Let what is being typed pass by: the question came up in the middle of it."""
        until = monotonic() + SETTLING
        while (rest := until - monotonic()) > 0:
            self._read(rest)
        termios.tcflush(self.ends.keys, termios.TCIFLUSH)

    def key(self, until: float) -> str | None:
        """Return the next key that was pressed alone, in lower case; ``""`` where the person or the
        terminal left, None at ``until`` (monotonic).

        Several characters at once are a paste, or a key without a letter, and no answer.
        """
        while (rest := until - monotonic()) > 0:
            text = self._read(rest)
            if text is not None and (text in STOPS or text == "" or "\x03" in text):
                return ""
            if text is not None and len(text) == 1:
                return text.lower()
        return None

    def _read(self, wait: float) -> str | None:
        """Return what was typed, ``""`` at its end, None where nothing was in time."""
        try:
            ready, _, _ = select.select([self.ends.keys], [], [], wait)
            if not ready:
                return None
            found = os.read(self.ends.keys, 1024)
            if (
                found[:1] == b"\x1b"
                and len(found) == 1
                and select.select([self.ends.keys], [], [], 0.02)[0]
            ):
                found += os.read(self.ends.keys, 1024)  # the rest of a key that is a sequence
        except (OSError, ValueError):
            return ""
        return found.decode("utf-8", "replace")

    def say(self, text: str) -> None:
        """Write to the terminal; a terminal that is gone is found out by the next key."""
        rest = text.encode("utf-8", "replace")
        try:
            while rest:
                rest = rest[os.write(self.ends.words, rest) :]
        except OSError:
            return
