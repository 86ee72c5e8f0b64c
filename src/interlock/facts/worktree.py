"""What git could not bring back of a work tree: its index is compared with the disk and with HEAD.
git itself is never run.

``git status`` would run what the repository configures (``core.fsmonitor``, filters), so the files
are read here. Whatever is unusual makes the answer unknown: a split or sparse index, a conflict,
submodules, repositories with other object names, an index that somebody is writing, ignore rules
that are in no commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha1
from os import stat_result
from typing import TypeVar

from interlock.facts.files import read_file
from interlock.facts.gitignore import Patterns
from interlock.facts.gitindex import (
    FOLDER_MODE,
    LINK_MODE,
    REPOSITORY_MODE,
    GitIndex,
    IndexEntry,
    IndexTree,
    parse,
)
from interlock.facts.gitobjects import GitObjects
from interlock.model.facts import ALL, FILES, TRACKED, UNKNOWN, UNTRACKED, Loss, Unknown

try:
    import posix as _os
except ImportError:  # Windows: `lstat` says too little there, nothing is known
    import os as _os  # type: ignore[no-redef]


MAX_INDEX = 16 * 1024 * 1024
MAX_VISITED = 40_000
"""Files and folders of the disk that are looked at."""
MAX_HASHED = 32 * 1024 * 1024
"""Bytes that are read to compare what a stat does not tell."""
MAX_IGNORED = 1000
MAX_COMPARED = 10_000
"""Tracked files of which it is asked which of them were altered."""
MAX_ALTERED = 64
MAX_REF = 4 * 1024 * 1024
_UNREADABLE = ("objectformat", "refstorage", "worktree")
"""Words in a repository's configuration that change where things lie or what they are called."""
_WORD = 0xFFFFFFFF
T = TypeVar("T")
Rules = Callable[[tuple[str, ...]], list[Patterns]]
"""Returns the ignore rules of a folder of the work tree."""


class TooMuchError(Exception):
    """The question takes more work than one call is worth, or the answer cannot be known."""


def loss(top: str, git: str, path: str, of: str) -> Loss | Unknown:
    """Return what git could not bring back at or below a real path in the work tree ``top``, whose
    data lies in the folder ``git``.
    """
    return _ask_survey(top, git, lambda survey: survey.loss(path[len(top) + 1 :], of))


def find_altered(top: str, git: str, path: str) -> tuple[str, ...] | Unknown:
    """Return the tracked files at or below a real path that are not as the last commit has them;
    unknown where they are many.
    """
    return _ask_survey(top, git, lambda survey: survey.find_altered(path[len(top) + 1 :]))


def find_untracked(top: str, git: str, path: str) -> tuple[str, ...] | Unknown:
    """Return the files at or below a real path that ``git add`` would take in as new ones, the
    newest first, at most 64.
    """
    return _ask_survey(top, git, lambda survey: survey.untracked(path[len(top) + 1 :]))


def _ask_survey(top: str, git: str, question: Callable[[Survey], T]) -> T | Unknown:
    if not hasattr(_os, "pread"):
        return UNKNOWN
    try:
        return question(Survey(top, git))
    except (OSError, ValueError, TooMuchError):
        return UNKNOWN


