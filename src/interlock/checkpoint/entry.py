"""What a checkpoint knows of one thing in a work tree, and how a thing is told from another."""

from __future__ import annotations

from os import stat_result
from typing import NamedTuple

FILE, FOLDER, LINK = "f", "d", "l"
_FORMS = {0o100000: FILE, 0o040000: FOLDER, 0o120000: LINK}
_FORM, _MODE = 0o170000, 0o7777


class FileEntry(NamedTuple):
    """A file, folder or link as it was.

    ``mode``: permission bits; times in nanoseconds. ``digest``: of a file's content (hexadecimal),
    of a link what it says. ``pack``, ``offset``: where a file's content lies. A folder has only its
    mode and times.
    """

    kind: str
    mode: int
    size: int
    modified: int
    changed: int
    inode: int
    user: int
    group: int
    digest: str = ""
    pack: str = ""
    offset: int = 0

    @property
    def seen(self) -> tuple[object, ...]:
        """What a look at the disk tells of it: while it stays the same, nobody wrote to it. A
        folder's times change with what it holds.
        """
        return self[:2] if self.kind == FOLDER else self[:6]


def entry_from_stat(stat: stat_result, known: FileEntry | None = None) -> FileEntry:
    """Return what a look at the disk tells, without content; what is ``known``, with its content,
    where the look tells the same of it.

    The kind is ``""`` for pipes, sockets and devices, which no checkpoint holds.
    """
    mode = stat.st_mode
    told = (
        _FORMS.get(mode & _FORM, ""), mode & _MODE, stat.st_size, stat.st_mtime_ns,
        stat.st_ctime_ns, stat.st_ino, stat.st_uid, stat.st_gid,
    )  # fmt: skip
    return known if known is not None and known[:8] == told else FileEntry(*told)
