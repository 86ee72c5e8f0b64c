"""Where the resident guard listens and how it knows that it is alone: a socket, and a locked file
beside it that says which process it is.

Both lie in the state folder, and their names tell the installation that they serve: another one's
hooks never come here.
"""

from __future__ import annotations

import sys

from interlock.facts import processes
from interlock.model.record import Record
from interlock.resident.relay_protocol import name_of
from interlock.store.lock import acquire

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


PATIENCE = 1.0
"""Seconds: who only looks whether a place is held (``holder``) holds it for a moment."""


class BusyError(Exception):
    """Another process holds this place."""


class SocketPlace(Record):
    """``folder``: the state folder. ``name``: of the socket in it."""

    folder: str
    name: str

    @property
    def socket(self) -> str:
        """The socket's path."""
        return f"{self.folder}/{self.name}"

    @property
    def lock(self) -> str:
        """The path of the file that the resident guard holds locked; in it stands its number."""
        return f"{self.folder}/{self.name.removesuffix('.sock')}.pid"


def place_of(folder: str, python: str, package: str) -> SocketPlace:
    """Return the place for an installation: this interpreter, this package folder."""
    return SocketPlace(folder, name_of(python, package))


def hold(place: SocketPlace) -> int:
    """Lock the place for this process; return the open file. Raises ``BusyError``, ``OSError``."""
    descriptor = system.open(
        place.lock, system.O_RDWR | system.O_CREAT | system.O_CLOEXEC | system.O_NOFOLLOW, 0o600
    )
    if not acquire(descriptor, PATIENCE):
        system.close(descriptor)
        raise BusyError
    itself = processes.this()
    system.truncate(descriptor, 0)
    system.pwrite(
        descriptor, f"{system.getpid()} {itself.ticks if itself is not None else 0}\n".encode(), 0
    )
    return descriptor


def holder(place: SocketPlace) -> processes.RunningProcess | None:
    """Return the process that holds the place; None where nobody does."""
    try:
        descriptor = system.open(place.lock, system.O_RDWR | system.O_CLOEXEC | system.O_NOFOLLOW)
    except OSError:
        return None
    try:
        free = acquire(descriptor, 0)
        words = system.read(descriptor, 64).split()
        process = None if free or len(words) != 2 else processes.running(int(words[0]))
        return process if process is not None and process.ticks == int(words[1]) else None
    except (OSError, ValueError):
        return None
    finally:
        system.close(descriptor)


def is_same(path: str, number: int) -> bool:
    """Whether the file of this number still lies there."""
    try:
        return system.lstat(path).st_ino == number
    except OSError as error:
        return not isinstance(error, (FileNotFoundError, NotADirectoryError))
