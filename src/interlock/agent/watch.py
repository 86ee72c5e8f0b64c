"""Looks for Escape (or Ctrl-C) on the terminal while a turn runs, not while a person is asked."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic

from interlock.approvals.keys import Keyboard, NoTerminalError

TICK = 0.1
"""Seconds after which the keyboard is let go of, once that is wanted."""


class Watch:
    """``escape`` is called, in a thread of its own, when the person wants the turn to end."""

    def __init__(self, escape: Callable[[], object]) -> None:
        self._escape = escape
        self._off = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Look, from now on. Where there is no terminal nothing is looked for."""
        self._off = Event()
        self._thread = Thread(target=self._look, args=(self._off,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let go of the keyboard; it is as it was when this returns."""
        self._off.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _look(self, off: Event) -> None:
        try:
            with Keyboard() as keyboard:
                while not off.is_set():
                    if keyboard.key(monotonic() + TICK) == "":
                        self._escape()
                        return
        except NoTerminalError:
            return
