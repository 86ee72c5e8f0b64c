"""The private folder that a program is built in: its own file, the file that starts it, and what it
needs from elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from interlock.codemode.golang.scan import scan

MODULE = "program"
"""The module's path. The guard in the library knows the program's own lines by it."""
SDK = "github.com/modelcontextprotocol/go-sdk"
_PIECES = os.path.join(os.path.dirname(__file__), "pieces")
_STARTER = "interlock_main.go"


class NoProgramError(Exception):
    """A text that is no program of either shape. The message says what is missing."""


class Project(NamedTuple):
    """A folder ready to be built. ``returns``: the word that announces what ``Run`` returned, or ""
    where the program has a main of its own.
    """

    folder: str
    name: str
    returns: str = ""


def write_project(
    source: str, name: str, folder: str, release: tuple[int, int], start: str = ""
) -> Project:
    """Write what a program is built from into an empty folder.

    ``name``: what its lines are reported under; ``release``: Go's first two numbers; ``start``: the
    folder whose ``go.mod``, or one above it, names the modules that it may use, "" for none. Raises
    ``NoProgramError``, ``OSError``.
    """
    scanned = scan(source)
    if scanned.package != "main":
        raise NoProgramError(
            f"{name} begins with package {scanned.package or 'nothing'}; a program is of package"
            " main"
        )
    runs = "main" not in scanned.functions
    if runs and "Run" not in scanned.functions:
        raise NoProgramError(
            f"{name} has neither func main() nor func Run(ctx context.Context) ([]mcp.Content,"
            " error)"
        )
    foreign = [one.path for one in scanned.imports if "." in one.path.partition("/")[0]]
    own_sdk = runs or any(path.startswith(SDK) for path in foreign)
    needs = [path for path in foreign if not path.startswith(SDK)]
    lines = [f"module {MODULE}", f"go {release[0]}.{release[1]}"]
    if own_sdk:
        _copy(os.path.join("mcp", "content.go"), folder, "sdk/mcp/content.go")
        _write(folder, "sdk/go.mod", f"module {SDK}\n\ngo {release[0]}.{release[1]}\n")
        lines += [f"require {SDK} v0.0.0", f"replace {SDK} => ./sdk"]
    if needs:
        lines += _read_requirements(start, folder)
    _write(folder, "go.mod", "\n\n".join(lines) + "\n")
    _write(folder, name, source)
    if not runs:
        return Project(folder, name)
    word = f"interlock-returned-{os.urandom(12).hex()}"
    with open(os.path.join(_PIECES, "main.go"), encoding="utf-8") as file:
        _write(folder, _STARTER, file.read().replace("ANNOUNCED", word))
    if "ptr" not in scanned.functions:
        _copy("ptr.go", folder, "interlock_ptr.go")
    return Project(folder, name, word)


def bring_library(project: Project, source: str) -> None:
    """Have a program that imports nothing built with the library in which the checks lie, so that
    it can show that they hold.
    """
    if not scan(source).imports:
        _copy("armed.go", project.folder, "interlock_armed.go")


def split_output(project: Project, stdout: str) -> tuple[str, str]:
    """Split what a program printed from what its ``Run`` returned: text, and a JSON array or ""."""
    if not project.returns:
        return stdout, ""
    printed, _, rest = stdout.rpartition(f"{project.returns}\n")
    if not rest or not _:
        return stdout, ""
    try:
        json.loads(rest)
    except ValueError:
        return stdout, ""  # its middle was left out: it is shown as it is
    return printed, rest.strip()


def _read_requirements(start: str, folder: str) -> list[str]:
    """Return the requirements of the nearest ``go.mod``, whose ``go.sum`` is taken along. What
    replaces a module is not: it may lie anywhere.
    """
    place = start
    while place and not os.path.isfile(os.path.join(place, "go.mod")):
        above = os.path.dirname(place)
        place = "" if above == place else above
    if not place:
        return []
    with open(os.path.join(place, "go.mod"), encoding="utf-8") as file:
        lines = list(_requirements(file.read().splitlines()))
    sums = os.path.join(place, "go.sum")
    if os.path.isfile(sums):
        with open(sums, encoding="utf-8") as file:
            _write(folder, "go.sum", file.read())
    return lines


def _requirements(lines: Sequence[str]) -> list[str]:
    found, inside = [], False
    for line in lines:
        words = line.partition("//")[0].split()
        if inside and words == [")"]:
            inside = False
        elif words[:2] == ["require", "("]:
            inside = True
        elif inside and len(words) == 2:
            found.append(f"require {words[0]} {words[1]}")
        elif words[:1] == ["require"] and len(words) == 3:
            found.append(f"require {words[1]} {words[2]}")
    return found


def _copy(piece: str, folder: str, name: str) -> None:
    with open(os.path.join(_PIECES, piece), encoding="utf-8") as file:
        _write(folder, name, file.read())


def _write(folder: str, name: str, text: str) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
