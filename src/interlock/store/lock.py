"""A lock on an open file, held by one process at a time and let go when the file is closed or the
process ends.
"""

from __future__ import annotations

from time import monotonic, sleep


def acquire(descriptor: int, wait: float) -> bool:
    """Lock the file, trying for ``wait`` seconds; tell whether it was had."""
    until = monotonic() + wait
    while not _try(descriptor):
        if monotonic() >= until:
            return False
        sleep(0.005)
    return True


def _try(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
