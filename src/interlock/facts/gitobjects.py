"""Commits and trees of a repository, read without git: loose objects and packs (gitformat-pack(5)).

Everything is bounded, nothing raises for what a file holds, and what is not understood is None.
Objects are not checked against their names: who can write a repository's objects can write its
commits.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from interlock.facts.files import read_file

try:
    import posix as _os
except ImportError:  # Windows has no pread: nothing is known there
    import nt as _os  # type: ignore[no-redef]


MAX_OBJECT = 4 * 1024 * 1024
MAX_READS = 4000
"""Objects that are read for one question."""
MAX_PACKS = 64
MAX_CHAIN = 200
"""Deltas on top of each other."""
_COMMIT, _TREE, _TAG, _OFFSET_DELTA, _NAME_DELTA = 1, 2, 4, 6, 7
_KINDS = {b"commit": _COMMIT, b"tree": _TREE, b"tag": _TAG}
MAX_TAGS = 8
"""Tags of tags."""
MAX_PARENTS = 64


class Commit:
    """A commit as far as history goes: its parents' names and when it was made (Unix seconds)."""

    __slots__ = ("parents", "time")

    def __init__(self, data: bytes) -> None:
        head = data.partition(b"\n\n")[0].split(b"\n")
        self.parents = tuple(
            [
                bytes.fromhex(line[7:47].decode("ascii"))
                for line in head[:MAX_PARENTS]
                if line[:7] == b"parent "
            ]
        )
        committer = next((line for line in head if line[:10] == b"committer "), b"")
        self.time = int(committer.split()[-2])


class GitObjects:
    """The objects below ``folder`` (``.git/objects``) and of repositories it borrows from."""

    def __init__(self, folder: str, reads: int = MAX_READS) -> None:
        self._folders = [folder, *_read_alternates(folder)]
        self._left = reads
        self._packs: list[GitPack] | None = None

    def root(self, commit: str) -> bytes | None:
        """Return the name of a commit's tree."""
        data = self._read(bytes.fromhex(commit), _COMMIT)
        if data is None or data[:5] != b"tree " or data[45:46] != b"\n":
            return None
        try:
            return bytes.fromhex(data[5:45].decode("ascii"))
        except ValueError:
            return None

    def tree(self, oid: bytes) -> dict[bytes, tuple[int, bytes]] | None:
        """Return what a tree holds: names to modes and object names."""
        data = self._read(oid, _TREE)
        if data is None:
            return None
        found: dict[bytes, tuple[int, bytes]] = {}
        at = 0
        try:
            while at < len(data):
                stop = data.index(b"\0", at)
                mode, _, name = data[at:stop].partition(b" ")
                found[name] = int(mode, 8), data[stop + 1 : stop + 21]
                at = stop + 21
        except ValueError:
            return None
        return found

    def commit(self, oid: bytes) -> Commit | None:
        """Return a commit."""
        data = self._read(oid, _COMMIT)
        try:
            return Commit(data) if data is not None else None
        except (ValueError, IndexError):
            return None

    def peel(self, oid: bytes) -> bytes:
        """Return what a tag object names in the end; of anything else its own name."""
        for _ in range(MAX_TAGS):
            data = self._read(oid, _TAG)
            if data is None or data[:7] != b"object ":
                break
            try:
                oid = bytes.fromhex(data[7:47].decode("ascii"))
            except ValueError:
                break
        return oid

    def find_by_prefix(self, digits: str) -> bytes:
        """Return the one object whose name begins with these two or more digits, or ``b""``."""
        found: set[str] = set()
        for folder in self._folders:
            try:
                found.update(
                    [
                        digits[:2] + name
                        for name in _os.listdir(f"{folder}/{digits[:2]}")
                        if name.startswith(digits[2:])
                    ]
                )
            except OSError:
                continue
        try:
            found.update([name for pack in self._all_packs() for name in pack.beginning(digits)])
        except (OSError, ValueError, IndexError):
            return b""
        return bytes.fromhex(found.pop()) if len(found) == 1 else b""

    def _all_packs(self) -> list[GitPack]:
        if self._packs is None:
            self._packs = [
                GitPack(path) for folder in self._folders for path in _packs(f"{folder}/pack")
            ]
        return self._packs

    def _read(self, oid: bytes, kind: int) -> bytes | None:
        self._left -= 1
        if self._left < 0 or len(oid) != 20:
            return None
        try:
            found = self._loose(oid.hex()) or self._read_packed(oid)
        except (OSError, ValueError, IndexError, zlib.error):
            return None
        return found[1] if found is not None and found[0] == kind else None

    def _loose(self, name: str) -> tuple[int, bytes] | None:
        for folder in self._folders:
            try:
                data = read_file(f"{folder}/{name[:2]}/{name[2:]}", MAX_OBJECT)
            except FileNotFoundError:
                continue
            whole = zlib.decompressobj().decompress(data, MAX_OBJECT)
            head, _, body = whole.partition(b"\0")
            kind, _, size = head.partition(b" ")
            return (_KINDS.get(kind, 0), body) if int(size) == len(body) else None
        return None

    def _read_packed(self, oid: bytes) -> tuple[int, bytes] | None:
        packs = self._all_packs()
        for number, pack in enumerate(packs):
            at = pack.find(oid)
            if at is not None:
                if number:
                    # what is asked for next most often lies in the same pack
                    packs.insert(0, packs.pop(number))
                return pack.read(at)
        return None


