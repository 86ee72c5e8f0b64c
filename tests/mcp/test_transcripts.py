"""Golden transcripts: what the proxy says to either side, message by message. ``python -m
tests.mcp.test_transcripts`` writes them anew.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from tests.proxying import played

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_is_the_golden_one(name: str, tmp_path: Path) -> None:
    """What goes in at ``C>`` and ``S>`` comes out at ``S<`` and ``C<``, and the log says what ``!``
    says.
    """
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert played(text, tmp_path) == text


def test_there_are_transcripts() -> None:
    """An empty folder proves nothing."""
    assert len(NAMES) >= 6


if __name__ == "__main__":
    for one in GOLDEN.glob("*.txt"):
        with tempfile.TemporaryDirectory() as folder:
            one.write_text(played(one.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")
    sys.exit(0)
