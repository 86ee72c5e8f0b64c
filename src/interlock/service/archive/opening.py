"""The archive of a folder, where what makes one is installed."""

from __future__ import annotations

from interlock.service.archive.protocol import Archive


def open_archive(folder: str) -> Archive | None:
    """Return a folder's archive, None where nothing is installed that makes one."""
    try:
        from interlock.service.archive.archive import (
            ParquetArchive,
        )  # an extra brings what it needs
    except ImportError:
        return None
    return ParquetArchive(folder)
