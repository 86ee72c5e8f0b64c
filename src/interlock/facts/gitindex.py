"""git's index as data: which files are tracked, how they looked when git last saw them, and which
trees it knows (gitformat-index(5)).

The file may be anybody's: nothing here raises, and what is not understood is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct, error

MAX_ENTRIES = 30_000
"""Entries of an index that is read; a larger one is unknown."""
MAX_NAME = 4096
HASH = 20
"""Bytes of an object's name; repositories with the longer ones are unknown."""
FOLDER_MODE, LINK_MODE, REPOSITORY_MODE = 0o040000, 0o120000, 0o160000

_HEAD = Struct(">4sII")
_ENTRY = Struct(">10I20sH")
_FLAGS = _ENTRY.size - 2
_EXTENDED, _STAGE, _INTENT_TO_ADD = 0x4000, 0x3000, 0x2000
_NEEDED = (b"link", b"sdir")
"""Extensions without which the entries are not all there: a split index, a sparse one's folders."""


class IndexEntry:
    """A tracked file as git last saw it. Times are in nanoseconds."""

    __slots__ = ("changed", "inode", "mode", "modified", "name", "oid", "size")

    def __init__(self, name: bytes, data: bytes, at: int) -> None:
        fields = _ENTRY.unpack_from(data, at)
        self.name = name
        self.changed = fields[0] * 10**9 + fields[1]
        self.modified = fields[2] * 10**9 + fields[3]
        self.inode = fields[5]
        self.mode = fields[6]
        self.size = fields[9]
        self.oid: bytes = fields[10]


class IndexTree:
    """A folder as the index knows it: ``oid`` is the name of its tree object, or ``b""`` where
    entries below changed since.
    """

    __slots__ = ("below", "oid")

    def __init__(self, oid: bytes) -> None:
        self.oid = oid
        self.below: dict[bytes, IndexTree] = {}


class GitIndex:
    """What an index holds: where each file's entry lies in its bytes, and the trees as far as they
    are known.

    ``places``: names to offsets; -1 where a file has no one state (a merge conflict, or only
    announced by ``add -N``).
    """

    __slots__ = ("_data", "places", "tree")

    def __init__(self, data: bytes, places: dict[bytes, int], tree: IndexTree | None) -> None:
        self._data = data
        self.places = places
        self.tree = tree

    def below(self, path: bytes) -> list[IndexEntry] | None:
        """Return the entries that are the path or lie below it, all of them for ``b""``; None where
        one of them has no one state.
        """
        folder = path + b"/" if path else b""
        found = [
            (name, at)
            for name, at in self.places.items()
            if name.startswith(folder) or name == path
        ]
        return (
            None
            if any(at < 0 for _, at in found)
            else [IndexEntry(name, self._data, at) for name, at in found]
        )

    def file(self, path: bytes) -> IndexEntry | None:
        """Return the entry of one file, in one step; None if not tracked, or of no one state."""
        at = self.places.get(path, -1)
        return IndexEntry(path, self._data, at) if at >= 0 else None


def parse(data: bytes) -> GitIndex | None:
    """Return the index, versions 2 to 4; None if damaged, too large, split or sparse."""
    try:
        return _parse(data)
    except (error, ValueError, IndexError):
        return None


def _parse(data: bytes) -> GitIndex | None:
    mark, version, count = _HEAD.unpack_from(data, 0)
    if mark != b"DIRC" or version not in (2, 3, 4) or count > MAX_ENTRIES:
        return None
    places: dict[bytes, int] = {}
    at, before = _HEAD.size, b""
    end = len(data) - HASH
    for _ in range(count):
        entry, flags = at, data[at + _FLAGS] << 8 | data[at + _FLAGS + 1]
        name_at, more = at + _ENTRY.size, 0
        if flags & _EXTENDED:
            if version == 2:
                return None
            more = data[name_at] << 8 | data[name_at + 1]
            name_at += 2
        if version == 4:
            before, at = _read_compressed_name(data, name_at, before)
        else:
            before, at = _read_padded_name(data, at, name_at)
        if not before or len(before) > MAX_NAME or at > end:
            return None
        unsettled = flags & _STAGE or more & _INTENT_TO_ADD or before in places
        places[before] = -1 if unsettled else entry
    return _with_extensions(data, at, end, places)


def _read_padded_name(data: bytes, at: int, name_at: int) -> tuple[bytes, int]:
    """Return a name that ends with one to eight zeros, up to a multiple of eight bytes of its
    entry, and where the next entry begins.
    """
    stop = data.index(b"\0", name_at)
    return data[name_at:stop], at + ((stop - at + 8) & ~7)


def _read_compressed_name(data: bytes, at: int, before: bytes) -> tuple[bytes, int]:
    """Return a name that says how many bytes of the one before it to leave out, and where the next
    entry begins.
    """
    cut, at = _varint(data, at)
    stop = data.index(b"\0", at)
    if cut > len(before):
        raise ValueError("it leaves out more than there is")
    return before[: len(before) - cut] + data[at:stop], stop + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number in the form of offsets in packs, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
        if value > MAX_NAME:
            raise ValueError("a name is too long")
    return value, at + 1


def _with_extensions(data: bytes, at: int, end: int, places: dict[bytes, int]) -> GitIndex | None:
    tree = None
    while at + 8 <= end:
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        if at + 8 + size > end or name in _NEEDED or not name[:1].isupper():
            return None
        if name == b"TREE":
            tree = _trees(data[at + 8 : at + 8 + size])
        at += 8 + size
    return GitIndex(data, places, tree) if at == end else None


def _trees(data: bytes) -> IndexTree | None:
    """Return the root of the trees: each a name, ``COUNT SUBTREES``, and the object's name where
    the count is not -1; a folder before its folders.
    """
    found = list(_parse_trees(data))
    if not found:
        return None
    root = found[0][1]
    above: list[IndexTree] = [root]
    left = [found[0][2]]
    """Folders that are being filled, and how many are still to come in each."""
    for name, tree, folders in found[1:]:
        while left and left[-1] <= 0:
            above.pop()
            left.pop()
        if not above:
            return None
        above[-1].below[name] = tree
        left[-1] -= 1
        above.append(tree)
        left.append(folders)
    return root


def _parse_trees(data: bytes) -> Iterator[tuple[bytes, IndexTree, int]]:
    at = 0
    while at < len(data):
        stop = data.index(b"\0", at)
        line = data.index(b"\n", stop)
        count, _, folders = data[stop + 1 : line].partition(b" ")
        valid = int(count) >= 0
        oid = data[line + 1 : line + 1 + HASH] if valid else b""
        if valid and len(oid) < HASH:
            raise ValueError("it ends too early")
        yield data[at:stop], IndexTree(oid), int(folders)
        at = line + 1 + len(oid)
