"""What the policy allows and the kernel's walls do not reach: the broker tells of it, or hands over
a copy (``interlock.codemode.copies``).
"""

from __future__ import annotations

import os
import posix
import stat
from time import time_ns as _now

from .paths import below, exact, real, to_text, unhung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from .asking import Asking

_HIDDEN = frozenset({1, 2, 13, 30})
"""What the walls answer to a path outside: EPERM, ENOENT (nothing mounted), EACCES, EROFS."""
_ACROSS = 18
"""EXDEV: what Landlock answers where a file would move out of all folders of its rules."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_TIMES = ("st_atime", "st_mtime", "st_ctime")
_close, _open, _lstat, _names, _scan = os.close, os.open, posix.stat, posix.listdir, posix.scandir


class BrokerFiles:
    """Reaches what the walls hide, by way of the broker."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking

    def hides(self, error: OSError, path: object) -> bool:
        """Tell whether the walls may be why a path was not there."""
        found = to_text(path) if error.errno in _HIDDEN else None
        return found is not None and not below(real(found), self.asking.held)

    def opened(self, error: OSError, path: object, flags: int, mode: int) -> int | None:
        """Return a descriptor; None for an error not of the walls. Raises what the broker says."""
        if not self.hides(error, path):
            return None
        return self._open_copy("open", real(to_text(path) or ""), flags, mode)

    def _open_copy(self, by: str, path: str, flags: int, mode: int) -> int:
        """Return a descriptor of a copy; that of a folder is opened here."""
        found = self.asking.open_file(by, path, str(flags), str(mode))
        return _open(found, _FOLDER) if isinstance(found, str) else found

    def _stat_path(self, path: object, what: str, *, last: bool) -> list[int]:
        """Return what a broker tells of a path, as numbers, or nothing: the first answer stands."""
        try:
            target = real(to_text(path) or "", last=last)
            return self.asking.seen("os.stat", target, last=last, what=what)
        except OSError:
            return []

    def looked(
        self, original: Callable[[], object], path: object, name: str, *, last: bool
    ) -> object:
        """Return what a function says of a path, as the broker tells it where the walls hide it."""
        try:
            found = original()
            if found is not False or not self.hides(OSError(2, ""), path):
                return found
            first: OSError | None = None
        except OSError as error:
            if name == "readlink" or not self.hides(error, path):
                raise
            first = error
        seen = self._stat_path(path, "disk" if name == "statvfs" else "file", last=last)
        if not seen and first is not None:
            raise first
        return bool(seen) if name == "access" else _result(name, seen)

    def carried(self, operation: str, *arguments: str) -> None:
        """Have the broker do it; raises what it says."""
        self.asking.asked("carry", f"os.{operation}", operation, *arguments)

    def folder(self, error: OSError, path: object) -> int:
        """Return a descriptor of a folder; raises the error where there is none to be had."""
        if path is None or not self.hides(error, path):
            raise error
        try:
            return self._open_copy("os.listdir", real(to_text(path) or ""), _FOLDER, 0)
        except OSError:
            raise error from None


