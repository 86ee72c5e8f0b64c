"""What is handed over to a program: copies. With a descriptor of the thing itself a program changes
its mode, times and attributes, whatever it was opened for (fchmod(2), futimens(3), fsetxattr(2)),
and with that of a folder those of all the disk, by way of ``..`` (fchmodat(2)).

A file is read from a copy in memory. What is opened to be changed is changed in one, which is put
back as soon as the program has closed it, and at the end of the run. Of a folder there is one in a
place where the program may look, with the same names and nothing in its files.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable

from interlock.codemode import file_broker
from interlock.sandbox.memory_files import empty_file

MAX_COPIED = 4 << 30
"""Bytes that are copied for one run."""
MAX_CHANGING = 256
"""Files that are being changed at once."""
MAX_NAMES = 100_000
"""Names of all the folders that a run lists outside its walls."""
PIECE = 1 << 20
NAMELESS = getattr(os, "O_TMPFILE", 0)
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR


class _ChangedFile:
    """A file that a program changes in a copy. ``length``: the file's, where only its end grows;
    else -1.
    """

    def __init__(self, path: str, file: int, copy: int, length: int) -> None:
        self.path, self.file, self.copy, self.length = path, file, copy, length
        self.first = self.changed = os.fstat(copy).st_mtime_ns

    def write_back(self, *, last: bool) -> None:
        """Write what was changed since; raises ``OSError``. ``last``: nothing more will come, and
        two changes may bear the same time.
        """
        seen = os.fstat(self.copy)
        if seen.st_mtime_ns == (self.first if last else self.changed):
            return
        self.changed = seen.st_mtime_ns
        _copy_bytes(self.copy, self.file, max(self.length, 0), seen.st_size)
        if seen.st_size < self.length or self.length < 0:
            os.ftruncate(self.file, seen.st_size)
        self.length = seen.st_size if self.length >= 0 else -1

    def is_closed(self) -> bool:
        """Whether nobody else has the copy open to write: then it can be leased (fcntl(2))."""
        try:
            fcntl.fcntl(self.copy, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            fcntl.fcntl(self.copy, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Give both descriptors back."""
        os.close(self.file)
        os.close(self.copy)


