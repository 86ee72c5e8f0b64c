"""The package as `interlock install` leaves it, compiled and bundled: a copy of it has a copy of
its bundle.
"""

from __future__ import annotations

import compileall
import shutil
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from interlock.cli.bundle_writer import write

SOURCE = Path(__file__).parent.parent / "src" / "interlock"


def _of_others(_folder: str, names: list[str]) -> set[str]:
    """Return what other Pythons have compiled, and bundles that were not put in their place."""
    made = sys.implementation.cache_tag
    return {
        name
        for name in names
        if (name.endswith(".pyc") and f".{made}." not in name)
        or (".bundle" in name and not name.endswith(f".{made}.bundle"))
    }


@cache
def _compiled() -> TemporaryDirectory[str]:
    """Return a copy for all tests of a process. The bundle is made beside the source, as an install
    from there makes it, and kept until the source changes: to make it takes seconds.
    """
    write(str(SOURCE))
    made = TemporaryDirectory(prefix="interlock-")
    shutil.copytree(SOURCE, f"{made.name}/interlock", ignore=_of_others)
    compileall.compile_dir(made.name, quiet=2)
    return made


def installed_at(package: Path) -> Path:
    """Put the package there, compiled and bundled; return the folder."""
    shutil.copytree(f"{_compiled().name}/interlock", package)
    return package
