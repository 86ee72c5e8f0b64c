"""A workspace, a home with secrets and a folder outside, none of them below the folders for
temporary files, which are lent to every program.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.codemode.scenes import Ground
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    """Lay out the ground, and clear it away."""
    top = Path(tempfile.mkdtemp(dir=lasting("codemode"))).resolve()
    try:
        found = Ground(top)
        found.lay_out()
        monkeypatch.setenv("HOME", str(found.home))
        yield found
    finally:
        shutil.rmtree(top, ignore_errors=True)
