"""The broker's hands: what a policy allows and the walls do not reach is done here, for the
program.

Every path was judged, and is real: it leads through no link. It is walked folder by folder and no
link is followed, so that whoever swaps a folder for a link after it was judged (a race that a check
by name loses) gets an error.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator

from interlock.codemode.operations import ITSELF

Doing = Callable[[tuple[str, ...]], None]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
PATH_ONLY = getattr(os, "O_PATH", 0)
DEVICES = frozenset(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
"""Behind every wall there are some of one's own (``sandbox.process.spec``)."""
STEP = os.O_DIRECTORY | NO_LINK | os.O_CLOEXEC | PATH_ONLY


def real(path: str, *, itself: bool) -> str:
    """Return where a path leads; ``itself``: what bears the name is meant, be it a link."""
    if not itself:
        return os.path.realpath(path)
    folder, name = os.path.split(path.rstrip("/"))
    return os.path.join(os.path.realpath(folder), name)


def process(path: str) -> str:
    """Return the number of the process of a real path (proc(5)), ``""`` for any other path."""
    steps = path.split("/")
    return steps[2] if len(steps) > 2 and steps[1] == "proc" and steps[2].isdigit() else ""


def is_device(path: str) -> bool:
    """Tell whether a path lies where devices are, and memory that all share (shm_overview(7)),
    other than those that every run has.
    """
    return path.startswith("/dev/") and path not in DEVICES


@contextlib.contextmanager
def place(path: str) -> Iterator[tuple[int, str]]:
    """Give a folder's descriptor and the last name of a real path; raises ``OSError`` where a step
    on the way is a link.
    """
    *steps, name = path.split("/")[1:]
    at = os.open("/", STEP)
    try:
        for step in steps:
            following = os.open(step, STEP, dir_fd=at)
            os.close(at)
            at = following
        yield at, name
    finally:
        os.close(at)


def open_path(path: str, flags: int, mode: int) -> int:
    """Open a real path; a pipe that nobody writes holds up nobody. Raises ``OSError``."""
    with place(path) as (folder, name):
        descriptor = os.open(
            name or ".",
            flags | NO_LINK | os.O_CLOEXEC | (0 if flags & PATH_ONLY else os.O_NONBLOCK),
            mode,
            dir_fd=folder,
        )
    if not flags & PATH_ONLY:
        os.set_blocking(descriptor, True)
    return descriptor


def stat_path(path: str) -> tuple[str, ...]:
    """Return what a real path's own name bears, as numbers: ``st_mode ino dev nlink uid gid size``,
    the times of access, change and status in nanoseconds, ``blksize blocks rdev``.
    """
    with place(path) as (folder, name):
        seen = os.stat(name or ".", dir_fd=folder, follow_symlinks=False)
    whole = (*seen[:7], seen.st_atime_ns, seen.st_mtime_ns, seen.st_ctime_ns)
    return tuple(map(str, (*whole, seen.st_blksize, seen.st_blocks, seen.st_rdev)))


def room(path: str) -> tuple[str, ...]:
    """Return what there is of a disk (statvfs(3)), as numbers."""
    return tuple(map(str, os.statvfs(path)))


def _delete(arguments: tuple[str, ...]) -> None:
    with place(arguments[0]) as (folder, name):
        os.unlink(name, dir_fd=folder)


def _rmdir(arguments: tuple[str, ...]) -> None:
    with place(arguments[0]) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def _rmtree(arguments: tuple[str, ...]) -> None:
    import shutil

    with place(arguments[0]) as (folder, name):
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        shutil.rmtree(name, dir_fd=folder)


def _mkdir(arguments: tuple[str, ...]) -> None:
    with place(arguments[0]) as (folder, name):
        os.mkdir(name, int(arguments[1]), dir_fd=folder)


def _rename(arguments: tuple[str, ...]) -> None:
    with place(arguments[0]) as (source, old), place(arguments[1]) as (target, new):
        os.replace(old, new, src_dir_fd=source, dst_dir_fd=target)


def _link(arguments: tuple[str, ...]) -> None:
    with place(arguments[0]) as (source, old), place(arguments[1]) as (target, new):
        os.link(old, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)


def _symlink(arguments: tuple[str, ...]) -> None:
    with place(arguments[1]) as (folder, name):
        os.symlink(arguments[0], name, dir_fd=folder)


def _truncate(arguments: tuple[str, ...]) -> None:
    descriptor = open_path(arguments[0], os.O_WRONLY, 0)
    try:
        os.ftruncate(descriptor, int(arguments[1]))
    finally:
        os.close(descriptor)


def _chmod(arguments: tuple[str, ...]) -> None:
    descriptor = open_path(arguments[0], os.O_RDONLY, 0)
    try:
        os.fchmod(descriptor, int(arguments[1]))
    finally:
        os.close(descriptor)


def _utime(arguments: tuple[str, ...]) -> None:
    """Set the times of access and change, in nanoseconds; an empty one stays as it is."""
    with place(arguments[0]) as (folder, name):
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
        times = int(arguments[1] or now.st_atime_ns), int(arguments[2] or now.st_mtime_ns)
        os.utime(name, ns=times, dir_fd=folder, follow_symlinks=False)


DOING: dict[str, Doing] = {
    "delete": _delete, "rmdir": _rmdir, "rmtree": _rmtree, "mkdir": _mkdir, "rename": _rename,
    "link": _link, "symlink": _symlink,
    "truncate": _truncate, "chmod": _chmod, "utime": _utime,
}  # fmt: skip
"""By operation, what does it; the arguments are the operation's, paths first."""
_PATHS = {"rename": (0, 1), "link": (0, 1), "symlink": (1,)}
_NAMES = ITSELF | {"rmtree", "link"}


def resolve_arguments(name: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments of an operation with its paths real: what is to be judged, and then
    done. Raises ``ValueError`` where it cannot be.
    """
    if name not in DOING:
        raise ValueError(f"nobody can do {name!r} for a program")
    found = list(arguments)
    for at in _PATHS.get(name, (0,)):
        if not found[at].startswith("/"):
            raise ValueError("a path is absolute")
        found[at] = real(found[at], itself=name in _NAMES or name == "symlink")
    return tuple(found)
