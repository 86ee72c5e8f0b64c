"""Processes that a command of a test started: waited for by the number they leave, and until they are gone; and a disk that is full for this one."""

from __future__ import annotations

import contextlib
import resource
import time
from typing import TYPE_CHECKING

from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Let this process write no file beyond so many bytes, as a disk does that has no more room (setrlimit(2); Python ignores its signal)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def started(marker: Path) -> int:
    """Wait for a process to leave its number."""
    end = time.monotonic() + PATIENCE
    while not (marker.exists() and marker.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.02)
    return int(marker.read_text(encoding="utf-8"))


def gone(pid: int) -> None:
    """Wait for a process to end."""
    end = time.monotonic() + PATIENCE
    while alive(pid):
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits for its parent to notice does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
