"""Which files there are, by their names alone: each says behind which event it begins and with
which it ends, in the order of arrival. So one that is missing shows, and no event is there twice.
"""

from __future__ import annotations

import os

from interlock.model.record import Record

FOLDER = "archive"
ENDING, UNFINISHED = ".parquet", ".part"
_DIGITS = 15


class ArchiveFile(Record):
    """A file with the events that arrived behind ``after``, up to ``through``."""

    after: int
    through: int
    path: str


def name_file(folder: str, after: int, through: int) -> str:
    """Return the path of a file."""
    return f"{folder}/{after:0{_DIGITS}}-{through:0{_DIGITS}}{ENDING}"


def list_files(folder: str) -> list[ArchiveFile]:
    """Return a folder's files, the oldest first; raises ``OSError``."""
    if not os.path.isdir(folder):
        return []
    found = []
    for name in sorted(os.listdir(folder)):
        after, _, through = name.removesuffix(ENDING).partition("-")
        if name.endswith(ENDING) and after.isdecimal() and through.isdecimal():
            found.append(ArchiveFile(int(after), int(through), f"{folder}/{name}"))
    return found


def find_gap(files: list[ArchiveFile], through: int) -> tuple[int, int] | None:
    """Return the first run of events up to one that no file has: behind which, and with which it
    ends; None where every one is in a file.
    """
    after = 0
    for one in files:
        if one.after > after:
            break
        after = max(after, one.through)
    following = [one.after for one in files if one.after > after]
    end = min([through, *following])
    return (after, end) if end > after else None


def list_joined(files: list[ArchiveFile]) -> list[ArchiveFile]:
    """Return the files from the first event on between which none is missing: those behind a gap
    count once it is closed.
    """
    found: list[ArchiveFile] = []
    after = 0
    for one in files:
        if one.after == after:
            found.append(one)
            after = one.through
    return found
