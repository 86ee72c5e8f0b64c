"""What a program prints: its beginning and its end, or all of it in a file."""

from __future__ import annotations

MAX_SPILL = 64 << 20


class Capture:
    """Keeps ``most`` bytes of a stream: half of them from its beginning, half from its end. A
    longer one goes to the file ``spill`` as well.
    """

    def __init__(self, most: int, spill: str = "") -> None:
        self._half = max(most // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._spill = spill
        self.total = 0
        self.spilled = ""
        self.lost = ""
        """Why the file does not hold all of it."""

    def take(self, data: bytes) -> None:
        """Take the next piece."""
        self.total += len(data)
        if self.spilled:
            self._append(data)
        elif self.total > 2 * self._half and self._spill:
            self.spilled = self._spill
            self._append(bytes(self._head + self._tail) + data)  # nothing was left out so far
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        del self._tail[: max(len(self._tail) - self._half, 0)]

    def _append(self, data: bytes) -> None:
        if self.lost:
            return
        try:
            with open(self.spilled, "ab") as file:
                room = MAX_SPILL - file.tell()
                file.write(data[:room])
        except OSError as error:
            self.lost = error.strerror or str(error)
            return
        if len(data) > room:
            self.lost = f"it is longer than {MAX_SPILL >> 20} MiB"

    @property
    def where(self) -> str:
        """Where more of it is than what is kept here, in words; ``""`` where there is no more."""
        if not self.spilled:
            return ""
        return (
            f"what could be kept of it is in {self.spilled} ({self.lost})"
            if self.lost
            else f"all of it is in {self.spilled}"
        )

    def text(self) -> str:
        """Return what is kept, as text; what was left out is told where it was."""
        left = self.total - len(self._head) - len(self._tail)
        more = f"; {self.where}" if self.where else ""
        middle = f"\n[... {left} bytes left out{more} ...]\n" if left else ""
        return (
            self._head.decode("utf-8", "replace") + middle + self._tail.decode("utf-8", "replace")
        )
