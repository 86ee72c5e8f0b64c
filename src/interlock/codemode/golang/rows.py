"""Where the Go standard library meets the machine: one row for each function that is given a check,
and what the check is.

A check is Go: an expression whose error ends the call (``before``), or the call's whole body
(``instead``), written with the function's own parameters (``$1`` where its name is another one on
another processor) and with ``RAW`` for a call of the function as it was. ``on`` are the systems
that have the function. The rows stand in ``rows.txt``. A release of Go in which a row's function is not found, or in which a
function on paths has no row (``surprises``), is one that the rows do not know.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

LINUX, DARWIN, WINDOWS = "linux", "darwin", "windows"
UNIX = frozenset({LINUX, DARWIN})
EVERYWHERE = frozenset({LINUX, DARWIN, WINDOWS})


class GuardRow(NamedTuple):
    """One function of the library. ``function``: its name, after its receiver's type where it has
    one. ``optional``: some releases lack it.
    """

    package: str
    function: str
    before: str = ""
    instead: str = ""
    on: frozenset[str] = UNIX
    optional: bool = False


_PATH = f"{os.path.dirname(__file__)}/rows.txt"
_AT = "internal/syscall/unix"
_DONE = "if done, err := {}; done || err != nil {{ return err }}; return RAW"
"""The body of a function that the guard may have done already, by way of the broker."""


def read_rows(text: str) -> Iterator[GuardRow]:
    """Yield the rows of a text: a line a function, with a question mark where it is ``optional``.

    ::

        [syscall on linux darwin]          a package, and the systems that have its functions
        before Exec GuardExec(argv0)       the check comes first
        instead? Connect return RAW        this is the function's body
        does Unlink GuardDo("delete")      the guard may have done it: ``_DONE``

    Raises:
        ValueError: a line is none of these; the message says which.
    """
    package, on = "", UNIX
    for number, line in enumerate(text.split("\n"), 1):
        if line[:1] == "[":
            package, _, systems = line.strip("[]").partition(" on ")
            on = frozenset(systems.split())
            continue
        if not line or line[0] == "#":
            continue
        how, _, rest = line.partition(" ")
        function, _, check = rest.partition(" ")
        if how.rstrip("?") not in ("before", "instead", "does") or not check or not package:
            raise ValueError(f"{_PATH}, line {number}: {line!r} is no row")
        before = check if how[:6] == "before" else ""
        instead = "" if before else _DONE.format(check) if how[:4] == "does" else check
        yield GuardRow(package, function, before, instead, on, how[-1] == "?")


with open(_PATH, encoding="utf-8") as _file:
    ROWS = tuple(read_rows(_file.read()))

HARMLESS = frozenset(
    "DnsQuery Eaccess GetProcAddress GetProtoByName GetServByName LoadLibrary Ptsname Setlogin".split()
)
"""Functions with a string that is no path, or that call one of the rows' with theirs, as all of
``at_libc2.go`` do.
"""
_TAKES_STRING = re.compile(r"^func (\w+)\(([^)]*\bstring\b[^)]*)\).*\{$", re.MULTILINE)


def surprises(package: str, file: str, text: str) -> list[str]:
    """Return the functions of a file that take a path and that no row knows. The lowest files are
    looked at: what the kernel is asked through.

    ``file``: its name. A release of Go with such a function is newer than the rows.
    """
    lowest = (
        file != "at_libc2.go"
        if package == _AT
        else package == "syscall" and file.startswith("zsyscall_")
    )
    if not lowest:
        return []
    known = {row.function for row in ROWS if row.package == package} | HARMLESS
    return [
        f"{package}.{found.group(1)}"
        for found in _TAKES_STRING.finditer(text)
        if found.group(1) not in known
    ]
