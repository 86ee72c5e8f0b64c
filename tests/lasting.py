"""A folder for tests that is not below the folders for temporary files: those are lent to every
guarded program, so nothing there lies outside.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.neutral import PERSON

TEMPORARY = ("/tmp", "/var/tmp")


def is_temporary(path: Path) -> bool:
    """Tell whether a path lies below a folder for temporary files."""
    return any(path.resolve().is_relative_to(Path(temporary).resolve()) for temporary in TEMPORARY)


def lasting(name: str) -> Path:
    """Return a folder in the cache of who runs the tests, or in this repository's where there is
    none: its name may hold anything.
    """
    for above in (Path(PERSON) / ".cache", Path(__file__).parent.parent / ".pytest_cache"):
        folder = above.resolve() / f"interlock-{name}"
        if not is_temporary(folder):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError:
                continue  # a home that nobody may write
            return folder
    pytest.skip(
        "this repository and the home both lie in folders for temporary files, which every guarded program may use"
    )
