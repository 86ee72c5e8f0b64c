"""The package as `interlock install` leaves it, compiled and bundled once for all tests of a
process: a copy of it has a copy of its bundle.
"""

from __future__ import annotations

import compileall
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from interlock.cli.bundling import write

SOURCE = Path(__file__).parent.parent / "src" / "interlock"


@cache
def _compiled() -> TemporaryDirectory[str]:
    made = TemporaryDirectory(prefix="interlock-")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, f"{made.name}/interlock", ignore=ignored)
    compileall.compile_dir(made.name, quiet=2)
    write(f"{made.name}/interlock")
    return made


def installed_at(package: Path) -> Path:
    """Put the package there, compiled and bundled; return the folder."""
    shutil.copytree(f"{_compiled().name}/interlock", package)
    return package
