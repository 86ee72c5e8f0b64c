"""The imports of a Go program, read so that it can have no others: what it is built of is known by
them then, and listed once for all programs that import the same.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from interlock.codemode.golang.gate import BANS
from interlock.codemode.golang.scan import scan
from interlock.codemode.golang.toolchain import Toolchain

_SPACE = r"(?:[ \t\r\n]|//[^\n]*\n)*"
_SPEC = r'(?:(?:[A-Za-z_]\w*|\.)[ \t]+)?"[\w/-]+"'
_GROUP = rf"\((?:{_SPACE}{_SPEC}[ \t]*;?)*{_SPACE}\)"
_HEAD = re.compile(
    rf"{_SPACE}package[ \t]+main\b(?:[ \t]*;?{_SPACE}import\b[ \t]*(?:{_SPEC}|{_GROUP}))*"
    r"(?=[ \t\r]*(?:[\n;]|//|\Z))",
    re.ASCII,
)
"""The beginning of a file with imports of the library alone, and no comment but those that end with
their line: it can be read in one way only.
"""
_PATH = re.compile(r'"([\w/-]+)"', re.ASCII)
_LINE = re.compile(r"//[^\n]*")
_END = "; const _ = 0"
"""A declaration: no import stands behind one (go.dev/ref/spec, Source_file_organization)."""


class Sealed(NamedTuple):
    """A program's text in which nothing else can be imported, and its imports."""

    text: str
    imports: tuple[str, ...]


def seal(text: str) -> Sealed | None:
    """Return a program's text with its imports closed, each line where it was; None for one whose
    beginning can be read in more than one way, or imports what is not Go's own or refused.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    paths = _PATH.findall(_LINE.sub("", head.group()))
    banned = any(
        path == ban.path or path.startswith(f"{ban.path}/") for path in paths for ban in BANS
    )
    if banned or sorted(paths) != sorted([one.path for one in scan(text).imports]):
        return None
    return Sealed(f"{head.group()}{_END}{text[head.end() :]}", tuple(sorted(set(paths))))


def read_needs(toolchain: Toolchain, imports: Sequence[str]) -> tuple[str, ...] | None:
    """Return the self-tests that were found to be needed by programs with these imports; None where
    none was listed yet.
    """
    try:
        with open(_path(toolchain, imports), encoding="utf-8") as file:
            return tuple(file.read().split())
    except OSError:
        return None


def keep_needs(toolchain: Toolchain, imports: Sequence[str], needs: Sequence[str]) -> None:
    """Note what programs with these imports need."""
    path = _path(toolchain, imports)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write("\n".join(needs))
    os.replace(f"{path}.{os.getpid()}", path)


def _path(toolchain: Toolchain, imports: Sequence[str]) -> str:
    name = hashlib.sha256("\n".join(imports).encode()).hexdigest()[:24]
    return os.path.join(toolchain.cache, "needs", f"{toolchain.system}-{name}")
