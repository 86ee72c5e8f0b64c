"""How often may be guessed: a fixed number of places to count in, so that no flood of names makes
it grow, nor makes it forget a name that is being guessed at.

A name always counts at the same place, which nobody outside can work out. Names that share one are
counted together: that is stricter, never looser.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from secrets import token_bytes
from threading import Lock
from time import monotonic

PLACES = 4096
TRIES = 5
SECONDS = 15 * 60
"""So many guesses in so long; after that, one for each fifth of it."""


class GuessCounter:
    """Counts wrong guesses. Safe for threads."""

    def __init__(
        self, places: int = PLACES, tries: int = TRIES, clock: Callable[[], float] = monotonic
    ) -> None:
        self._each = SECONDS / tries
        self._free = [0.0] * places
        """When each place has no guess to its account any more."""
        self._clock, self._key, self._turn = clock, token_bytes(16), Lock()

    def wait(self, what: str) -> int:
        """Return for how many seconds nothing may be guessed at, 0 where it may be; a guess that
        may be made counts as wrong until ``right`` says otherwise.
        """
        place, now, each = self._place(what), self._clock(), self._each
        with self._turn:
            free = max(self._free[place], now)
            if free + each > now + SECONDS:
                return int(free + each - now - SECONDS) + 1
            self._free[place] = free + each
            return 0

    def right(self, what: str) -> None:
        """Take the last guess off the account: it was right. The ones before it stay."""
        place = self._place(what)
        with self._turn:
            self._free[place] -= self._each

    def _place(self, what: str) -> int:
        found = blake2b(what.encode("utf-8", "replace"), key=self._key, digest_size=8).digest()
        return int.from_bytes(found, "big") % len(self._free)
