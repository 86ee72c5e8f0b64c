"""What was last seen of the files that were installed, in one small file that is read at every
event.

A file is told by when it was last written and changed, its size and its number: where these are as
they were, nothing more is read. The time of the last change is the kernel's own, and no program
sets it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

Sign = list[object]
"""What tells whether a file moved; empty where there is none. Of a folder also its files'
names, each with its own.
"""

FOLDER = "installed"
RECORD, SEEN, KEPT = f"{FOLDER}/record.json", f"{FOLDER}/seen.json", f"{FOLDER}/kept"
"""Below the state folder: what was installed, what was last seen, the bytes to put back."""
MOST_NAMES = 100
MOST_BYTES = 1 << 20
_KIND, _FOLDER, _REGULAR = 0o170000, 0o040000, 0o100000


class PresenceState(Record):
    """``record``: the sign of the record. ``signs``: by path. ``known``: of what is otherwise than
    recorded, how it is, and by whom.

    ``session``, ``person``: what is still to be told to the session's model, and to the person.
    """

    record: object = None
    signs: Mapping[str, Sign] = {}
    known: Mapping[str, tuple[str, str]] = {}
    session: tuple[str, ...] = ()
    person: tuple[str, ...] = ()

    def text(self) -> str:
        """Return it as it is kept."""
        return dumps({name: getattr(self, name) for name in type(self).fields})


def sign(path: str) -> Sign:
    """Return what tells whether a file moved since."""
    try:
        found = system.stat(path)
        names = sorted(system.listdir(path)) if found.st_mode & _KIND == _FOLDER else []
    except (OSError, ValueError):
        return []
    own: Sign = [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
    return own + [
        [name, sign(f"{path}/{name}")] for name in names[:MOST_NAMES] if path.endswith("/guards")
    ]


def read_seen(state: str) -> PresenceState | None:
    """Return what was last seen; None where nothing was, or where that cannot be read."""
    try:
        handle = system.open(
            f"{state}/{SEEN}",
            system.O_RDONLY | getattr(system, "O_BINARY", 0) | getattr(system, "O_NONBLOCK", 0),
        )
    except OSError:
        return None
    try:
        said = loads(
            system.read(handle, MOST_BYTES)
            if system.fstat(handle).st_mode & _KIND == _REGULAR
            else b""
        )
        known = {key: (now, by) for key, (now, by) in said["known"].items()}
        return PresenceState(
            said["record"],
            dict(said["signs"]),
            known,
            tuple(said["session"]),
            tuple(said["person"]),
        )
    except (OSError, JsonError, KeyError, TypeError, ValueError, AttributeError):
        return None
    finally:
        system.close(handle)


def quiet(state: str) -> bool:
    """Tell whether all is as it was last seen, and nothing waits to be told."""
    last = read_seen(state)
    return last is not None and not last.session and not last.person and _is_as_seen(state, last)


def has_changed(state: str) -> bool:
    """Tell whether something is not as it was last seen, whatever waits to be told."""
    last = read_seen(state)
    return last is None or not _is_as_seen(state, last)


def _is_as_seen(state: str, last: PresenceState) -> bool:
    return sign(f"{state}/{RECORD}") == last.record and all(
        sign(path) == was for path, was in last.signs.items()
    )
