"""A page of memory that the processes of the resident guard share: what each of them is at, written
by it and read by the one above.
"""

from __future__ import annotations

import mmap
import struct

_SLOT = struct.Struct("dd")
"""Since when it is at a call (0: at none), and when it last answered one (seconds, monotonic)."""


class Slot:
    """The part of one process."""

    def __init__(self, page: mmap.mmap, at: int) -> None:
        self._page = page
        self._at = at * _SLOT.size

    @property
    def since(self) -> float:
        """Since when it is at a call; 0 where it is at none."""
        return self._read()[0]

    @property
    def last(self) -> float:
        """When it last answered one; 0 where it never did."""
        return self._read()[1]

    def begin(self, now: float) -> None:
        """Note that a call is taken."""
        _SLOT.pack_into(self._page, self._at, now, self.last)

    def end(self, now: float) -> None:
        """Note that it is answered."""
        _SLOT.pack_into(self._page, self._at, 0.0, now)

    def reset(self) -> None:
        """Make it the slot of a fresh process, which is at no call."""
        _SLOT.pack_into(self._page, self._at, 0.0, self.last)

    def _read(self) -> tuple[float, float]:
        since, last = _SLOT.unpack_from(self._page, self._at)
        return since, last


class SharedPage:
    """The slots of so many processes."""

    def __init__(self, count: int) -> None:
        page = mmap.mmap(-1, max(mmap.PAGESIZE, count * _SLOT.size))
        self.slots = [Slot(page, at) for at in range(count)]

    @property
    def last(self) -> float:
        """When the last call was answered; 0 where none was."""
        return max([slot.last for slot in self.slots])
