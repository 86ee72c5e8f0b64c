"""The archive of one service: what is added to it, when, and what is asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.service.archive.files import (
    ENDING,
    FOLDER,
    UNFINISHED,
    ArchiveFile,
    find_gap,
    list_files,
    list_joined,
    name_file,
)
from interlock.service.archive.protocol import FoundDecision
from interlock.service.archive.searching import ArchiveSearch
from interlock.service.archive.writing import write_file
from interlock.service.store.protocol import ServiceStore, ServiceStoreError
from interlock.service.store.rows import EventRow
from interlock.service.store.views import DecisionQuery
from interlock.store.place import StoreError, prepare

MOST = 200_000
"""Numbers of events that one file covers."""
AT_ONCE = 500


class ParquetArchive:
    """A folder's files. Raises ``ServiceStoreError``."""

    def __init__(self, folder: str) -> None:
        self.folder = f"{folder}/{FOLDER}"
        self._search = ArchiveSearch()

    def find(self, wanted: DecisionQuery) -> tuple[int, list[FoundDecision]]:
        """Return up to which event the files go, and the decisions that are asked for in them, the
        newest first.
        """
        files = self.files()
        if not files:
            return 0, []
        return files[-1].through, self._search.find([one.path for one in files], wanted)

    def files(self) -> list[ArchiveFile]:
        """Return the files that count."""
        try:
            return list_joined(list_files(self.folder))
        except OSError as error:
            raise ServiceStoreError(f"{self.folder} cannot be read: {error}") from error

    def add_past_days(self, keeping: ServiceStore, at: str) -> int:
        """Write what arrived before the first decision of today (UTC) and is in no file yet; return
        how many events.
        """
        through = keeping.read(lambda known: known.last_judged(at[: len("2026-01-31")]))
        count = 0
        try:
            while gap := find_gap(list_files(self.folder), through):
                count += self._add(keeping, gap[0], min(gap[1], gap[0] + MOST))
        except (OSError, StoreError) as error:
            raise ServiceStoreError(f"{self.folder} cannot be written: {error}") from error
        return count

    def close(self) -> None:
        """Let go of what is open."""
        self._search.close()

    def _add(self, keeping: ServiceStore, after: int, through: int) -> int:
        prepare(self.folder)
        for name in os.listdir(self.folder):
            if name.endswith(ENDING + UNFINISHED):
                os.unlink(f"{self.folder}/{name}")
        path = name_file(self.folder, after, through)
        return write_file(path, _events(keeping, after, through))


def _events(keeping: ServiceStore, after: int, through: int) -> Iterator[EventRow]:
    """Yield events in the order of arrival, a few at a time, so that no write waits for it."""
    while some := keeping.read(lambda known, last=after: known.arrivals(last, through, AT_ONCE)):  # type: ignore[misc]
        yield from some
        after = some[-1].id
