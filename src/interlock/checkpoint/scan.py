"""What lies in a work tree: every file, folder and link, but for what the stated rule leaves out.

======================================
============================================================================== left out
because ======================================
============================================================================== folders that are made
again by a tool   ``node_modules``, ``.venv``, caches (by name, ``CACHEDIR.TAG`` or ``pyvenv.cfg``)
objects of a repository                 git never changes or takes one away that something still
names files above a size, pipes, devices      a checkpoint is taken while somebody waits other file
systems                      what is mounted there is not the workspace's own
======================================
==============================================================================

What git ignores is kept like everything else. In what a call is about to take away as a whole
nothing is left out: what cannot be kept there means that there is no checkpoint.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from math import inf
from time import monotonic

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.entry import FOLDER, FileEntry, entry_from_stat
from interlock.model.record import Record

MADE_AGAIN = frozenset(
    """node_modules bower_components jspm_packages __pycache__ .venv .tox .nox .mypy_cache
        .pytest_cache .ruff_cache .hypothesis .gradle .next .nuxt
    .turbo .parcel-cache .svelte-kit .angular .terraform .eggs .cache .ccache .sass-cache
    .yarn-cache .pnpm-store .dart_tool""".split()
)
MARKS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""A folder that holds such a file is made again (bford.info/cachedir, PEP 405)."""
_REPOSITORY = frozenset({"HEAD", "objects", "refs"})
_STORES = frozenset({"objects", "lfs", "annex"})
"""Folders of a repository's data that only ever grow."""

TOO_LONG = "it would take too long"
NO_FILE = "is a pipe, a socket or a device"
"""Why a thing is left out that holds nothing of its own."""
MAX_ENTRIES = 60_000
MAX_FILE = 64 * 1024 * 1024


class ScanTargets(Record):
    """What is looked at: folders (real paths), and which of them, or of what lies below, goes
    ``whole``, so that nothing may be left out there.

    ``repositories``: other repositories inside go whole too, history and all. ``entries``,
    ``file``: how many things, and how large a file, at most.
    """

    roots: tuple[str, ...]
    whole: tuple[str, ...] = ()
    repositories: bool = False
    entries: int = MAX_ENTRIES
    file: int = MAX_FILE


class Omission(Record):
    """What a checkpoint does not hold, and why, in a few words. ``again``: a tool remakes it."""

    path: str
    why: str
    again: bool = False


class Scan:
    """What was found: entries by path (without content), and what was left out. Raises
    ``CheckpointError`` where there is too much.
    """

    def __init__(
        self,
        wanted: ScanTargets,
        skip: str = "",
        until: float = inf,
        known: Mapping[str, FileEntry] | None = None,
    ) -> None:
        """Look. ``skip``: a folder that is left out; ``until``: when (``monotonic``) there is no
        more time.

        ``known``: what an earlier look found; what a look tells the same of is that very
        ``FileEntry``.
        """
        self.wanted = wanted
        self.entries: dict[str, FileEntry] = {}
        self.left_out: list[Omission] = []
        self._skip = skip
        self._until = until
        self._known = known or {}
        for root in wanted.roots:
            self._root(root)

    def _root(self, root: str) -> None:
        try:
            stat = os.lstat(root)
        except (FileNotFoundError, NotADirectoryError):
            return
        entry = entry_from_stat(stat, self._known.get(root))
        if entry.kind != FOLDER:
            self._add(root, entry, whole=True)
            return
        whole = _inside(root, self.wanted.whole)
        self.entries[root] = entry
        below = [path for path in self.wanted.whole if path.startswith(root + "/")]
        left = [(root, whole, below)]
        while left:
            left += self._folder(*left.pop(), stat.st_dev)

    def _folder(
        self, folder: str, whole: bool, below: list[str], device: int
    ) -> list[tuple[str, bool, list[str]]]:
        """Look at one folder; return those in it that are to be looked at. ``below``: what goes
        whole further down.
        """
        if monotonic() > self._until:
            raise CheckpointError(TOO_LONG)
        try:
            with os.scandir(folder) as listed:
                found = list(listed)
        except FileNotFoundError:
            return []
        except OSError as error:
            self._leave(folder, error.strerror or "it cannot be read", whole=whole)
            return []
        names = {entry.name for entry in found}
        if (
            not whole
            and not below
            and folder not in self.wanted.roots
            and not names.isdisjoint(MARKS)
        ):
            self.left_out.append(Omission(folder, "is made again by a tool", again=True))
            return []
        data = (
            names >= _REPOSITORY
            and not whole
            and not (self.wanted.repositories and not self._own(folder))
        )
        more = []
        for item in found:
            path = item.path
            try:
                stat = item.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            known = self._known.get(path)
            entry = entry_from_stat(stat, known)
            if entry.kind != FOLDER:
                if entry is known:
                    self.entries[path] = entry
                else:
                    self._add(path, entry, whole=whole or path in below)
                continue
            inner = (
                [one for one in below if one == path or one.startswith(path + "/")] if below else []
            )
            if self._enters(path, item.name, (whole or bool(inner), data), stat.st_dev == device):
                self.entries[path] = entry
                more.append((path, whole or path in inner, inner))
        if len(self.entries) > self.wanted.entries:
            raise CheckpointError(f"there are more than {self.wanted.entries:,} files and folders")
        return more

    def _enters(self, path: str, name: str, inside: tuple[bool, bool], same: bool) -> bool:
        """Tell whether a folder is looked into. ``inside``: what goes whole, as git's data."""
        whole, data = inside
        if path == self._skip:
            self.left_out.append(Omission(path, "holds interlock's own records", again=True))
        elif not same:
            self._leave(path, "is another file system", whole=whole)
        elif data and name in _STORES:
            return False
        elif name in MADE_AGAIN and not whole:
            self.left_out.append(Omission(path, "is made again by a tool", again=True))
        else:
            return True
        return False

    def _own(self, folder: str) -> bool:
        """Whether a repository's data are those of a folder that is looked at, or of a submodule of
        it, and not of another repository inside.
        """
        return any(
            folder == f"{root}/.git" or folder.startswith(f"{root}/.git/")
            for root in self.wanted.roots
        )

    def _add(self, path: str, entry: FileEntry, *, whole: bool) -> None:
        if not entry.kind:
            self._leave(path, NO_FILE, whole=False)
        elif entry.size > self.wanted.file:
            self._leave(
                path, f"is larger than {self.wanted.file // (1024 * 1024)} MiB", whole=whole
            )
        else:
            self.entries[path] = entry

    def _leave(self, path: str, why: str, *, whole: bool) -> None:
        if whole:
            raise CheckpointError(f"{path} {why}")
        self.left_out.append(Omission(path, why))


def _inside(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)
