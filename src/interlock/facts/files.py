"""A file's bytes, without ever waiting for them: pipes and devices are not opened."""

from __future__ import annotations

from typing import IO

try:
    import posix as _os
except ImportError:  # Windows
    import nt as _os  # type: ignore[no-redef]


_FORM, _REGULAR = 0o170000, 0o100000
_FLAGS = (
    _os.O_RDONLY
    | getattr(_os, "O_NONBLOCK", 0)
    | getattr(_os, "O_CLOEXEC", 0)
    | getattr(_os, "O_NOCTTY", 0)
    | getattr(_os, "O_BINARY", 0)
)


def open_regular(path: str) -> IO[bytes]:
    """Return a regular file, open for reading. Raises ``OSError``, or ``ValueError`` for others."""
    if _os.stat(path).st_mode & _FORM != _REGULAR:
        raise ValueError("no regular file")
    file = open(_os.open(path, _FLAGS), "rb")  # noqa: SIM115 - the caller closes it
    if _os.fstat(file.fileno()).st_mode & _FORM != _REGULAR:
        file.close()
        raise ValueError("no regular file")
    return file


def read_file(path: str, limit: int) -> bytes:
    """Return a regular file's bytes. Raises ``OSError``, and ``ValueError`` for what is no such
    file or holds more than ``limit`` bytes.

    What is opened is looked at again: between the first look and the opening it may have become
    another file, and a pipe is then not waited for.
    """
    if _os.stat(path).st_mode & _FORM != _REGULAR:
        raise ValueError("no regular file")
    descriptor = _os.open(path, _FLAGS)
    try:
        found = _os.fstat(descriptor)
        if found.st_mode & _FORM != _REGULAR or found.st_size > limit:
            raise ValueError("no regular file of that size")
        pieces, left = [], limit + 1
        while left > 0 and (piece := _os.read(descriptor, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
    finally:
        _os.close(descriptor)
    if left <= 0:
        raise ValueError("it grew past the limit")
    return b"".join(pieces)