class GitPack:
    """A pack and its table of contents, version 2; both are read piece by piece."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: tuple[int, int] | None = None
        self._fan: bytes | None = None

    def _open(self) -> tuple[int, int]:
        if self._files is None:
            flags = _os.O_RDONLY | _os.O_CLOEXEC
            self._files = (
                _os.open(self._path + ".idx", flags),
                _os.open(self._path + ".pack", flags),
            )
        return self._files

    def __del__(self) -> None:
        for descriptor in self._files or ():
            _os.close(descriptor)

    def find(self, oid: bytes) -> int | None:
        """Return where in the pack an object begins."""
        table, which, total = self._search(oid)
        return (
            self._offset(table, which, total)
            if which < total and _os.pread(table, 20, 1032 + 20 * which) == oid
            else None
        )

    def beginning(self, digits: str) -> list[str]:
        """Return the hexadecimal names of the first two objects that begin with these digits."""
        table, which, total = self._search(bytes.fromhex(digits.ljust(40, "0")))
        names = [
            _os.pread(table, 20, 1032 + 20 * number).hex()
            for number in range(which, min(which + 2, total))
        ]
        return [name for name in names if name.startswith(digits)]

    def _search(self, oid: bytes) -> tuple[int, int, int]:
        """Return the table, the first of its names that is not before a name, and their number."""
        table, _ = self._open()
        if self._fan is None:
            self._fan = _os.pread(table, 1032, 0)
        if self._fan[:8] != b"\xfftOc\0\0\0\2":
            return table, 0, 0
        low = _number(self._fan, 4 + 4 * oid[0]) if oid[0] else 0
        high, total = _number(self._fan, 8 + 4 * oid[0]), _number(self._fan, 1028)
        while low < high:
            middle = (low + high) // 2
            low, high = (
                (middle + 1, high)
                if _os.pread(table, 20, 1032 + 20 * middle) < oid
                else (low, middle)
            )
        return table, low, total

    @staticmethod
    def _offset(table: int, which: int, total: int) -> int:
        short = 1032 + 24 * total
        at = _number(_os.pread(table, 4, short + 4 * which), 0)
        if at & 0x80000000:
            return int.from_bytes(
                _os.pread(table, 8, short + 4 * total + 8 * (at & 0x7FFFFFFF)), "big"
            )
        return at

    def read(self, at: int) -> tuple[int, bytes] | None:
        """Return an object's kind and bytes, with the deltas that it is made of applied."""
        deltas = []
        for _ in range(MAX_CHAIN):
            kind, size, body = self._head(at)
            if kind == _OFFSET_DELTA:
                back, body = self._back(body)
                deltas.append(self._inflate(body, size))
                at -= back
            elif kind == _NAME_DELTA:
                base = self.find(_os.pread(self._open()[1], 20, body))
                if base is None:
                    return None
                deltas.append(self._inflate(body + 20, size))
                at = base
            else:
                data = self._inflate(body, size)
                while deltas:
                    data = _apply_delta(data, deltas.pop())
                return kind, data
        return None

    def _head(self, at: int) -> tuple[int, int, int]:
        """Return the kind and size of what begins at a place, and where its bytes begin."""
        bytes_ = _os.pread(self._open()[1], 16, at)
        kind, size, shift, used = bytes_[0] >> 4 & 7, bytes_[0] & 15, 4, 1
        while bytes_[used - 1] & 0x80:
            size |= (bytes_[used] & 0x7F) << shift
            shift, used = shift + 7, used + 1
        if size > MAX_OBJECT:
            raise ValueError("the object is too large")
        return kind, size, at + used

    def _back(self, at: int) -> tuple[int, int]:
        """Return how far before it the base of a delta begins, and where its bytes begin."""
        bytes_ = _os.pread(self._open()[1], 16, at)
        used = 1
        value = bytes_[0] & 0x7F
        while bytes_[used - 1] & 0x80:
            value = ((value + 1) << 7) | (bytes_[used] & 0x7F)
            used += 1
        if value <= 0:
            raise ValueError("a delta on itself")
        return value, at + used

    def _inflate(self, at: int, size: int) -> bytes:
        inflater, out = zlib.decompressobj(), b""
        while not inflater.eof and len(out) <= size:
            piece = _os.pread(self._open()[1], 65536, at)
            if not piece:
                break
            at += len(piece)
            out += inflater.decompress(piece, size + 1 - len(out))
        if len(out) != size:
            raise ValueError("the object is not of its size")
        return out


