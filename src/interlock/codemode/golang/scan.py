"""What the text of a Go file says before anything is built: its imports and the directives to the
toolchain, each with its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<raw>`[^`]*(?:`|\Z))|(?P<string>"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\Z))"""
    r"""|(?P<rune>'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|\Z))|(?P<word>[^\W\d]\w*)|(?P<mark>[^\s\w])""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"//(go:\w+|export|line)\b[ \t]*(.*)")
_LINE_BLOCK = re.compile(r"/\*line\b[ \t]*(.*?)\*/", re.DOTALL)


class Import(NamedTuple):
    """One import: its path, the name it was given ("", "_" and "." among them), and its line."""

    path: str
    name: str
    line: int


class Directive(NamedTuple):
    """One comment that is an order: ``go:linkname``, ``line``..., and what follows the word."""

    word: str
    rest: str
    line: int


class GoFileScan(NamedTuple):
    """What was found in one file. ``package`` is "" where there is no package clause. ``words``:
    every name in it, with the first line where it stands. ``selected``: of every name what is
    selected of it (``name.Other``), ``""`` where it stands alone.
    """

    package: str
    imports: tuple[Import, ...]
    directives: tuple[Directive, ...]
    functions: frozenset[str]
    words: Mapping[str, int] = {}
    selected: Mapping[str, frozenset[str]] = {}


def scan(text: str) -> GoFileScan:
    """Scan a file's text. Total: what is no Go has no imports, and the compiler will say so."""
    directives: list[Directive] = []
    words: list[tuple[str, str, int]] = []
    line, counted = 1, 0
    for found in _TOKEN.finditer(text):
        kind, what = found.lastgroup or "", found.group()
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        if kind in {"line", "block"}:
            directives += _directives(
                kind, what, found.start() == 0 or text[found.start() - 1] == "\n", line
            )
        else:
            words.append((kind, what, line))
    lines = {what: number for kind, what, number in reversed(words) if kind == "word"}
    whole = _read(words, tuple(directives))
    return whole._replace(words=lines, selected=_collect_selectors(words))


def _collect_selectors(words: list[tuple[str, str, int]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for at, (kind, what, _) in enumerate(words):
        # the name of an import is no use of it
        if kind == "word" and not (
            words[at + 1 : at + 2] and words[at + 1][0] in ("string", "raw")
        ):
            then = words[at + 1 : at + 3]
            dotted = len(then) == 2 and then[0][1] == "." and then[1][0] == "word"
            found.setdefault(what, set()).add(then[1][1] if dotted else "")
    return {name: frozenset(others) for name, others in found.items()}


def _read(words: list[tuple[str, str, int]], directives: tuple[Directive, ...]) -> GoFileScan:
    """Read the words of a file with strings: each its kind, its text, and a string's line."""
    package = ""
    imports: list[Import] = []
    functions: set[str] = set()
    at = 0
    while at < len(words):
        what = words[at][1]
        if what == "package" and not package and at + 1 < len(words):
            package = words[at + 1][1]
        elif what == "import" and words[at][0] == "word":
            at = _imports(words, at + 1, imports)
            continue
        elif what == "func" and at + 1 < len(words) and words[at + 1][0] == "word":
            functions.add(words[at + 1][1])
        at += 1
    return GoFileScan(package, tuple(imports), directives, frozenset(functions))


_ESCAPED = re.compile(r"\\([0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


def unquote(literal: str) -> str:
    """Return the text that a string literal stands for, as Go reads it (go.dev/ref/spec,
    String_literals): one path may be spelled in many ways.
    """
    if literal[:1] == "`":
        return literal[1:-1].replace("\r", "")
    return _ESCAPED.sub(_character, literal[1:-1])


def _character(found: re.Match[str]) -> str:
    text = found.group(1)
    if len(text) == 1:
        return _LETTERS.get(text, text)
    number = int(text, 8) if text[0] in "01234567" else int(text[1:], 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _directives(kind: str, comment: str, at_start: bool, line: int) -> list[Directive]:
    if kind == "block":
        found = _LINE_BLOCK.fullmatch(comment)
        return [Directive("line", found.group(1).strip(), line)] if found else []
    found = _DIRECTIVE.match(comment)
    if found is None or (found.group(1) == "line" and not at_start):
        return []
    return [Directive(found.group(1), found.group(2).strip(), line)]


def _imports(words: list[tuple[str, str, int]], at: int, imports: list[Import]) -> int:
    """Read what follows the word ``import``; returns where it ends."""
    grouped = at < len(words) and words[at][1] == "("
    at += grouped
    name = ""
    while at < len(words):
        kind, what, line = words[at]
        at += 1
        if kind in {"string", "raw"}:
            imports.append(Import(unquote(what), name, line))
            name = ""
            if not grouped:
                return at
        elif what == ")" or (kind not in {"word", "mark"}):
            return at
        elif kind == "word" or what == ".":
            name = what
        elif what != ";":
            return at
    return at
