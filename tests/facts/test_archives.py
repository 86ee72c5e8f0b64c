"""What an archive holds is told without unpacking it, and no archive makes the guard read without
bound.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import os
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from interlock.effects.unpacking import match_members
from interlock.facts import Live
from interlock.facts.archives import MAX_BYTES, MAX_MEMBERS
from interlock.model.facts import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = (".claude/settings.json", ".claude", ".git/hooks/pre-commit")
FORMS = ["w", "w:gz", "w:bz2", "w:xz"]


def tarred(path: Path, *members: str | tuple[str, str, bytes], form: str = "w") -> str:
    """Make a tar archive of files, and of links ``(name, where it leads, type)``."""
    with tarfile.open(path, form) as archive:  # type: ignore[call-overload]
        for member in members:
            info = tarfile.TarInfo(member if isinstance(member, str) else member[0])
            if isinstance(member, tuple):
                info.linkname, info.type = member[1], member[2]
            archive.addfile(info)
    return str(path)


def asked(path: str, strip: int = 0) -> object:
    """Ask the disk what there is, and what of it comes where."""
    members = Live("/home/nobody").members(path)
    return (
        tuple(match_members(members, set(NAMES), strip)) if isinstance(members, tuple) else members
    )


@pytest.mark.parametrize("form", FORMS)
def test_names_in_a_tar(tmp_path: Path, form: str) -> None:
    """In every usual compression; a folder is there when something in it is."""
    path = tarred(tmp_path / "x", "./.claude/settings.json", "src/a.py", form=form)
    assert asked(path) == (".claude", ".claude/settings.json")
    assert asked(tarred(tmp_path / "y", "src/a.py", form=form)) == ()


@pytest.mark.parametrize(
    ("member", "strip", "found"),
    [("a/.claude/x", 1, (".claude",)), ("a/b/.claude/x", 1, ()), ("a/.claude", 2, ())],
)
def test_leading_parts_are_left_out(
    tmp_path: Path, member: str, strip: int, found: tuple[str, ...]
) -> None:
    """As ``--strip-components`` does."""
    assert asked(tarred(tmp_path / "x", member), strip) == found


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (
            (("l", ".claude", tarfile.SYMTYPE), "l/settings.json"),
            (".claude", ".claude/settings.json"),
        ),
        (
            (("a/l", "../.claude", tarfile.SYMTYPE), "a/l/settings.json"),
            (".claude", ".claude/settings.json"),
        ),
        ((("l", "/home/x", tarfile.SYMTYPE), "l/.bashrc"), ("/home/x/.bashrc",)),
        ((("l", "../..", tarfile.SYMTYPE), "l/x"), ("../../x",)),
        ((("a/l", "src/x", tarfile.LNKTYPE), "a/b"), ()),
        (("../x", "/etc/x"), ("../x", "/etc/x")),
    ],
)
def test_what_leads_elsewhere(
    tmp_path: Path, members: tuple[str | tuple[str, str, bytes], ...], found: tuple[str, ...]
) -> None:
    """A link in the archive is followed, and what comes out of the folder is told."""
    assert asked(tarred(tmp_path / "x", *members)) == found


def test_names_in_a_zip(tmp_path: Path) -> None:
    """The same, from its table of contents."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(".git/hooks/pre-commit", "x")
        archive.writestr("../out", "x")
    assert asked(str(tmp_path / "x.zip")) == (".git/hooks/pre-commit", "../out")


def many(path: Path) -> None:
    """More members than are looked at."""
    tarred(path, *[f"f{number}" for number in range(MAX_MEMBERS + 1)])


def large(path: Path) -> None:
    """A small file that holds more than is read."""
    info = tarfile.TarInfo("zeros")
    info.size = 2 * MAX_BYTES
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(info.tobuf())
        for _ in range(2 * MAX_BYTES >> 20):
            file.write(bytes(1 << 20))
        file.write(tarfile.TarInfo(".claude/settings.json").tobuf() + bytes(1024))


def long_name(path: Path) -> None:
    """A name that says it is a gigabyte long."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    path.write_bytes(info.tobuf() + b"a" * 4096)


def large_table(path: Path) -> None:
    """A zip whose end says that its table of contents is a gigabyte."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", "x")
    data = bytearray(file.getvalue())
    at = data.rfind(b"PK\x05\x06")
    data[at + 12 : at + 16] = (1 << 30).to_bytes(4, "little")
    path.write_bytes(data)


def cut_short(path: Path) -> None:
    """The first half of a compressed archive."""
    tarred(
        path,
        *[hashlib.sha256(str(number).encode()).hexdigest() for number in range(99)],
        form="w:gz",
    )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def written(path: Path, data: bytes) -> None:
    """Anything else."""
    path.write_bytes(data)


@pytest.mark.parametrize(
    "make",
    [
        many, large, long_name, large_table, cut_short, os.mkfifo, os.mkdir,
        *[functools.partial(written, data=data) for data in (b"", b"no archive", b"PK", b"\x1f\x8b" + b"x" * 99, b"BZh9xxx", b"\xfd7zXZ\x00xx")],
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_unknown(tmp_path: Path, make: Callable[[Path], object]) -> None:
    """Never an error, and never waited for."""
    make(tmp_path / "x")
    assert asked(str(tmp_path / "x")) is UNKNOWN


def test_what_is_not_there_is_unknown(tmp_path: Path) -> None:
    """As well."""
    assert asked(str(tmp_path / "x")) is UNKNOWN