def _result(name: str, seen: list[int]) -> object:
    """Return the numbers that the broker tells (``hands.looked``, ``hands.room``) as ``os`` does."""
    if name == "statvfs":
        return os.statvfs_result(seen)
    times = [one // 1_000_000_000 for one in seen[7:10]]
    more = dict(zip(_TIMES, [one / 1e9 for one in seen[7:10]], strict=True))
    more |= zip((f"{one}_ns" for one in _TIMES), seen[7:10], strict=True)
    more |= zip(("st_blksize", "st_blocks", "st_rdev"), seen[10:], strict=True)
    return os.stat_result((*seen[:7], *times), more)


def folders(reach: BrokerFiles) -> tuple[Callable[..., list[Any]], Callable[..., object]]:
    """Return ``listdir`` and ``scandir`` that also list what the broker opens."""

    def listdir(path: Any = None) -> list[Any]:
        try:
            return _names(path)
        except OSError as error:
            descriptor = reach.folder(error, path)
        try:
            return list(_names(descriptor))
        finally:
            _close(descriptor)

    def scandir(path: Any = None) -> object:
        try:
            return _scan(path)
        except OSError as error:
            descriptor = reach.folder(error, path)
        try:
            found = [
                BrokerDirEntry(
                    os.fspath(path), name, _lstat(name, dir_fd=descriptor, follow_symlinks=False)
                )
                for name in _names(descriptor)
            ]
            return BrokerDirScan(found)
        finally:
            _close(descriptor)

    return listdir, scandir


def carrying(reach: BrokerFiles) -> dict[str, Callable[..., Any]]:
    """Return functions of ``os`` that change something: what the walls do not let through and the
    broker allows, it does itself.
    """

    def one(
        name: str, operation: str, arguments: Callable[..., tuple[str, ...]], *, last: bool
    ) -> Callable[..., Any]:
        original = getattr(os, name)

        def function(path: Any, *rest: Any, **keywords: Any) -> Any:
            path = unhung(exact(path), keywords)
            try:
                return original(path, *rest, **keywords)
            except OSError as error:
                if keywords.get("dir_fd") is not None or not reach.hides(error, path):
                    raise
            return reach.carried(
                operation, real(to_text(path) or "", last=last), *arguments(*rest, **keywords)
            )

        return function

    def two(name: str, operation: str) -> Callable[..., Any]:
        original, into = getattr(os, name), "dir_fd" if name == "symlink" else "dst_dir_fd"

        def function(first: Any, second: Any, **keywords: Any) -> Any:
            first = unhung(exact(first), keywords, "src_dir_fd")
            second = unhung(exact(second), keywords, into)
            try:
                return original(first, second, **keywords)
            except OSError as error:
                across = OSError(13, "") if error.errno == _ACROSS else error
                if not (reach.hides(across, first) or reach.hides(across, second)):
                    raise
            source = (
                to_text(first) or ""
                if operation == "symlink"
                else real(to_text(first) or "", last=operation == "link")
            )
            return reach.carried(operation, source, real(to_text(second) or "", last=False))

        return function

    return {
        **{name: one(name, "delete", _none, last=False) for name in ("remove", "unlink")},
        "rmdir": one("rmdir", "rmdir", _none, last=False),
        **{name: one(name, "chown", _none, last=name == "chown") for name in ("chown", "lchown") if hasattr(os, name)},
        "mkdir": one("mkdir", "mkdir", lambda mode=0o777, **_: (str(mode),), last=True),
        "truncate": one("truncate", "truncate", lambda length: (str(length),), last=True),
        "chmod": one("chmod", "chmod", lambda mode, **_: (str(mode),), last=True),
        "utime": one("utime", "utime", _times, last=True),
        **{name: two(name, "rename") for name in ("rename", "replace")},
        "link": two("link", "link"), "symlink": two("symlink", "symlink"),
    }  # fmt: skip


def _none(*_: object, **__: object) -> tuple[str, ...]:
    return ()


def _times(times: Any = None, *, ns: Any = None, **_: object) -> tuple[str, str]:
    found = (
        ns
        if ns is not None
        else [int(one * 1_000_000_000) for one in times]
        if times is not None
        else [_now()] * 2
    )
    return str(int(found[0])), str(int(found[1]))


class BrokerDirEntry:
    """An entry of a folder that the broker opened, with all that an ``os.DirEntry`` has."""

    def __init__(self, folder: str, name: str, found: os.stat_result) -> None:
        self.name = name
        self.path = f"{folder.rstrip('/')}/{name}"
        self._found = found

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def inode(self) -> int:
        """Return its number."""
        return self._found.st_ino

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return what is there."""
        return os.stat(self.path) if follow_symlinks and self.is_symlink() else self._found

    def is_symlink(self) -> bool:
        """Tell whether it is a link."""
        return stat.S_ISLNK(self._found.st_mode)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Tell whether it is a folder."""
        return self._is(stat.S_ISDIR, follow=follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Tell whether it is a file."""
        return self._is(stat.S_ISREG, follow=follow_symlinks)

    def _is(self, test: Callable[[int], bool], *, follow: bool) -> bool:
        try:
            return test(self.stat(follow_symlinks=follow).st_mode)
        except OSError:
            return False


class BrokerDirScan:
    """The entries of such a folder, as what ``os.scandir`` gives."""

    def __init__(self, found: list[BrokerDirEntry]) -> None:
        self._found: Iterator[BrokerDirEntry] = iter(found)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> BrokerDirEntry:
        return next(self._found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget what was not taken."""
        self._found = iter(())
