"""The static gate of Go programs: what would go around the checks in the library is found before
anything runs.

Two looks: one at the text of the program, and one at everything that is built with it, as ``go list
-deps -json`` tells it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from interlock.codemode.golang.scan import Directive, GoFileScan, scan
from interlock.codemode.program import GATE, Refusal

OWN, FOREIGN = "own", "foreign"


class Ban(NamedTuple):
    """One import that is refused, with everything below its path. ``scope``: in the program only,
    or in what it is built with too.
    """

    path: str
    rule: str
    why: str
    instead: str
    scope: frozenset[str] = frozenset({OWN})


_BOTH = frozenset({OWN, FOREIGN})
_LIBRARY = "Use the functions of os, os/exec and net: they are checked, one operation at a time."
BANS = (
    Ban("C", "go.cgo", "C code runs outside of Go, where nothing is checked.", _LIBRARY, _BOTH),
    Ban(
        "unsafe",
        "go.unsafe",
        "With unsafe a program changes any memory, the guard's own too.",
        "Write it without unsafe.",
    ),
    Ban(
        "syscall",
        "go.syscall",
        "Package syscall speaks to the kernel past the library's checks.",
        _LIBRARY,
    ),
    Ban(
        "golang.org/x/sys",
        "go.syscall",
        "golang.org/x/sys speaks to the kernel past the library's checks.",
        _LIBRARY,
    ),
    Ban(
        "plugin",
        "go.plugin",
        "A plugin brings in machine code that nobody looked at.",
        "Put the code into the program.",
        _BOTH,
    ),
    Ban(
        "runtime/cgo",
        "go.cgo",
        "runtime/cgo is for C code, which runs where nothing is checked.",
        _LIBRARY,
        _BOTH,
    ),
)
LENT = {"syscall": re.compile(r"SIG[A-Z0-9]+|E[A-Z0-9]+|Signal|Errno|Stat_t")}
"""Names of a refused import that only say something: numbers of signals and errors, and what a file
is. A program that selects nothing else of it may have it.
"""
REPORTED = {
    "reflect": "The program uses reflect: what it calls that way is checked like any other call."
}
"""Imports that are told of, and no more: the checks are in the library, whoever calls it."""

NAMES: Mapping[str, frozenset[str]] = {
    "reflect": frozenset({"UnsafePointer", "NewAt", "SliceAt", "SetPointer"}),
    "runtime": frozenset({"SetCgoTraceback"}),
    "sync/atomic": frozenset(
        {"LoadPointer", "StorePointer", "SwapPointer", "CompareAndSwapPointer"}
    ),
}
"""Names of the library in whose type unsafe.Pointer stands: with a value of that type a program
needs no import of unsafe to make any pointer of it. The lists in Go's own folder ``api`` have no
others.
"""

DIRECTIVES: Mapping[str, tuple[str, str]] = {
    "go:linkname": (
        "go.linkname",
        "go:linkname takes a library's private function, past its checks",
    ),
    "go:cgo_import_dynamic": ("go.cgo", "it brings in a C library"),
    "go:cgo_import_static": ("go.cgo", "it brings in C code"),
    "go:cgo_ldflag": ("go.cgo", "it gives orders to a linker"),
    "go:cgo_dynamic_linker": ("go.cgo", "it chooses what loads the program"),
    "export": ("go.cgo", "it is for C code"),
    "line": ("go.line", "it makes the program's lines be reported under another name"),
}
"""Orders to the toolchain that are refused. What no build obeys (``go:generate``) is not here."""
FILES = {
    "CgoFiles": ("go.cgo", "C code"),
    "CFiles": ("go.cgo", "C code"),
    "CXXFiles": ("go.cgo", "C++ code"),
    "MFiles": ("go.cgo", "Objective-C code"),
    "FFiles": ("go.cgo", "Fortran code"),
    "SwigFiles": ("go.cgo", "SWIG's code"),
    "SwigCXXFiles": ("go.cgo", "SWIG's code"),
    "SFiles": ("go.assembly", "assembly"),
    "SysoFiles": ("go.object", "an object file"),
}
"""Files of a package that are no Go, by the names that ``go list`` has for them."""
FIELDS = "ImportPath,Dir,Standard,Module,GoFiles,Imports," + ",".join(FILES)


class GateResult(NamedTuple):
    """What the gate says: what is refused, and what is only told of."""

    refused: tuple[Refusal, ...]
    notices: tuple[str, ...] = ()


def of_source(text: str, name: str) -> GateResult:
    """Judge the text of a program. ``name``: what its lines are reported under."""
    scanned = scan(text)
    notices = tuple([REPORTED[one.path] for one in scanned.imports if one.path in REPORTED])
    return GateResult(tuple(_check_source(scanned, OWN, name, name)), notices)


def of_graph(listing: str, name: str, read: Callable[[str], str], *, walled: bool) -> GateResult:
    """Judge everything that a program is built with. ``listing``: JSON records of packages, one
    after the other, with ``FIELDS``.

    ``name``: the program's own file, which ``of_source`` has judged. ``read``: returns the text of
    a file. ``walled``: whether the kernel holds what would go around the library's checks; where it
    does, what a library does with unsafe or syscall is told of, else it is refused.
    """
    refused: list[Refusal] = []
    notices: list[str] = []
    for package in _packages(listing):
        if package.get("Standard"):
            continue
        path, folder = str(package.get("ImportPath", "")), str(package.get("Dir", ""))
        refused += _files(package, path)
        own = package.get("Module", {}).get("Main", False)
        for file in package.get("GoFiles") or ():
            if own and file == name:
                continue
            found = list(
                _check_source(
                    scan(read(os.path.join(folder, file))), OWN if own else FOREIGN, path, file
                )
            )
            refused += found
        if own:
            texts = [read(os.path.join(folder, file)) for file in package.get("GoFiles") or ()]
            spared = [path for path in LENT if all(_lends(scan(text), path) for text in texts)]
            refused += _check_imports(package, name, refused, spared)
        past = sorted(
            {
                ban.path
                for ban in BANS
                if FOREIGN not in ban.scope
                for one in package.get("Imports") or ()
                if _is(one, ban.path)
            }
        )
        if past and not own:
            message = (
                f"{path} imports {', '.join(past)}: what it does with that is past the library's"
                " checks"
            )
            if walled:
                notices.append(f"{message}, and only the kernel holds it.")
            else:
                refused.append(
                    Refusal(
                        "import",
                        path,
                        "go.unchecked-library",
                        GATE,
                        f"{message}, and no kernel holds it here.",
                    )
                )
    return GateResult(tuple(refused), tuple(notices))


def _lends(scanned: GoFileScan, path: str) -> bool:
    """Tell whether a file has of an import only what is lent of it, or nothing."""
    fits = LENT.get(path)
    for one in scanned.imports:
        if one.path == path:
            local = one.name or path
            chosen = scanned.selected.get(local, frozenset())
            harmless = fits is not None and bool(chosen) and all(map(fits.fullmatch, chosen))
            if not harmless or local in (".", "_"):
                return False
    return True


def _check_imports(
    package: Mapping[str, Any], name: str, before: list[Refusal], spared: list[str]
) -> Iterator[Refusal]:
    """Judge the program's imports as the toolchain itself names them, whatever the text said."""
    told = {*spared, *[one.argument for one in before]}
    for path in package.get("Imports") or ():
        for ban in BANS:
            if path not in told and _is(path, ban.path):
                yield Refusal("import", path, ban.rule, GATE, ban.why, name, ban.instead)


