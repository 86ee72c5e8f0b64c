"""What keeps the service from its work, said where it was started: each sentence once, and again
where it still holds much later.
"""

from __future__ import annotations

import sys
from threading import Lock
from time import monotonic

AGAIN_SECONDS = 15 * 60


class ServiceFailures:
    """Safe for threads."""

    def __init__(self) -> None:
        self._said: dict[str, float] = {}
        self._turn = Lock()

    def say(self, why: str) -> None:
        """Say it, unless that was done just now."""
        at = monotonic()
        with self._turn:
            self._said = {one: when for one, when in self._said.items() if when > at}
            if why in self._said:
                return
            self._said[why] = at + AGAIN_SECONDS
        sys.stderr.write(f"interlock serve: {why}\n")
        sys.stderr.flush()
