"""A section about a program, drafted from what it says of itself: its ``--help``, run behind walls,
without a network, a home or a place to write.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator

from interlock.codemode.roots import system
from interlock.sandbox.bounds import Bounds, Walls
from interlock.sandbox.probe import kernel
from interlock.sandbox.process import ProcessStart, SandboxProcess

BOUNDS = Bounds(seconds=5.0, memory=1 << 30, processes=16, file_size=1 << 20, output=1 << 17)
_OPTION = re.compile(
    r"^\s{1,30}(-{1,2}[A-Za-z0-9?@#][\w?@#.-]*)(?:[ =]?(\[?=?[<\[A-Z][\w<>\[\].|:-]*\]?))?"
)
_NEXT = re.compile(
    r"^[ ]?[,|/] ?(-{1,2}[A-Za-z0-9][\w.-]*)(?:[ =]?(\[?=?[<\[A-Z][\w<>\[\].|:-]*\]?))?"
)
_WRITTEN = re.compile(r"out|log|report|save|write|dest", re.IGNORECASE)
_READ = re.compile(r"file|path|dir|config|folder|input", re.IGNORECASE)


def help_of(name: str) -> str:
    """Return what a program says with ``--help``, ``""`` if it is missing or unwalled."""
    path, walls = shutil.which(name), kernel()
    if path is None or not walls.best:
        return ""
    reads = tuple(dict.fromkeys([*system(), os.path.dirname(os.path.realpath(path))]))
    variables = {"HOME": "/nowhere", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb"}
    start = ProcessStart(
        (path, "--help"),
        "/",
        variables,
        Walls(reads=reads, executes=reads),
        BOUNDS,
        walls.best,
        walls.bwrap,
    )
    try:
        ended = SandboxProcess(start).ended()
    except OSError:
        return ""
    said = ended.stdout.text() or ended.stderr.text()
    return said if ended.why == "exit" else ""


def section(text: str) -> Iterator[str]:
    """Yield the lines of a section for what a help text lists; what is done to a value is a guess
    from its name, for a person to look at.
    """
    seen: set[str] = set()
    for line in text.expandtabs().splitlines():
        names, value = _heading(line)
        fresh = [name for name in names if name not in seen]
        if not fresh:
            continue
        seen.update(fresh)
        role = (
            ""
            if not value
            else (
                "writes"
                if _WRITTEN.search(names[-1])
                else "reads"
                if _READ.search(f"{names[-1]} {value}")
                else ""
            )
        )
        mark = "" if not value else f" ?{role}" if value[:1] == "[" else f" ={role}"
        yield " ".join(fresh) + mark


def _heading(line: str) -> tuple[list[str], str]:
    """Return the spellings of the option that a line begins with, and the name of its value."""
    found = _OPTION.match(line)
    names, value = [], ""
    while found is not None:
        names.append(found[1])
        value = found[2] or value
        line = line[found.end() :]
        found = _NEXT.match(line)
    return names, value