def _apply_delta(base: bytes, delta: bytes) -> bytes:
    """Apply a delta: pieces of the base and pieces of its own, in order."""
    _, at = _size(delta, 0)
    size, at = _size(delta, at)
    out: list[bytes] = []
    made = 0
    while at < len(delta) and made <= MAX_OBJECT:
        code = delta[at]
        at += 1
        if code & 0x80:
            numbers = [0, 0]
            for bit in range(7):
                if code & 1 << bit:
                    numbers[bit > 3] |= delta[at] << 8 * (bit if bit < 4 else bit - 4)
                    at += 1
            piece = base[numbers[0] : numbers[0] + (numbers[1] or 0x10000)]
        else:
            piece, at = delta[at : at + code], at + code
        out.append(piece)
        made += len(piece)
    if made != size:
        raise ValueError("a delta does not make what it says")
    return b"".join(out)


def _size(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def _number(data: bytes, at: int) -> int:
    if len(data) < at + 4:
        raise ValueError("the table ends too early")
    return int.from_bytes(data[at : at + 4], "big")


def _packs(folder: str) -> list[str]:
    try:
        names = sorted(name for name in _os.listdir(folder) if name.endswith(".idx"))
    except OSError:
        return []
    return [f"{folder}/{name[:-4]}" for name in names[:MAX_PACKS]]


def _read_alternates(folder: str) -> Iterator[str]:
    """Yield the object folders a repository borrows from (``info/alternates``), one step deep."""
    try:
        lines = read_file(f"{folder}/info/alternates", 65536).decode("utf-8").split("\n")
    except (OSError, ValueError):
        return
    for line in lines[:8]:
        if line and line[:1] != "#":
            yield line if line.startswith("/") else f"{folder}/{line}"
