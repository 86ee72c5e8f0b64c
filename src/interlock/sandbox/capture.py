"""What a program prints: its beginning and its end, and all of it in a file where that is not enough."""

from __future__ import annotations

MAX_SPILL = 64 << 20


class Capture:
    """Keeps ``most`` bytes of a stream: half of them from its beginning, half from its end. A longer one goes to the file ``spill`` as well."""

    def __init__(self, most: int, spill: str = "") -> None:
        self._half = max(most // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._spill = spill
        self.total = 0
        self.spilled = ""

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
        with open(self.spilled, "ab") as file:
            file.write(data[: max(MAX_SPILL - file.tell(), 0)])

    def text(self) -> str:
        """Return what is kept, as text; what was left out is told where it was."""
        left = self.total - len(self._head) - len(self._tail)
        middle = f"\n[... {left} bytes left out{f'; all of it is in {self.spilled}' if self.spilled else ''} ...]\n" if left else ""
        return self._head.decode("utf-8", "replace") + middle + self._tail.decode("utf-8", "replace")
