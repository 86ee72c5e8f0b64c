"""Functions that raise no audit event, or one that says too little, replaced by such as ask first
(measured on CPython 3.11).
"""

from __future__ import annotations

import builtins
import io
import os
import posix
import sys

from .asking import OperationRefused
from .events import operation_of, writes
from .handed import BrokerFiles, carrying, folders
from .later import LATE, PatchingFinder
from .paths import CHANGE, READ, exact, unhung
from .standing import like, never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .asking import Asking
    from .events import EventChecks

_ALONE = (
    "chroot", "setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setresuid",
    "setresgid", "setgroups", "initgroups",
)  # fmt: skip
"""What makes a process somebody else."""
_OPENER = 6
"""The place of ``opener`` among the arguments of ``open`` behind the file."""


_OTHERS = {
    "setpriority": 1, "sched_setaffinity": 0, "sched_setparam": 0, "sched_setscheduler": 0,
}  # fmt: skip
"""What changes how a process runs, and which argument says whose: 0 is the caller's own. What
stands before it is 0 for a single process (``PRIO_PROCESS``).
"""


_DEVICE = 0o020000
"""The bit that both sorts of devices have, and nothing else that can be made (inode(7))."""


def replace(asking: Asking, events: EventChecks) -> None:
    """Replace them all, in modules that are loaded and in those that will be."""
    reach = BrokerFiles(asking) if asking.held else None
    for name in ("stat", "lstat", "access", "statvfs", "readlink"):
        setattr(os, name, _looking(asking, reach, getattr(os, name), name))
    for name in ("mknod", "mkfifo"):
        setattr(os, name, _making(asking, getattr(os, name), name))
        setattr(posix, name, getattr(os, name))
    for name, at in _OTHERS.items():
        if hasattr(os, name):
            setattr(os, name, _own(asking, getattr(os, name), name, at))
            setattr(posix, name, getattr(os, name))
    _opening(asking, reach)
    if reach is not None:
        for name, function in zip(("listdir", "scandir"), folders(reach), strict=True):
            setattr(os, name, function)
        for name, function in carrying(reach).items():
            setattr(os, name, like(function, getattr(os, name), name))
    for name in _ALONE:
        if hasattr(os, name):
            setattr(
                os,
                name,
                never(asking, f"os.{name}", "code.privilege", "A guarded program stays who it is."),
            )
            setattr(posix, name, getattr(os, name))
    sys.setprofile = never(
        asking,
        "sys.setprofile",
        "code.inner",
        "It would see the guard at work; cProfile measures without.",
    )
    for name, change in LATE.items():
        if name in sys.modules:
            change(asking, events, sys.modules[name])
    sys.meta_path.insert(0, PatchingFinder(asking, events))


def _looking(
    asking: Asking, reach: BrokerFiles | None, original: Callable[..., Any], name: str
) -> Callable[..., Any]:
    """Stand for a function that tells what is at a path."""
    follows = name not in ("lstat", "readlink")

    def function(
        path: object, *arguments: object, dir_fd: int | None = None, **keywords: object
    ) -> object:
        folder = {"dir_fd": dir_fd}
        path, last = (
            unhung(exact(path), folder),
            follows and bool(keywords.get("follow_symlinks", True)),
        )
        dir_fd = folder.get("dir_fd")
        asking.looked(path, f"os.{name}", dir_fd, last=last)
        if dir_fd is not None:
            return original(path, *arguments, dir_fd=dir_fd, **keywords)
        if reach is None:
            return original(path, *arguments, **keywords)
        return reach.looked(lambda: original(path, *arguments, **keywords), path, name, last=last)

    return like(function, original, name)


def _number(given: Any) -> int:
    """Return the number that the interpreter's own code sees, whatever its class says of it."""
    return int.__add__(given, 0)


def _making(asking: Asking, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    def function(
        path: object, *arguments: Any, dir_fd: int | None = None, **keywords: Any
    ) -> object:
        path = exact(path)
        mode = keywords.pop("mode", *arguments[:1] or (0o600,))
        arguments = (_number(mode), *arguments[1:])
        if arguments[0] & _DEVICE:
            raise asking.make_refusal(
                "call", f"os.{name}", "code.privilege", "It makes no devices."
            )
        asking.path("create", path, CHANGE, f"os.{name}", dir_fd)
        return (
            original(path, *arguments, **keywords)
            if dir_fd is None
            else original(path, *arguments, dir_fd=dir_fd, **keywords)
        )

    return like(function, original, name)


def _own(asking: Asking, original: Callable[..., Any], name: str, at: int) -> Callable[..., Any]:
    """Stand for a function that changes how a process runs: only the program's own."""

    def function(*arguments: Any) -> Any:
        fixed = [_number(one) if place <= at else one for place, one in enumerate(arguments)]
        if len(fixed) > at and (fixed[at] not in (0, posix.getpid()) or any(fixed[:at])):
            raise asking.make_refusal(
                "call", f"os.{name}", "code.others", "How other processes run is not its business."
            )
        return original(*fixed)

    return like(function, original, name)


def _opening(asking: Asking, reach: BrokerFiles | None) -> None:
    raw = os.open
    whole: Callable[..., Any] = io.open

    def os_open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        folder = {"dir_fd": dir_fd}
        path = unhung(exact(path), folder)
        dir_fd = folder.get("dir_fd")
        if dir_fd is not None:  # the event does not say on which folder the path hangs
            asking.path(
                operation_of(flags), path, CHANGE if writes(flags) else READ, "os.open", dir_fd
            )
            return raw(path, flags, mode, dir_fd=dir_fd)
        try:
            return raw(path, flags, mode)
        except OperationRefused:
            raise
        except OSError as error:
            found = reach.opened(error, path, flags, mode) if reach is not None else None
            if found is None:
                raise
            return found

    def open_(file: Any, *arguments: Any, **keywords: Any) -> Any:
        file = exact(file)
        try:
            return whole(file, *arguments, **keywords)
        except OperationRefused:
            raise
        except OSError as error:
            if (
                reach is None
                or len(arguments) > _OPENER
                or "opener" in keywords
                or not reach.hides(error, file)
            ):
                raise
            first = error

        def handed(path: Any, flags: int) -> int:
            found = reach.opened(first, path, flags, 0o666)
            if found is None:
                raise first
            return found

        return whole(file, *arguments, **keywords, opener=handed)

    os.open = like(os_open, raw, "open")
    builtins.open = io.open = like(open_, whole, "open")
