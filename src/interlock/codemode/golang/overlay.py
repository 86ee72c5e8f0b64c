"""The library's files with checks in them: made from the installed Go's own source, for ``go build
-overlay``.

A function of a row gets a new body that asks first and then calls the function as it was, which
lives on under the name ``guard_NAME``. Both stand on the line where the function began, so that
every line keeps its number.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from interlock.codemode.golang.rows import ROWS, UNIX, GuardRow

GUARD = os.path.join(os.path.dirname(__file__), "overlay")
"""The folder of what is added to the library: a folder for each package."""
_IMPORT = "interlock_syscall"


class UnknownReleaseError(Exception):
    """A release of Go that the rows do not fit. The message says which function is amiss."""


class Overlay(NamedTuple):
    """Files that stand in for the library's. ``replaced``: path in GOROOT -> text; ``sites``:
    functions that were given a check.
    """

    replaced: Mapping[str, str]
    sites: tuple[str, ...]

    def write(self, folder: str) -> str:
        """Write the files into a folder; returns the path of the list that ``go build -overlay``
        takes. Raises ``OSError``.
        """
        os.makedirs(folder, exist_ok=True)
        table = {}
        for number, (path, text) in enumerate(sorted(self.replaced.items())):
            written = os.path.join(folder, f"{number:03d}_{os.path.basename(path)}")
            with open(written, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            table[path] = written
        listing = os.path.join(folder, "overlay.json")
        with open(listing, "w", encoding="utf-8") as file:
            json.dump({"Replace": table}, file, indent=0, sort_keys=True)
        return listing


def overlay(
    files: Mapping[str, Iterable[str]], system: str, rows: Iterable[GuardRow] = ROWS
) -> Overlay:
    """Make the overlay for one system. ``files``: package -> the files of it that are built for
    that system, as paths.

    Raises ``UnknownReleaseError`` where a row finds no function, ``OSError`` where a file cannot be
    read.
    """
    replaced: dict[str, str] = {}
    sites: list[str] = []
    for row in rows:
        if system not in row.on:
            continue
        done = False
        for path in files.get(row.package, ()):
            text = replaced.get(path) or _read(path)
            changed = instrument_text(text, row)
            if changed is not None:
                replaced[path], done = changed, True
        if done:
            sites.append(f"{row.package}.{row.function}")
        elif not row.optional:
            raise UnknownReleaseError(f"{row.package} has no function {row.function} for {system}")
    return Overlay({**replaced, **_guard_files(files, system)}, tuple(sites))


def _guard_files(files: Mapping[str, Iterable[str]], system: str) -> dict[str, str]:
    """Return the guard itself: files that the library's packages do not have. One with a system in
    its name is for that system.
    """
    family = {"unix"} if system in UNIX else set()
    added = {}
    for package in sorted(os.listdir(GUARD)):
        folder = os.path.dirname(next(iter(files[package])))
        for name in sorted(os.listdir(os.path.join(GUARD, package))):
            if name.endswith(".go") and name[:-3].partition("_")[2] in {"", system, *family}:
                added[os.path.join(folder, f"interlock_{name}")] = _read(
                    os.path.join(GUARD, package, name)
                )
    return added


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


# -- one function ----------------------------------------------------------------------------------


def instrument_text(text: str, row: GuardRow) -> str | None:
    """Return a file's text with the row's check in it; None where the function is not in it."""
    receiver, _, name = row.function.rpartition(".")
    head = rf"\((\w+) \*?{receiver}\) " if receiver else ""
    found = re.search(rf"^func {head}{name}\(", text, re.MULTILINE)
    if found is None:
        return None
    start = found.end() - 1
    end = _closing(text, start)
    opening = _body(text, end)
    if opening is None:
        return None
    parameters, results = text[start + 1 : end], text[end + 1 : opening].strip()
    raw = f"guard_{name}"
    call = f"{found.group(1)}.{raw}" if receiver else raw
    call += f"({', '.join(_names(parameters))})"
    body = row.instead.replace("RAW", call) if row.instead else _asking(row.before, results, call)
    for number, name_ in enumerate(_names(parameters), 1):
        body = body.replace(f"${number}", name_)
    package = (
        ""
        if row.package == "syscall"
        else "syscall."
        if _imports(text, "syscall")
        else f"{_IMPORT}."
    )
    if package:
        body = re.sub(r"\bGuard(?=[A-Z])", f"{package}Guard", body)
    signature = text[found.start() : opening]
    again = signature.replace(f"{name}(", f"{raw}(", 1)
    text = f"{text[: found.start()]}{signature}{{ {body} }}; {again}{text[opening:]}"
    return _importing(text) if package.startswith(_IMPORT) else text


def _asking(check: str, results: str, call: str) -> str:
    """Return a body that ends with the check's error where there is one."""
    kinds = _results(results)
    values = ", ".join("err" if kind == "error" else f"*new({kind})" for kind in kinds)
    return f"if err := {check}; err != nil {{ return {values} }}; return {call}"


def _closing(text: str, start: int) -> int:
    """Return where the parenthesis that opens at ``start`` is closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise UnknownReleaseError(f"a parenthesis stays open: {text[start : start + 60]!r}")


def _body(text: str, end: int) -> int | None:
    """Return where the body begins behind parameters ending at ``end``; None without one."""
    rest = text[end + 1 : text.find("\n", end)]
    at = rest.rstrip().rfind("{")
    return end + 1 + at if rest.rstrip().endswith("{") else None


def _parts(listing: str) -> list[str]:
    """Split a list of parameters at its own commas."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(listing):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(listing[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, listing[start:]) if part.strip()]


def _names(parameters: str) -> list[str]:
    return [part.split()[0] + ("..." if " ..." in part else "") for part in _parts(parameters)]


def _results(results: str) -> list[str]:
    """Return the types of a function's results."""
    if not results.startswith("("):
        return [results] if results else []
    parts = _parts(results[1:-1])
    return [part.split(None, 1)[1] if " " in part else part for part in parts]


def _imports(text: str, package: str) -> bool:
    return re.search(rf'^(import )?\s*"{package}"$', text, re.MULTILINE) is not None


def _importing(text: str) -> str:
    """Import package syscall on the line of the package clause, so that no line moves."""
    if f"import {_IMPORT} " in text:
        return text
    return re.sub(
        r"^(package \w+)$", rf'\1; import {_IMPORT} "syscall"', text, count=1, flags=re.MULTILINE
    )