class Copies:
    """The copies of one run. ``below``: the folder for copies of folders, each at
    ``NUMBER/ITS/PATH``. ``most``: bytes of one file. ``lost``: is told what could not be put back.
    """

    def __init__(self, below: str, most: int, lost: Callable[[str], object]) -> None:
        self.below, self._most, self._lost = below, most, lost
        self._top = os.open(below, file_broker.STEP)
        self._left, self._names = MAX_COPIED, MAX_NAMES
        self._changing: list[_ChangedFile] = []
        self._folders: dict[tuple[str, int, int], str] = {}

    def opened(self, path: str, flags: int, mode: int) -> int | str:
        """Return a descriptor for what lies at a real path, or the path of the copy of a folder;
        -1 for what the program has itself. Raises ``OSError``.
        """
        if flags & file_broker.PATH_ONLY or (NAMELESS and flags & NAMELESS == NAMELESS):
            why = "what lies outside is looked at and opened by its name"
            raise OSError(errno.EOPNOTSUPP, why)
        if path in file_broker.DEVICES:
            return -1
        file = file_broker.open_path(path, _whole(flags), mode)
        try:
            kind = os.fstat(file).st_mode
            if stat.S_ISDIR(kind):
                return self._folder(path, file)
            if not stat.S_ISREG(kind):
                raise PermissionError(errno.EACCES, "only files and folders are handed over")
            return self._to_change(path, file, flags) if flags & _ACCESS else self._to_read(file)
        finally:
            if all(one.file != file for one in self._changing):
                os.close(file)

    def settle(self) -> None:
        """Put back what was changed; forget what was closed."""
        for one in tuple(self._changing):
            over = one.is_closed()
            try:
                one.write_back(last=over)
            except OSError as error:
                self._lost(f"what was written to {one.path} was lost: {error.strerror}")
                over = True
            if over:
                self._changing.remove(one)
                one.close()

    def close(self) -> None:
        """Put back what is left, whoever still has it open."""
        for one in self._changing:
            one.changed = one.first
        self.settle()
        for one in self._changing:
            one.close()
        self._changing.clear()
        os.close(self._top)

    def _copy(self, file: int, *, content: bool) -> int:
        """Return a copy that says of itself what the file says."""
        seen = os.fstat(file)
        copy = empty_file()
        try:
            if content:
                self._fill(file, copy)
            else:
                os.ftruncate(copy, seen.st_size)
            os.fchmod(copy, stat.S_IMODE(seen.st_mode) & 0o666)
            os.utime(copy, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        except BaseException:
            os.close(copy)
            raise
        return copy

    def _fill(self, file: int, copy: int) -> None:
        most = min(self._most, self._left)
        if os.fstat(file).st_size <= most:
            self._left -= _copy_bytes(file, copy, 0, most)
            if not os.pread(file, 1, most):
                return
        why = f"it is larger than {most >> 20} MiB: run again with its folder allowed"
        raise OSError(errno.EFBIG, why)

    def _to_read(self, file: int) -> int:
        copy = self._copy(file, content=True)
        try:
            return _again(copy, os.O_RDONLY)
        finally:
            os.close(copy)

    def _to_change(self, path: str, file: int, flags: int) -> int:
        """Return a copy that is put back. Where only its end may grow nobody needs the rest."""
        if len(self._changing) >= MAX_CHANGING:
            raise OSError(errno.EMFILE, f"{MAX_CHANGING} files outside are being changed")
        grows = bool(flags & os.O_APPEND) and flags & _ACCESS == os.O_WRONLY
        made = self._copy(file, content=not grows)
        try:
            copy = _again(made, os.O_RDWR)
        finally:
            os.close(made)
        length = os.fstat(copy).st_size if grows else -1
        self._changing.append(_ChangedFile(path, file, copy, length))
        return _again(copy, flags & (_ACCESS | os.O_APPEND))

    def _folder(self, path: str, file: int) -> str:
        """Return the copy of a folder, made anew where the folder has changed."""
        seen = os.fstat(file)
        key = (path, seen.st_mtime_ns, seen.st_ctime_ns)
        if key not in self._folders:
            self._folders[key] = self._build_folder(path, file)
        return self._folders[key]

    def _build_folder(self, path: str, file: int) -> str:
        names = os.listdir(file)
        self._names -= len(names)
        if self._names < 0:
            why = f"more than {MAX_NAMES} names: run again with the folder allowed"
            raise OSError(errno.EFBIG, why)
        number = str(len(self._folders))
        copy = _make_folders(self._top, [number, *path.split("/")[1:]])
        try:
            for name in names:
                _stand_in(name, file, copy)
        finally:
            os.close(copy)
        return f"{self.below}/{number}{path}".rstrip("/")


def _make_folders(top: int, steps: list[str]) -> int:
    """Make folders below one another; return the last one's descriptor. No link is followed, for
    the program may reach what is made here.
    """
    at = os.dup(top)
    for step in filter(None, steps):
        with contextlib.suppress(FileExistsError):
            os.mkdir(step, 0o700, dir_fd=at)
        try:
            following = os.open(step, file_broker.STEP, dir_fd=at)
        finally:
            os.close(at)
        at = following
    return at


def _stand_in(name: str, source: int, target: int) -> None:
    """Make what bears a name and is of the same sort and content; nothing for what is gone."""
    try:
        seen = os.stat(name, dir_fd=source, follow_symlinks=False)
        kind = seen.st_mode
        if stat.S_ISLNK(kind):
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
    except OSError:
        return
    if stat.S_ISDIR(kind):
        os.mkdir(name, 0o700, dir_fd=target)
    elif stat.S_ISREG(kind):
        _empty(name, target, seen)
    elif not stat.S_ISLNK(kind):
        os.mkfifo(name, 0o600, dir_fd=target)
    times = seen.st_atime_ns, seen.st_mtime_ns
    os.utime(name, ns=times, dir_fd=target, follow_symlinks=False)


def _empty(name: str, target: int, seen: os.stat_result) -> None:
    """Make a file of that length and mode without anything in it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | file_broker.NO_LINK
    file = os.open(name, flags, 0o600, dir_fd=target)
    try:
        os.ftruncate(file, seen.st_size)
        os.fchmod(file, stat.S_IMODE(seen.st_mode) & 0o777)
    finally:
        os.close(file)


def _whole(flags: int) -> int:
    """Return the flags by which a file is opened here: what is changed is copied first."""
    if flags & _ACCESS == os.O_WRONLY and not flags & os.O_APPEND:
        return flags & ~_ACCESS | os.O_RDWR
    return flags & ~os.O_APPEND if flags & _ACCESS == os.O_RDWR else flags


def _again(file: int, flags: int) -> int:
    """Return a descriptor of its own for a file without a name (proc_pid_fd(5))."""
    return os.open(f"/dev/fd/{file}", flags | os.O_CLOEXEC)


def _copy_bytes(source: int, target: int, start: int, end: int) -> int:
    """Copy bytes to the same places; return how many they were."""
    at = start
    while at < end and (data := os.pread(source, min(PIECE, end - at), at)):
        at += os.pwrite(target, data, at)
    return at - start
