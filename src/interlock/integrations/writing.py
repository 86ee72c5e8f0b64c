"""Files that are there whole or not at all, whatever fills the disk or ends the process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

NEW = ".interlock-new-"
"""What is made lies beside its file, under its name, this and the process's number."""


@contextlib.contextmanager
def name_errors(path: str) -> Iterator[None]:
    """Give what the disk refuses the name of its file, as ``OSError``: a full disk says none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def begin(path: str, data: bytes, mode: int) -> None:
    """Write a file that was not there; raises ``FileExistsError`` where it was, and ``OSError``,
    after which there is none.
    """
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(path)
        raise


def whole(path: str, data: bytes, mode: int, *, beside: str = "") -> None:
    """Put a file into place at once, over what is there; raises ``OSError``, after which what was
    there is there still.

    ``beside``: the file whose half-made ones are cleared away, those of killed processes among them
    (default: the file itself). Where another process is at work on the same file, one of the two
    says that it could not.
    """
    folder, name = os.path.split(beside or path)
    for left in [entry for entry in os.listdir(folder) if entry.startswith(name + NEW)]:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(folder, left))
    fresh = os.path.join(folder, f"{name}{NEW}{os.getpid()}")
    begin(fresh, data, 0o600)
    try:
        os.chmod(fresh, mode)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        raise
