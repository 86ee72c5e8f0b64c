"""Paths as a program means them: exact text, where they lead, and whether anybody has to be asked
about them (``interlock.codemode.plain_paths``).
"""

from __future__ import annotations

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

READ, CHANGE = 0, 1
MAX_LINKS = 40
_text, _bytes, _all = str.__str__, bytes.__getitem__, slice(None)
_cwd, _readlink = posix.getcwd, posix.readlink


class TooManyLinksError(OSError):
    """A path leads through more links than can be followed."""


def to_text(path: object) -> str | None:
    """Return a path as text, a copy that no subclass can change; None for a descriptor."""
    if not isinstance(path, (str, bytes)) and hasattr(type(path), "__fspath__"):
        path = type(path).__fspath__(path)  # type: ignore[attr-defined]
    if isinstance(path, str):
        return _text(path)
    if isinstance(path, bytes):
        return _bytes(path, _all).decode("utf-8", "surrogateescape")
    if isinstance(path, (bytearray, memoryview)):
        return bytes(path).decode("utf-8", "surrogateescape")
    return None


def exact(path: object) -> object:
    """Return a path that says the same each time it is asked: text or bytes for an object that
    names one, anything else as it is.
    """
    return (
        type(path).__fspath__(path)  # type: ignore[attr-defined]
        if not isinstance(path, (str, bytes)) and hasattr(type(path), "__fspath__")
        else path
    )


def real(path: str, dir_fd: int | None = None, *, last: bool = True) -> str:
    """Return where a path leads: absolute, links followed, what is not there as written. ``last``:
    whether a link at its end is followed.
    """
    if path[:1] != "/":
        base = _cwd() if dir_fd in (None, -1) else behind(dir_fd) or "/"
        path = f"{base}/{path}"
    rest = path.split("/")
    rest.reverse()
    done: list[str] = []
    links = 0
    while rest:
        part = rest.pop()
        if part == "..":
            del done[-1:]
        if part in ("", ".", ".."):
            continue
        done.append(part)
        target = _target("/" + "/".join(done)) if last or any(rest) else None
        if target is None or (target[:1] != "/" and done[0] == "proc" and len(done) > 2):
            continue  # no link; or a pipe or a socket, which is the descriptor itself
        links += 1
        if links > MAX_LINKS:
            raise TooManyLinksError(40, "more links than can be followed", path)
        done = [] if target[:1] == "/" else done[:-1]
        rest += reversed(target.split("/"))
    return "/" + "/".join(done)


_copies: list[str] = []


def standing_for(folder: str) -> None:
    """Say where copies of folders lie: each stands for what its path ends in."""
    _copies[:] = [f"{folder}/"] if folder else []


def behind(descriptor: int | None) -> str | None:
    """Return the path of what a descriptor was opened for, None for a pipe or a copy in memory."""
    found = _readlink(f"/proc/self/fd/{descriptor}")
    if found[:1] != "/" or found.startswith("/memfd:"):
        return None
    for top in _copies:
        if found.startswith(top):
            return "/" + found[len(top) :].partition("/")[2]
    return found


def unhung(path: object, keywords: dict[str, Any], name: str = "dir_fd") -> object:
    """Return a path by its whole name where it hangs on the copy of a folder, which is then taken
    out of the keywords: nothing is to be found or changed in a copy.
    """
    folder = keywords.get(name)
    if not _copies or not isinstance(folder, int) or folder < 0:
        return path
    if not (_readlink(f"/proc/self/fd/{folder}") + "/").startswith(_copies[0]):
        return path
    del keywords[name]
    return real(to_text(path) or "", folder, last=False)


def _target(path: str) -> str | None:
    try:
        return _readlink(path)
    except OSError:
        return None


def below(path: str, folders: Iterable[str]) -> str:
    """Return the first of the folders that a path is, or lies in, or ``""``."""
    for folder in folders:
        if path == folder or path.startswith(folder + "/"):
            return folder
    return ""


class UnaskedPaths:
    """Which paths need no question, as the broker said at the start."""

    __slots__ = ("edits", "ends", "looks", "names", "reads", "words", "writes")

    def __init__(self, told: Mapping[str, list[str]]) -> None:
        self.reads = tuple(told.get("read", ()))
        self.writes = tuple(told.get("write", ()))
        self.edits = tuple(told.get("edit", ()))
        self.looks = (*told.get("look", ()), *self.edits)
        self.names = frozenset(told.get("name", ()))
        self.words = tuple(told.get("word", ()))
        self.ends = tuple(told.get("end", ()))

    def lets(self, path: str, kind: int) -> bool:
        """Tell whether a real path may be read, or changed, without a question."""
        if below(path, self.writes) or (kind == READ and below(path, self.reads)):
            return True
        root = below(path, self.edits if kind == CHANGE else self.looks)
        if not root or path == root:
            return bool(root) and kind == READ
        name = path.rpartition("/")[2].lower()
        if "/." in path[len(root) :] or name in self.names or name.endswith(self.ends):
            return False
        return not any(word in name for word in self.words)