class Survey:
    """One work tree: its index against the disk and HEAD. Raises ``OSError``, ``ValueError`` or
    ``TooMuchError`` where something cannot be told.
    """

    def __init__(self, top: str, git: str) -> None:
        self._top = top
        self._git = git
        self._common = common_folder(git)
        self._visits = MAX_VISITED
        self._hashes = MAX_HASHED
        config = read_file(f"{self._common}/config", MAX_REF).decode("utf-8", "replace").lower()
        if any(word in config for word in _UNREADABLE) or _exists(f"{git}/index.lock"):
            raise TooMuchError
        self._index, self._written = self._read_index()
        self._objects = GitObjects(f"{self._common}/objects")
        self._root: bytes | None = None

    def _read_index(self) -> tuple[GitIndex, int]:
        path = f"{self._git}/index"
        try:
            written = _os.stat(path).st_mtime_ns
            index = parse(read_file(path, MAX_INDEX))
        except FileNotFoundError:
            return GitIndex(b"", {}, None), 0
        if index is None:
            raise TooMuchError
        return index, written

    # -- tracked files -----------------------------------------------------------------------------

    def loss(self, path: str, of: str) -> Loss:
        """Return what git cannot bring back below a path of the work tree, ``""`` for all of it."""
        inside = path.encode("utf-8", "surrogateescape")
        entries = self._entries(inside)
        if of == FILES:
            entries = [
                entry for entry in entries if b"/" not in entry.name[len(inside) + bool(inside) :]
            ]
        lost = 0 if of == UNTRACKED else self._lost(entries, inside, only_files=of == FILES)
        found = Loss(len(entries), lost, links=sum(entry.mode == LINK_MODE for entry in entries))
        return found if of == TRACKED or lost else self._others(found, path, of)

    def find_altered(self, path: str) -> tuple[str, ...]:
        """Return the tracked files at or below a path there that are not as HEAD has them."""
        entries = self.tracked(path)
        if len(entries) > MAX_COMPARED:
            raise TooMuchError
        staged = self.find_staged(path, entries.values())
        found = tuple(
            [
                f"{self._top}/{name}"
                for name, entry in entries.items()
                if name in staged or not self.is_unchanged(entry)
            ]
        )
        if len(found) > MAX_ALTERED:
            raise TooMuchError
        return found

    def _entries(self, inside: bytes) -> list[IndexEntry]:
        entries = self._index.below(inside)
        if entries is None:
            raise TooMuchError
        return entries

    def _lost(self, entries: list[IndexEntry], inside: bytes, *, only_files: bool = False) -> int:
        """Return how many tracked files are not as HEAD has them."""
        if any(entry.mode == REPOSITORY_MODE for entry in entries):
            raise TooMuchError
        uncommitted = sum(1 for _ in self._find_uncommitted(entries, inside, only_files=only_files))
        return uncommitted + sum(not self._same(entry) for entry in entries)

    def tracked(self, path: str) -> dict[str, IndexEntry]:
        """Return the tracked files at or below a path, by their names in the work tree."""
        entries = self._entries(path.encode("utf-8", "surrogateescape"))
        return {entry.name.decode("utf-8", "surrogateescape"): entry for entry in entries}

    def find_staged(self, path: str, entries: Iterable[IndexEntry]) -> frozenset[str]:
        """Return what tracked files at or below a path the index does not have as HEAD does."""
        names = self._find_uncommitted(
            list(entries), path.encode("utf-8", "surrogateescape"), only_files=False
        )
        return frozenset([name.decode("utf-8", "surrogateescape") for name in names])

    def is_unchanged(self, entry: IndexEntry) -> bool:
        """Tell whether a tracked file is on disk as the index has it, or gone."""
        return entry.mode != REPOSITORY_MODE and self._same(entry)

    def _same(self, entry: IndexEntry) -> bool:
        """Tell whether a file is as the index says, or is gone: what is gone cannot be lost."""
        self._visit()
        path = f"{self._top}/{entry.name.decode('utf-8', 'surrogateescape')}"
        try:
            seen = _os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return True
        form, link = seen.st_mode & 0o170000, entry.mode == LINK_MODE
        if form != (LINK_MODE if link else 0o100000) or (
            not link and bool(seen.st_mode & 0o100) != bool(entry.mode & 0o100)
        ):
            return False
        return (_is_unchanged(entry, seen) and entry.modified < self._written) or self._holds(
            entry, path, seen.st_size
        )

    def _holds(self, entry: IndexEntry, path: str, size: int) -> bool:
        """Tell by its hash whether a file holds what the index says."""
        self._hashes -= size
        if self._hashes < 0:
            raise TooMuchError
        data = (
            _os.readlink(path).encode("utf-8", "surrogateescape")
            if entry.mode == LINK_MODE
            else read_file(path, MAX_HASHED)
        )
        return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest() == entry.oid

    def _visit(self) -> None:
        self._visits -= 1
        if self._visits < 0:
            raise TooMuchError

    # -- HEAD --------------------------------------------------------------------------------------

    def _find_uncommitted(
        self, entries: list[IndexEntry], inside: bytes, *, only_files: bool
    ) -> Iterable[bytes]:
        """Return the files in which index and HEAD differ: trees of the same name hold the same."""
        if self._root is None:
            commit = _head(self._git, self._common)
            if not commit:
                return [entry.name for entry in entries]
            self._root = self._objects.root(commit)
        if self._root is None:
            raise TooMuchError
        return _Comparison(self._objects, inside, only_files=only_files).differing(
            entries, self._index.tree, self._root
        )

    # -- the others --------------------------------------------------------------------------------

    def _others(self, found: Loss, path: str, of: str) -> Loss:
        """Add the files that are not tracked, told apart by whether they are ignored."""
        steps = tuple(path.split("/")) if path else ()
        rules = self._above(steps, self.rules)
        if rules is None:
            return found.replace(ignored=(f"{self._top}/{path}",))
        try:
            form = _os.lstat(f"{self._top}/{path}").st_mode & 0o170000
        except FileNotFoundError:
            return found
        if steps and is_ignored(rules, steps, folder=form == FOLDER_MODE) and not found.tracked:
            return found.replace(ignored=(f"{self._top}/{path}",))
        if form != FOLDER_MODE:
            return found if found.tracked else found.replace(untracked=1)
        new, ignored = self._walk(steps, rules, of, self.rules)
        return found.replace(untracked=len(new), ignored=tuple(sorted(ignored)))

    def untracked(self, path: str) -> tuple[str, ...]:
        """Return the files that ``git add`` would take in, by the ignore rules as they are now."""
        steps = tuple(path.split("/")) if path else ()
        rules = self._above(steps, self._rules_now)
        is_folder = _os.lstat(f"{self._top}/{path}").st_mode & 0o170000 == FOLDER_MODE
        if rules is None or (steps and is_ignored(rules, steps, folder=is_folder)):
            return ()
        if is_folder:
            found, _ = self._walk(steps, rules, UNTRACKED, self._rules_now)
        else:
            found = [] if path.encode("utf-8", "surrogateescape") in self._index.places else [path]
        paths = [f"{self._top}/{name}" for name in found if name.rpartition("/")[2] != ".git"]
        paths.sort(key=lambda one: (-_os.lstat(one).st_mtime_ns, one))
        return tuple(paths[:MAX_ALTERED])

    def _above(self, steps: tuple[str, ...], rules_of: Rules) -> list[Patterns] | None:
        """Return the ignore rules above a path; None where one of its folders is ignored."""
        rules = self.read_excludes()
        for depth in range(len(steps)):
            rules += rules_of(steps[:depth])
            if depth and is_ignored(rules, steps[:depth], folder=True):
                return None
        return rules

    def _walk(
        self, start: tuple[str, ...], above: list[Patterns], of: str, rules_of: Rules
    ) -> tuple[list[str], list[str]]:
        """Return what is neither tracked nor ignored, by names, and what is ignored."""
        new: list[str] = []
        ignored: list[str] = []
        left = [(start, above)]
        while left:
            folder, rules = left.pop()
            rules = rules + rules_of(folder)
            with _os.scandir("/".join([self._top, *folder])) as listed:
                entries = list(listed)
            for entry in entries:
                self._visit()
                steps = (*folder, entry.name)
                path = "/".join(steps)
                is_folder = entry.is_dir(follow_symlinks=False)
                if entry.name == ".git":
                    new += [path] if folder or of == ALL else []
                elif path.encode("utf-8", "surrogateescape") in self._index.places or (
                    of == FILES and (is_folder or entry.name[:1] == ".")
                ):
                    continue
                elif is_ignored(rules, steps, folder=is_folder):
                    ignored.append(f"{self._top}/{path}")
                    if len(ignored) > MAX_IGNORED:
                        raise TooMuchError
                elif is_folder:
                    left.append((steps, rules))
                else:
                    new.append(path)
        return new, ignored

    def rules(self, folder: tuple[str, ...]) -> list[Patterns]:
        """Return the ignore rules of a folder. They count only as HEAD has them: what the agent
        writes into them now ignores nothing.
        """
        found = self._rules_now(folder)
        name = "/".join([*folder, ".gitignore"]).encode("utf-8", "surrogateescape")
        entry = self._index.file(name) if found else None
        if found and (entry is None or self._lost([entry], name)):
            raise TooMuchError
        return found

    def _rules_now(self, folder: tuple[str, ...]) -> list[Patterns]:
        """Return the ignore rules of a folder as they stand on the disk, by which git adds."""
        try:
            name = "/".join([self._top, *folder, ".gitignore"])
            return [Patterns(read_file(name, 1 << 18).decode("utf-8"), folder)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def read_excludes(self) -> list[Patterns]:
        """Return the ignore rules that are the repository's own."""
        try:
            return [Patterns(read_file(f"{self._common}/info/exclude", 1 << 18).decode("utf-8"))]
        except FileNotFoundError:
            return []


class _Comparison:
    """Compares entries of the index with the trees of HEAD, as deep as they differ."""

    def __init__(self, objects: GitObjects, inside: bytes, *, only_files: bool) -> None:
        self._objects = objects
        self._inside = inside
        self._only_files = only_files

    def differing(
        self,
        entries: Iterable[IndexEntry],
        known: IndexTree | None,
        oid: bytes,
        folder: bytes = b"",
    ) -> Iterator[bytes]:
        """Yield the entries missing or other in the tree, and what of the tree has none."""
        if known is not None and known.oid == oid:
            return
        held = self._objects.tree(oid)
        if held is None or folder.count(b"/") > 64:
            raise TooMuchError
        below: dict[bytes, list[IndexEntry]] = {}
        for entry in entries:
            name, deeper, _ = entry.name[len(folder) :].partition(b"/")
            if deeper:
                below.setdefault(name, []).append(entry)
            elif held.pop(name, None) != (entry.mode, entry.oid):
                yield entry.name
        for name, some in below.items():
            mode, tree = held.pop(name, (0, b""))
            if mode == FOLDER_MODE:
                yield from self.differing(
                    some,
                    known.below.get(name) if known is not None else None,
                    tree,
                    folder + name + b"/",
                )
            else:
                yield from [entry.name for entry in some]
        yield from [
            folder + name for name, (mode, _) in held.items() if self._counts(folder + name, mode)
        ]

    def _counts(self, name: bytes, mode: int) -> bool:
        """Whether what only the tree holds lies where it was asked about."""
        if self._only_files and (mode == FOLDER_MODE or name.rpartition(b"/")[0] != self._inside):
            return False
        return (
            not self._inside
            or name == self._inside
            or name.startswith(self._inside + b"/")
            or self._inside.startswith(name + b"/")
        )


# -- small questions -------------------------------------------------------------------------------


def _is_unchanged(entry: IndexEntry, seen: stat_result) -> bool:
    """Compare a file with how git last saw it, as git does: size, times, inode, in 32 bits."""
    seconds, rest = divmod(entry.modified, 10**9)
    changed, more = divmod(entry.changed, 10**9)
    return (
        entry.size == seen.st_size & _WORD
        and entry.inode == seen.st_ino & _WORD
        and (seconds, rest) == (seen.st_mtime_ns // 10**9 & _WORD, seen.st_mtime_ns % 10**9)
        and (changed, more) == (seen.st_ctime_ns // 10**9 & _WORD, seen.st_ctime_ns % 10**9)
    )


def is_ignored(rules: list[Patterns], path: tuple[str, ...], *, folder: bool) -> bool:
    """Tell whether a path is ignored: the file nearest to it that has a fitting pattern decides."""
    for patterns in reversed(rules):
        said = patterns.ignores(path, folder=folder)
        if said is not None:
            return said
    return False


def common_folder(git: str) -> str:
    """Return the folder that work trees share (gitrepository-layout(5), ``commondir``)."""
    try:
        path = read_file(f"{git}/commondir", 4096).decode("utf-8").strip()
    except FileNotFoundError:
        return git
    return path if path.startswith("/") else f"{git}/{path}"


def _head(git: str, common: str) -> str:
    """Return the commit that HEAD names, in hexadecimal; ``""`` where its branch has none yet."""
    text = read_file(f"{git}/HEAD", 4096).decode("ascii").strip()
    for _ in range(5):
        if not text.startswith("ref: "):
            return _check_oid(text)
        name = text[5:].strip()
        if not name.startswith("refs/") or ".." in name:
            raise TooMuchError
        try:
            text = read_file(f"{common}/{name}", 4096).decode("ascii").strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return _read_packed_ref(common, name)
    raise TooMuchError


def _read_packed_ref(common: str, name: str) -> str:
    try:
        lines = read_file(f"{common}/packed-refs", MAX_REF).decode("utf-8").split("\n")
    except FileNotFoundError:
        return ""
    found = [line[:40] for line in lines if line[41:] == name]
    return _check_oid(found[0]) if found else ""


def _check_oid(text: str) -> str:
    if len(text) != 40 or not set(text) <= set("0123456789abcdef"):
        raise TooMuchError
    return text


def _exists(path: str) -> bool:
    try:
        _os.lstat(path)
    except FileNotFoundError:
        return False
    return True
