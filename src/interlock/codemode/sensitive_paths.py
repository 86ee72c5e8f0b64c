"""What in the folders of a run bears a name that a policy may single out: secrets, what is run
later, the guard's own. All folders are looked at, however deep; what was found is kept with the
time of each folder's last change (``st_ctime_ns``, which no program sets), so that only what has
changed since is looked at again.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator

from interlock.codemode.plain_paths import ENDINGS, NAMES, WORDS
from interlock.effects.places import ANY_FOLDER
from interlock.model.record import Record

Known = dict[str, tuple[int, list[str], list[str]]]
"""A folder: when it changed, the folders in it, and the names in it that say something."""

REPOSITORY = ".git"
OF_REPOSITORY = ("hooks", "config", "config.worktree", "commondir")
"""What git runs, or where it is told what to run (gitrepository-layout(5))."""
MAX_FOLDERS = 500_000
MAX_BORROWED, MAX_ENTRY = 1000, 100
"""Folders that are looked at in those for temporary files, and in one entry of such a folder."""
MUCH = 50
"""Places in one entry of such a folder: more, and all of it is hidden."""
MANY = 500
"""Places in all of such a folder: more, and a run gets an empty one of its own in its place."""
MOST = 2000
"""Places that walls can be put around one by one: bubblewrap takes 9,000 words (bwrap(1))."""
FRESH = 2_000_000_000
"""Nanoseconds in which a folder may change again without another time."""
_NAMES = frozenset(NAMES)
_FIRST = frozenset({name.partition("/")[0] for name in ANY_FOLDER} | {REPOSITORY})
_ENDS = frozenset({"/".join(name.split("/")[-2:]) for name in ANY_FOLDER if "/" in name})
_MARK = repr((NAMES, WORDS, ENDINGS, sorted(_FIRST | _ENDS)))
"""What was looked for when an index was written."""


def _is_secret(name: str) -> bool:
    """Tell whether a name says that a secret bears it, or may."""
    low = name.lower()
    return low in _NAMES or low.endswith(ENDINGS) or any(word in low for word in WORDS)


def _says(above: str, name: str) -> bool:
    """Tell whether a name in a folder says anything."""
    return name in _FIRST or f"{above}/{name}" in _ENDS or _is_secret(name)


class TooManyFoldersError(ValueError):
    """There are more folders than can be looked at, so nobody knows what lies in them."""


class FolderIndex:
    """What is known of folders from run to run. ``path``: the file where it is kept, or ``""``."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.known: Known = {}
        self.changed = False
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            if path:
                with open(path, "rb") as file:
                    mark, self.known = marshal.load(file)  # noqa: S302 - of the guard's own folder
                if mark != _MARK:
                    self.known = {}

    def keep(self) -> None:
        """Write down what was found, if that is more than what was known; a disk that is full only
        has it looked for again.
        """
        if not self.path or not self.changed:
            return
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
            with open(f"{self.path}.{os.getpid()}", "wb") as file:
                marshal.dump((_MARK, self.known), file)
            os.replace(f"{self.path}.{os.getpid()}", self.path)

    def folder(self, path: str) -> tuple[list[str], list[str]]:
        """Return the folders in a folder, and its names that say something; raises ``OSError``."""
        changed = os.stat(path).st_ctime_ns
        found = self.known.get(path)
        if found is None or found[0] != changed:
            found = (changed, *_scan_folder(path))
            if changed + FRESH < time.time_ns():
                self.known[path] = found
                self.changed = True
            else:
                self.known.pop(path, None)
        return found[1], found[2]


