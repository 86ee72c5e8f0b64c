"""Bubblewrap: the command line that starts a program where only some of the disk is mounted, in
namespaces of its own (bwrap(1)).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.sandbox.bounds import OPEN, Walls

_SEPARATE = ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
_ALONE = ("--die-with-parent", "--cap-drop", "ALL")
_KEPT = ("--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_FOWNER")
"""What root keeps, to read and write files of others below the mounted folders."""


_EMPTY = "--tmpfs"
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/"
"""The package of the guard itself."""


def command(bwrap: str, walls: Walls, cwd: str) -> list[str]:
    """Return what to put before a command line. ``--dev`` and ``--proc`` are new ones: of this
    machine's devices only the harmless are there.
    """
    root = os.getuid() == 0
    words = [bwrap, *_SEPARATE, *_ALONE, *(_KEPT if root else ("--unshare-user",))]
    words += ["--unshare-net"] if walls.network != OPEN else []
    words += ["--dev", "/dev", "--proc", "/proc"]
    for path, option in _outermost(sorted(_mounts(walls), key=lambda mount: mount[0].split("/"))):
        if option == _EMPTY:
            words += [option, path]
        elif os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        else:
            words += [option, path, path]
    covered = ""
    for path in sorted({*walls.hidden, *walls.fixed, *walls.kept}, key=lambda one: one.split("/")):
        if covered and path.startswith(covered):
            continue  # it is not there any more
        covered = f"{path}/" if path in walls.hidden else covered
        words += _mask_path(path, walls)
    # where it may see nothing it starts all the same
    return [*words, "--dir", cwd, "--chdir", cwd, "--"]


def _mounts(walls: Walls) -> Iterator[tuple[str, str]]:
    """Yield paths with how they are mounted; sorted, a folder comes before what lies in it."""
    writes = {*walls.writes} - {*walls.empty}
    for path in walls.empty:
        yield path, _EMPTY
    for path in writes:
        yield path, "--bind-try"
    for path in {*walls.reads, *walls.executes} - writes - {*walls.empty}:
        if not path.startswith(("/dev/", "/proc/")) and path not in ("/dev", "/proc"):
            yield path, "--ro-bind-try"


def _outermost(mounts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Leave out what is there already, since a folder above it is mounted in the same way."""
    above: list[tuple[str, str]] = []
    for path, option in mounts:
        while above and not path.startswith(above[-1][0] + "/"):
            above.pop()
        if not above or above[-1][1] != option:
            yield path, option
            if not os.path.islink(path):
                above.append((path, option))


def _mask_path(path: str, walls: Walls) -> list[str]:
    """Put nothing over what must not be seen, a read-only mount over what must not be changed, and
    over what is to stay one of its own, which nobody moves. What is not there stays so: no stray
    files.
    """
    if not os.path.lexists(path) or os.path.islink(path):
        return []
    if path not in walls.hidden:
        return ["--ro-bind" if path in walls.fixed else "--bind", path, path]
    if os.path.isdir(path):
        return ["--tmpfs", path, *_own_mounts(path, walls), "--remount-ro", path]
    return ["--ro-bind", "/dev/null", path]


def _own_mounts(hidden: str, walls: Walls) -> list[str]:
    """Mount what starts a program behind walls, where the guard that it belongs to is hidden: it
    was installed in a folder that is lent.
    """
    own = [one for one in walls.reads if one.startswith(_OWN) and one.startswith(f"{hidden}/")]
    return [word for one in sorted(own) for word in ("--ro-bind", one, one)]
