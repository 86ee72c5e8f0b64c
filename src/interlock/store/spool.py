"""Records that the database did not take: one JSON line each, appended under a lock, taken in by
the next writer.
"""

from __future__ import annotations

import sys
from types import TracebackType

from interlock.store.lock import acquire
from interlock.store.place import StoreError, prepare

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


LIMIT = 16 * 1024 * 1024
"""Bytes that may wait; past that a record is refused rather than the disk filled."""
WAIT = 3.0
"""Seconds that a record waits for whoever takes the spool in."""


class HeldElsewhereError(StoreError):
    """Another process has the file and did not let go of it in time."""


class Spool:
    """The file ``spool.jsonl`` of a state folder."""

    __slots__ = ("folder", "path")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = folder + "/spool.jsonl"

    def waiting(self) -> bool:
        """Tell, by one stat, whether anything waits."""
        try:
            return system.stat(self.path).st_size > 0
        except OSError:
            return False

    def append(self, line: str) -> None:
        """Add one line; raises ``StoreError``, and then nothing of it is left in the file."""
        try:
            prepare(self.folder)
            with SpoolLock(self.path, WAIT) as held:
                held.add(line.encode("utf-8") + b"\n", LIMIT)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from error

    def set_bad_aside(self, lines: list[bytes]) -> str:
        """Keep unreadable lines in a file of their own and return its path."""
        path = self.folder + "/spool.bad.jsonl"
        with SpoolLock(path, WAIT) as held:
            held.add(b"\n".join(lines) + b"\n", LIMIT)
        return path


class SpoolLock:
    """An open and locked file. Raises ``OSError`` or ``StoreError`` on entering."""

    __slots__ = ("descriptor", "path", "wait")

    def __init__(self, path: str, wait: float) -> None:
        self.path = path
        self.wait = wait
        self.descriptor = -1

    def __enter__(self) -> SpoolLock:  # noqa: PYI034 - there is no subclass
        self.descriptor = system.open(self.path, system.O_RDWR | system.O_CREAT, 0o600)
        if not acquire(self.descriptor, self.wait):
            system.close(self.descriptor)
            raise HeldElsewhereError(f"{self.path} is held by another process")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        system.close(self.descriptor)

    def add(self, data: bytes, limit: int) -> None:
        """Append whole or not at all. A last line left unfinished is ended first."""
        size = system.fstat(self.descriptor).st_size
        if size + len(data) > limit:
            raise StoreError(
                f"{self.path} holds {size} bytes that no writer has taken in, and takes no more"
            )
        if size:
            system.lseek(self.descriptor, size - 1, 0)
            if system.read(self.descriptor, 1) != b"\n":
                data = b"\n" + data
        system.lseek(self.descriptor, size, 0)
        try:
            _write(self.descriptor, data)
        except OSError:
            system.ftruncate(self.descriptor, size)
            raise

    def lines(self) -> list[bytes]:
        """Return what waits, line by line."""
        chunks = []
        system.lseek(self.descriptor, 0, 0)
        while chunk := system.read(self.descriptor, 1 << 20):
            chunks.append(chunk)
        return [line for line in b"".join(chunks).split(b"\n") if line]

    def empty(self) -> None:
        """Take everything out."""
        system.ftruncate(self.descriptor, 0)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[system.write(descriptor, data) :]