def _scan_folder(path: str) -> tuple[list[str], list[str]]:
    folders, names = [], []
    with os.scandir(path) as entries:
        for entry in entries:
            names.append(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
    above = os.path.basename(path)
    inside = {name for name in names if _says(above, name)}
    if f"{path}/".find(f"/{REPOSITORY}/") >= 0:
        inside |= {name for name in names if name in OF_REPOSITORY}
    return folders, sorted(inside)


def absent(repositories: Iterable[str]) -> list[str]:
    """Return what git would run, or be told to run, in repositories, and is not there."""
    paths = [f"{path}/{name}" for path in repositories for name in OF_REPOSITORY]
    return [path for path in paths if not os.path.lexists(path)]


def sweep(paths: Iterable[str], why: str = "git would obey it outside the walls") -> Iterator[str]:
    """Take away what was not there when a run began, and say so: git would run it later, with
    nothing around it.
    """
    for path in paths:
        if os.path.lexists(path):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.remove(path)
            yield f"{path} was made by this run and taken away: {why}"


def _age(path: str) -> int:
    """Return how long ago a folder changed, for the order in which folders are looked at: what is
    worked with comes first.
    """
    try:
        return -os.stat(path).st_mtime_ns
    except OSError:
        return 0


class SensitivePaths(Record):
    """``hidden``: must not be seen; ``fixed``: must not be changed; ``kept``: folders that stay
    where they are, so that nobody puts another one in their place. ``empty``: folders in which so
    much must not be seen that nothing of them is. ``folders``: all that were there below the
    folders that were looked through whole.
    """

    hidden: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    folders: frozenset[str] = frozenset()


class SensitivePathScan:
    """Looks through folders. ``reads``, ``writes``: whether the policy lets a path be read or
    changed. ``named``: whether it speaks of a path by name, whatever that says by itself.
    ``repositories``: git itself changes what is git's, but for what it runs.
    """

    def __init__(
        self,
        judges: tuple[Callable[[str], bool], Callable[[str], bool]],
        index: FolderIndex,
        named: Callable[[str], bool] | None = None,
        *,
        repositories: bool = False,
    ) -> None:
        self._reads, self._writes = judges
        self._index, self._named, self._repositories = index, named, repositories
        self._folders = 0
        self._there: set[str] = set()

    def single_out(
        self, folders: Iterable[str], borrowed: Iterable[str] = (), spared: Iterable[str] = ()
    ) -> SensitivePaths:
        """Return what is singled out below folders. ``borrowed``: those in which everybody has
        something, and of which no run needs all but what is ``spared``. Raises
        ``TooManyFoldersError``.
        """
        sorts: dict[str, list[str]] = {"hidden": [], "fixed": [], "kept": [], "empty": []}
        tops = sorted({*folders})
        for path, sort in self._below(tops, MAX_FOLDERS, lent=False):
            sorts[sort].append(path)
        if sum(map(len, sorts.values())) > MOST:
            why = f"more than {MOST} secrets and files that a run must not change lie in {tops[0]}"
            raise TooManyFoldersError(f"{why}: name a smaller folder (--root FOLDER)")
        self._folders, there = 0, frozenset(self._there)
        for folder in borrowed:
            if folder not in tops:
                found = list(self._of_borrowed(folder, [*tops, *spared]))
                sorts["empty" if len(found) > MANY else "hidden"] += (
                    [folder] if len(found) > MANY else found
                )
        self._index.keep()
        unlike = {sort: tuple(dict.fromkeys(paths)) for sort, paths in sorts.items()}
        return SensitivePaths(**unlike, folders=there)

    def _of_borrowed(self, folder: str, tops: list[str]) -> Iterator[str]:
        """Yield what must not be seen in a borrowed folder: the single file, or all of an entry
        with much of that, or with more folders than can be looked at.
        """
        found = self._in(folder, lent=True)
        hidden = {path for path, _ in found[0]}
        yield from sorted(hidden)
        inner = [top for top in tops if top.startswith(f"{folder}/")]
        for path in sorted(found[1], key=_age):
            if path in inner or path in hidden:
                continue
            if any(top.startswith(f"{path}/") for top in inner):
                yield from self._of_borrowed(path, inner)
                continue
            try:
                most = min(self._folders + MAX_ENTRY, MAX_BORROWED)
                inside = [one for one, _ in self._below([path], most, lent=True)]
            except TooManyFoldersError:
                inside = [path]
            yield from inside if len(inside) <= MUCH else [path]

    def _below(self, tops: list[str], most: int, *, lent: bool) -> Iterator[tuple[str, str]]:
        """Yield what is singled out, with its sort; raises ``TooManyFoldersError``."""
        left = tops[::-1]
        while left:
            self._folders += 1
            if self._folders > most:
                why = f"there are more than {most} folders in {tops[0]} and what else is lent"
                raise TooManyFoldersError(f"{why}: name a smaller one (--root FOLDER)")
            folder = left.pop()
            self._there.add(folder)
            found, folders = self._in(folder, lent=lent)
            yield from found
            hidden = {path for path, sort in found if sort == "hidden"}
            left += [path for path in folders if path not in hidden]

    def _in(self, folder: str, *, lent: bool) -> tuple[list[tuple[str, str]], list[str]]:
        """Return what is singled out in one folder, and the folders in it."""
        try:
            folders, said = self._index.folder(folder)
            names = {*said, *(os.listdir(folder) if self._named else ())}
        except OSError:
            return [], []
        below, top, found = set(folders), folder.rstrip("/"), []
        for name in sorted(names):
            path = f"{top}/{name}"
            if name in said or (self._named and self._named(path)):
                sort = self._sort_lent if lent else self._sort
                found.append((path, sort(path, is_folder=name in below)))
        return [one for one in found if one[1]], [f"{top}/{name}" for name in folders]

    def _sort_lent(self, path: str, *, is_folder: bool) -> str:
        said = _is_secret(os.path.basename(path)) or (self._named and self._named(path))
        return "hidden" if said and self._is_hidden(path, is_folder=is_folder) else ""

    def _is_hidden(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path must not be seen; a folder as what is put into it must not."""
        if os.path.islink(path):
            return False
        return not self._reads(path) or (is_folder and not self._reads(f"{path}/x"))

    def _sort(self, path: str, *, is_folder: bool) -> str:
        """Return how a path counts; a folder as what is put into it does."""
        if self._is_hidden(path, is_folder=is_folder):
            return "hidden"
        if os.path.islink(path):
            return ""
        if is_folder and os.path.basename(path) == REPOSITORY and self._repositories:
            return "kept"
        if f"/{REPOSITORY}/" in path and self._repositories:
            return "fixed" if os.path.basename(path) in OF_REPOSITORY else ""
        if not self._writes(f"{path}/x" if is_folder else path):
            return "fixed"
        return "kept" if is_folder and os.path.basename(path).startswith(".") else ""
