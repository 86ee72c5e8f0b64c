"""What an archive holds, by name, without unpacking it: tar in its usual compressions, and zip.
What is too large to look through is unknown.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Iterator
from typing import IO, Protocol

from interlock.model.facts import UNKNOWN, Unknown


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


MAX_MEMBERS = 20_000
MAX_BYTES = 16 << 20
"""Of an archive as it is unpacked, and of a zip's table of contents."""
MAX_NAME = 4096
_END, _END_SIZE = b"PK\x05\x06", 22
"""The end of a zip's table of contents, and its size without a comment (APPNOTE.TXT, 4.3.16)."""


def members(path: str) -> tuple[tuple[str, str], ...] | Unknown:
    """Return the name of each member, as it stands there, and where it leads if it is a link: from
    its own folder, or ``/...``.
    """
    found: list[tuple[str, str]] = []
    try:
        for name, leads in _members(path):
            if len(found) >= MAX_MEMBERS or len(name) + len(leads) > MAX_NAME:
                return UNKNOWN
            found.append((name, leads))
    except (OSError, ValueError, EOFError, RuntimeError):
        return UNKNOWN
    except Exception as problem:
        # tarfile.TarError, zipfile.BadZipFile, zlib.error and lzma.LZMAError have no common parent
        # but Exception
        if type(problem).__module__ in ("tarfile", "zipfile", "zlib", "_lzma", "lzma"):
            return UNKNOWN
        raise
    return tuple(found)


def _members(path: str) -> Iterator[tuple[str, str]]:
    """Yield each member's name, and where it leads if it is a link."""
    from interlock.facts.files import open_regular

    with open_regular(path) as file:
        if file.read(2) == b"PK":
            yield from _read_zip(file)
        else:
            file.seek(0)
            yield from _read_tar(file)


def _read_zip(file: IO[bytes]) -> Iterator[tuple[str, str]]:
    import zipfile

    size = file.seek(0, 2)
    file.seek(max(0, size - _END_SIZE - 0xFFFF))
    end = file.read()
    at = end.rfind(_END)
    table = int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else MAX_BYTES + 1
    if table > MAX_BYTES:
        raise ValueError("a table of contents of that size is not read")
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            yield name, ""


def _read_tar(file: IO[bytes]) -> Iterator[tuple[str, str]]:
    import tarfile

    with tarfile.open(fileobj=_Bounded(_decompress(file)), mode="r|") as archive:
        for member in archive:
            yield member.name, _leads(member)


def _decompress(file: IO[bytes]) -> _Readable:
    """Return what a file holds, decompressed as its first bytes say."""
    head = file.read(6)
    file.seek(0)
    if head[:2] == b"\x1f\x8b":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if head[:3] == b"BZh":
        import bz2

        return bz2.BZ2File(file)
    if head == b"\xfd7zXZ\x00":
        import lzma

        return lzma.LZMAFile(file)
    return file


class _Bounded(io.RawIOBase):
    """A file of which no more than so many bytes are read, however small it was made."""

    def __init__(self, file: _Readable) -> None:
        super().__init__()
        self._file = file
        self._left = MAX_BYTES

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes. Raises ``ValueError`` past the bound."""
        if not 0 <= size <= self._left:
            raise ValueError("more data than can be looked through")
        data = self._file.read(size)
        self._left -= len(data)
        return data


def _leads(member: tarfile.TarInfo) -> str:
    """A symbolic link leads from its own folder, a hard one from the top of the archive."""
    if member.issym():
        return member.linkname
    return (
        posixpath.relpath(member.linkname, posixpath.dirname(member.name) or ".")
        if member.islnk()
        else ""
    )
