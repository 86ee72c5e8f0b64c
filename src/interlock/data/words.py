"""Lists of words from ``data/words/FILE.txt``: names of files and variables, verbs, nouns.

::

    # where the list is from, and what it is for
    [open commands]
    EDITOR PAGER "a word with spaces"
    [home files = secret]
    .ssh .aws

A list may have several such headings; behind ``=`` stands what its words have in common.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

FOLDER = f"{__file__.rpartition('/')[0]}/words"
LIMIT = 1 << 20
"""Bytes of a file."""
_files: dict[str, list[tuple[str, str, list[str]]]] = {}


def words(file: str, name: str) -> tuple[str, ...]:
    """Return the words of a list, in their order.

    Raises:
        KeyError: there is no such list.
        OSError: the package has lost its data.
    """
    return tuple([word for _, _, found in _of(file, name) for word in found])


def values(file: str, name: str) -> dict[str, str]:
    """Return for each word of a list what stands behind ``=``. Raises as ``words``."""
    return {word: value for _, value, found in _of(file, name) for word in found}


def groups(file: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a list by what stands behind ``=``. Raises as ``words``."""
    made: dict[str, tuple[str, ...]] = {}
    for _, value, found in _of(file, name):
        made[value] = (*made.get(value, ()), *found)
    return made


def texts(file: str, name: str) -> dict[str, str]:
    """Return ``groups``, the words of each with a space between them. Raises as ``words``."""
    return {value: " ".join(found) for value, found in groups(file, name).items()}


def parts(file: str, name: str) -> list[tuple[str, list[str]]]:
    """Return of each heading of a list what stands behind ``=``, and its words."""
    return [(value, found) for _, value, found in _of(file, name)]


def tables(file: str, first: str) -> dict[str, dict[str, str]]:
    """Return ``values`` of every list whose name begins with a word, by the rest of its name."""
    names = dict.fromkeys([name for name, _, _ in _file(file) if name.startswith(f"{first} ")])
    return {name[len(first) + 1 :]: values(file, name) for name in names}


def text(file: str, name: str) -> str:
    """Return the words of a list with a space between them. Raises as ``words``."""
    return " ".join(words(file, name))


def _of(file: str, name: str) -> list[tuple[str, str, list[str]]]:
    found = [part for part in _file(file) if part[0] == name]
    if not found:
        raise KeyError(f"{FOLDER}/{file}.txt has no list [{name}]")
    return found


def _file(file: str) -> list[tuple[str, str, list[str]]]:
    if file not in _files:
        _files[file] = parse(read_text(f"{FOLDER}/{file}.txt"))
    return _files[file]


def parse(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the lists of a text: of each its name, what its words have in common, its words.

    Raises:
        ValueError: a line is none of the format; the message says which.
    """
    found: list[tuple[str, str, list[str]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line[:1] == "[" and line[-1:] == "]":
            name, _, value = line[1:-1].partition(" =")
            found.append((name, value.strip(), []))
        elif line and line[:1] != "#":
            if not found or line.count('"') % 2:
                raise ValueError(
                    f"line {number}: {line!r} stands under no heading, or a quote does not end"
                )
            found[-1][2].extend(_split(line))
    return found


def _split(line: str) -> list[str]:
    if '"' not in line:
        return line.split()
    parts = enumerate(line.split('"'))
    return [word for at, part in parts for word in ([part] if at % 2 else part.split())]


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of every program of a text with the lines of its section."""
    for section in f"\n{text}\n".split("\n[")[1:]:
        names, _, body = section.partition("]\n")
        for name in names.split():
            yield name, body


def read_text(path: str) -> str:
    """Return the text of a file of the package's data. Raises ``OSError``."""
    return read_bytes(path).decode()


def read_bytes(path: str) -> bytes:
    """Return what a file of the package's data holds. Raises ``OSError``."""
    descriptor = system.open(path, system.O_RDONLY)
    try:
        return system.read(descriptor, LIMIT)
    finally:
        system.close(descriptor)
