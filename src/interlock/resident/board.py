"""A page of memory that the processes of the resident guard share: what each of them is at, written by it and read by the one above."""

from __future__ import annotations

import mmap
import struct

_SLOT = struct.Struct("ddq")
"""Since when it is at a call (0: at none), when it last answered one (seconds, monotonic), and how many it answered."""


class Slot:
    """The part of one process."""

    def __init__(self, page: mmap.mmap, at: int) -> None:
        self._page = page
        self._at = at * _SLOT.size

    @property
    def told(self) -> tuple[float, float, int]:
        """Since when it is at a call (0: at none), when it last answered one (0: never), and how many it answered."""
        since, last, calls = _SLOT.unpack_from(self._page, self._at)
        return since, last, calls

    def begin(self, now: float) -> None:
        """Note that a call is taken."""
        _, last, calls = self.told
        _SLOT.pack_into(self._page, self._at, now, last, calls)

    def end(self, now: float) -> None:
        """Note that it is answered."""
        _, _, calls = self.told
        _SLOT.pack_into(self._page, self._at, 0.0, now, calls + 1)

    def reset(self) -> None:
        """Make it the slot of a fresh process, which goes on counting."""
        _, last, calls = self.told
        _SLOT.pack_into(self._page, self._at, 0.0, last, calls)


class Board:
    """The slots of so many processes."""

    def __init__(self, count: int) -> None:
        page = mmap.mmap(-1, max(mmap.PAGESIZE, count * _SLOT.size))
        self.slots = [Slot(page, at) for at in range(count)]

    @property
    def last(self) -> float:
        """When the last call was answered; 0 where none was."""
        return max([slot.told[1] for slot in self.slots])
