"""Processes that a command of a test started: waited for by the number they leave, and until they
are gone.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path


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
