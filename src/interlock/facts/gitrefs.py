"""The refs of a repository, and the revisions that a person writes with them, read without git
(gitrepository-layout(5), gitrevisions(7)).
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.facts.files import read_file
from interlock.facts.gitobjects import GitObjects
from interlock.facts.worktree import TooMuchError, common_folder

try:
    import posix as _os
except ImportError:  # Windows
    import os as _os  # type: ignore[no-redef]


HEADS, REMOTES, TAGS, STASH = "refs/heads/", "refs/remotes/", "refs/tags/", "refs/stash"
MAX_REFS = 2000
"""Loose refs of a repository, with their folders, that are read; with more nothing is known."""
MAX_LINES = 20_000
MAX_PACKED = 4 * 1024 * 1024
MAX_LOG = 4 * 1024 * 1024
MAX_LOGS = 500
MAX_LOGGED = 20_000
"""Entries of a reflog that are read, the last ones."""
MAX_WORK_TREES = 64
MAX_STEPS = 1000
"""How far ``HEAD~N`` is followed."""
_DIGITS = frozenset("0123456789abcdef")
_OTHER_FORMS = ("objectformat", "refstorage")
"""Words in a repository's configuration by which refs or objects are kept otherwise."""


class Refs:
    """The refs of the repository whose data lies in the folder ``git``. Raises ``OSError``,
    ``ValueError`` or ``TooMuchError``.

    ``names``: full names to object names. ``branch``: what HEAD names (``refs/heads/main``), or
    ``""``; ``head``: the object that it is, or ``b""``.
    ``others``: objects that HEADs of other work trees, and work trees on no branch, stand on.
    """

    def __init__(self, git: str) -> None:
        self.git = git
        self.common = common_folder(git)
        config = read_file(f"{self.common}/config", MAX_PACKED).decode("utf-8", "replace").lower()
        if any(word in config for word in _OTHER_FORMS):
            raise TooMuchError
        self.names = dict(self._read_packed())
        self.names.update(self._loose())
        self.branch, self.head = self._head(f"{git}/HEAD")
        self.others = frozenset([oid for branch, oid in self._heads() if oid and not branch])

    def below(self, prefix: str) -> dict[str, bytes]:
        """Return the refs below a prefix such as ``refs/heads/``."""
        return {name: oid for name, oid in self.names.items() if name.startswith(prefix)}

    def full(self, name: str) -> str:
        """Return the full name of a ref that is written short, or ``""`` (gitrevisions(7), the
        order in which git looks).
        """
        return next(
            (
                full
                for full in (name, f"refs/{name}", TAGS + name, HEADS + name, REMOTES + name)
                if full in self.names
            ),
            "",
        )

    def read_log(self, name: str) -> list[bytes]:
        """Return the objects in the reflog of a ref, the oldest first, if it has a log."""
        try:
            lines = read_file(
                f"{self.git if name == 'HEAD' else self.common}/logs/{name}", MAX_LOG
            ).split(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [
            oid
            for line in lines[-MAX_LOGGED:]
            if line
            for oid in [_object(line[41:81].decode("ascii"))]
            if oid
        ]

    def logs(self) -> Iterator[str]:
        """Yield the names of the refs that have a reflog."""
        return _files(f"{self.common}/logs", MAX_LOGS)

    def _read_packed(self) -> Iterator[tuple[str, bytes]]:
        try:
            lines = (
                read_file(f"{self.common}/packed-refs", MAX_PACKED)
                .decode("utf-8", "surrogateescape")
                .split("\n")
            )
        except FileNotFoundError:
            return
        if len(lines) > MAX_LINES:
            raise TooMuchError
        for line in lines:
            if line[:1] not in ("#", "^", ""):
                yield line[41:], _object(line[:40])

    def _loose(self) -> Iterator[tuple[str, bytes]]:
        for name in _files(f"{self.common}/refs", MAX_REFS):
            try:
                text = read_file(f"{self.common}/refs/{name}", 4096).decode("ascii").strip()
            except FileNotFoundError:
                continue
            if text[:5] != "ref: " and not name.endswith(".lock"):
                yield f"refs/{name}", _object(text)

    def _head(self, path: str) -> tuple[str, bytes]:
        text = read_file(path, 4096).decode("utf-8", "surrogateescape").strip()
        if not text.startswith("ref: "):
            return "", _object(text)
        return text[5:].strip(), self.names.get(text[5:].strip(), b"")

    def _heads(self) -> Iterator[tuple[str, bytes]]:
        """Yield what the HEADs of all work trees are."""
        yield self._head(f"{self.common}/HEAD")
        try:
            trees = sorted(_os.listdir(f"{self.common}/worktrees"))
        except (FileNotFoundError, NotADirectoryError):
            return
        for tree in trees[:MAX_WORK_TREES]:
            try:
                yield self._head(f"{self.common}/worktrees/{tree}/HEAD")
            except FileNotFoundError:
                continue


def resolve(refs: Refs, objects: GitObjects, revision: str) -> bytes:
    """Return the commit that a revision names (``main~2``, ``origin/main``, ``abc123^``), or
    ``b""`` where that is not known.
    """
    end = min(
        [at for at in (revision.find("~"), revision.find("^")) if at >= 0], default=len(revision)
    )
    oid = _resolve_name(refs, objects, revision[:end] or "HEAD")
    for mark, number in _steps(revision[end:]):
        for _ in range(min(number, MAX_STEPS + 1) if mark == "~" else 1):
            commit = objects.commit(oid) if oid and number <= MAX_STEPS else None
            which = 0 if mark == "~" else number - 1
            oid = (
                commit.parents[which]
                if commit is not None and 0 <= which < len(commit.parents)
                else b""
            )
    return oid


def _steps(text: str) -> Iterator[tuple[str, int]]:
    """Yield the steps of ``~2^^2~``; one of -1, leading nowhere, for what is not understood."""
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
        known = text[at] in "~^"
        yield (
            ("~", int(text[at + 1 : end] or 1))
            if known and text[at] == "~"
            else ("^", int(text[at + 1 : end] or 1) if known else -1)
        )
        at = end


def _resolve_name(refs: Refs, objects: GitObjects, name: str) -> bytes:
    if name in ("HEAD", "@"):
        return refs.head
    full = refs.full(name)
    if full:
        return objects.peel(refs.names[full])
    if name == "ORIG_HEAD":
        return _object(read_file(f"{refs.git}/ORIG_HEAD", 4096).decode("ascii").strip())
    if name[:5] == "HEAD@" or name[:2] == "@{":
        return _before(refs, name.partition("@")[2])
    return objects.find_by_prefix(name) if len(name) >= 4 and set(name) <= _DIGITS else b""


def _before(refs: Refs, text: str) -> bytes:
    """Return what HEAD was N moves ago: ``HEAD@{N}``."""
    number = text[1:-1]
    if text[:1] != "{" or text[-1:] != "}" or not number.isdigit() or len(number) > 6:
        return b""
    logged = refs.read_log("HEAD")
    return logged[-1 - int(number)] if int(number) < len(logged) else b""


def _files(folder: str, most: int) -> Iterator[str]:
    """Yield the files below a folder, by their paths in it; links are not followed. Raises
    ``TooMuchError`` past so many files and folders.
    """
    left = [""]
    while left:
        inside = left.pop()
        try:
            with _os.scandir(f"{folder}/{inside}") as listed:
                entries = list(listed)
        except (FileNotFoundError, NotADirectoryError):
            continue
        most -= len(entries)
        if most < 0:
            raise TooMuchError
        for entry in entries:
            name = f"{inside}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                left.append(f"{name}/")
            else:
                yield name


def _object(text: str) -> bytes:
    """Return the object that 40 digits name; ``b""`` for what is none."""
    return (
        bytes.fromhex(text)
        if len(text) == 40 and set(text) <= _DIGITS and set(text) != {"0"}
        else b""
    )
