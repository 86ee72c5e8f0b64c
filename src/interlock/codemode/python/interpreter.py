"""Which interpreter runs a program: the one that its first line names, that of the environment
which is active (``VIRTUAL_ENV``), or of the one in its folder or above it, in the workspace.

An agent may have written all of these, and an interpreter is asked where its library is before any
walls stand. So nothing that lies in the workspace is run for that: an environment counts if its
interpreter is a link to one outside, where no agent writes.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping

from interlock.codemode.commands import search, within

_NAME = re.compile(r"python3(\.\d+)?")
_FIRST = re.compile(r"#!\s*(?:\S*/env(?:\s+-\S+)*\s+)?(\S*python[\d.]*)(?:\s|$)")
FOLDERS = (".venv", "venv")


def choose_interpreter(
    source: str, file: str, cwd: str, barred: tuple[str, ...], environment: Mapping[str, str]
) -> str:
    """Return an interpreter's path, ``""`` for the usual one. ``file``: the program's own path, or
    ``""``; ``barred``: folders in which an agent writes.
    """
    named = _FIRST.match(source.partition("\n")[0])
    if named is not None:
        found = shutil.which(named[1], path=search(barred=barred))
        if found and is_interpreter(found, barred):
            return found
    for folder in _environments(os.path.dirname(file) or cwd, barred, environment):
        path = f"{folder}/bin/python"
        if os.path.isfile(f"{folder}/pyvenv.cfg") and is_interpreter(path, barred):
            return path
    return ""


def is_interpreter(path: str, barred: tuple[str, ...]) -> bool:
    """Tell whether a path leads to an interpreter, by its name, where no agent writes."""
    real = os.path.realpath(path)
    return (
        not within(real, barred)
        and bool(_NAME.fullmatch(os.path.basename(real)))
        and os.access(real, os.X_OK)
    )


def _environments(
    folder: str, roots: tuple[str, ...], environment: Mapping[str, str]
) -> Iterator[str]:
    if environment.get("VIRTUAL_ENV", "").startswith("/"):
        yield environment["VIRTUAL_ENV"]
    while within(folder, roots):
        yield from [f"{folder}/{name}" for name in FOLDERS]
        folder = os.path.dirname(folder)
