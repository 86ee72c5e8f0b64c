"""Programs that need no code of their own, read from ``data/programs.txt``: what is done to what they are given, each a section a person can add."""

from __future__ import annotations

import sys

from interlock.model.record import Record

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

FILE = f"{__file__.rpartition('/')[0]}/programs.txt"
LIMIT = 1 << 18
"""Bytes of the file."""
ROLES = frozenset("reads writes appends deletes makes upload url host code script data command".split())
"""What may be done to a word; ``data`` is nothing."""


class Program(Record):
    """``operands``: roles in order. ``options``: ``-o:writes``, those that take a value; a ``?`` says that it may be missing.

    ``flags``: the other options. ``project``: it runs code of the project.
    """

    operands: str = "data*"
    options: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    project: bool = False


_programs: dict[str, Program] = {}


def find(name: str) -> Program | None:
    """Return what is known of a program; None where it has no section.

    Raises:
        OSError: the package has lost its data.
    """
    if not _programs:
        _programs.update(parse(_text()))
    return _programs.get(name)


def parse(text: str) -> dict[str, Program]:
    """Return the programs of a text in the format of ``programs.txt``, by every name.

    Raises:
        ValueError: a line is none of the format; the message says which.
    """
    found: dict[str, Program] = {}
    names: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0] == "#":
            continue
        if line[:1] == "[":
            names = line.strip("[] ").split()
            found.update(dict.fromkeys(names, Program()))
            continue
        read = _read(found[names[0]], words) if names else None
        if read is None:
            raise ValueError(f"{FILE}, line {number}: {line!r} is no line that the head of the file explains")
        found.update(dict.fromkeys(names, read))
    return found


def is_line(line: str) -> bool:
    """Whether a line may stand in a section."""
    return bool(line.split()) and "\n" not in line and _read(Program(), line.split()) is not None


def _read(one: Program, words: list[str]) -> Program | None:
    """Return a program with what a line says; None for a line of no kind."""
    if words[0] == "operands" and all(word.rstrip("*") in ROLES for word in words[1:]):
        return one.replace(operands=" ".join(words[1:]))
    if words == ["runs", "project"]:
        return one.replace(project=True)
    mark = words[-1][:1] if words[-1][:1] in ("=", "?") else ""
    role, names = (words[-1][1:] or "data", words[:-1]) if mark else ("", words)
    if not names or (mark and role not in ROLES) or any(name[:1] != "-" for name in names):
        return None
    if not mark:
        return one.replace(flags=(*one.flags, *[f"{name}:" for name in names]))
    return one.replace(options=(*one.options, *[f"{name}:{'?' if mark == '?' else ''}{role}" for name in names]))


def _text() -> str:
    """Return the file's text."""
    descriptor = system.open(FILE, system.O_RDONLY)
    try:
        return system.read(descriptor, LIMIT).decode()
    finally:
        system.close(descriptor)