def _check_source(scanned: GoFileScan, scope: str, package: str, file: str) -> Iterator[Refusal]:
    for one in scanned.imports:
        for ban in BANS:
            if scope in ban.scope and _is(one.path, ban.path) and not _lends(scanned, one.path):
                yield Refusal(
                    "import",
                    one.path,
                    ban.rule,
                    GATE,
                    ban.why,
                    f"{os.path.basename(file)}:{one.line}",
                    ban.instead,
                )
    imported = {one.path for one in scanned.imports}
    for path, names in NAMES.items() if scope == OWN else ():
        for name in sorted(names & scanned.words.keys() if path in imported else ()):
            where = f"{os.path.basename(file)}:{scanned.words[name]}"
            why = f"{name} of {path} gives a pointer that unsafe would give."
            yield Refusal("import", path, "go.unsafe", GATE, why, where, "Write it without unsafe.")
    for directive in scanned.directives:
        found = _order(directive)
        if found is not None and (scope == OWN or found[0] != "go.line"):
            message = f"//{directive.word} is refused: {found[1]}."
            where = f"{os.path.basename(file)}:{directive.line}"
            yield Refusal(
                directive.word,
                directive.rest[:200] or package,
                found[0],
                GATE,
                message,
                where,
                "Leave the comment out.",
            )


def _order(directive: Directive) -> tuple[str, str] | None:
    return DIRECTIVES.get(directive.word)


def _is(path: str, banned: str) -> bool:
    return path == banned or path.startswith(f"{banned}/")


def _files(package: Mapping[str, Any], path: str) -> Iterator[Refusal]:
    for field, (rule, what) in FILES.items():
        for file in package.get(field) or ():
            yield Refusal(
                "build",
                f"{path}/{file}",
                rule,
                GATE,
                f"{path} holds {what} ({file}), which nothing checks.",
                file,
            )


def _packages(listing: str) -> Iterable[Mapping[str, Any]]:
    """Read JSON values that follow each other; raises ``ValueError``."""
    decoder = json.JSONDecoder()
    at, end = 0, len(listing)
    while at < end:
        while at < end and listing[at].isspace():
            at += 1
        if at < end:
            value, at = decoder.raw_decode(listing, at)
            yield value
