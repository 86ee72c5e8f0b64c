"""Options as the installed programs have them, and what a help text says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.effects.programs import table
from interlock.effects.rows import Row
from tests.oracle.manuals import JOINED, NONE, VALUE, compare, differences, options
from tests.oracle.sandbox import Sandbox, why_not

if TYPE_CHECKING:
    from pathlib import Path

WHY_NOT = why_not()
HELP = """
Usage: x [OPTION]... FILE...
  -a, --all                  take all
  -l[MAX-LINES]              like -L, but the value may be missing
  -o, --output=FILE          write to FILE
      --color[=WHEN]         when to colour
  -n NUM                     how often
  -q, --quiet, --silent
"""


def test_a_help_text_is_read() -> None:
    """What takes a value, what may take one, what takes none."""
    assert options(HELP) == {
        "-a": NONE, "--all": NONE, "-l": JOINED, "-o": VALUE, "--output": VALUE, "--color": JOINED, "-n": VALUE,
        "-q": NONE, "--quiet": NONE, "--silent": NONE,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Row(options="-o:data --output:data -n:data -l:?data"), []),
        (Row(options="-o:data --output:data -n:data -l:data"), ["x swallows -l"]),
        (Row(options="-o:data --output:data -n:data -a:data"), ["x swallows -a"]),
        (Row(options="-o:data -n:data"), ["x misses --output"]),
    ],
)
def test_differences_are_told(row: Row, said: list[str]) -> None:
    """A row that swallows or misses a value is named."""
    assert [str(item) for item in compare("x", row, options(HELP))] == said


@pytest.mark.e2e
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "the sandbox is there")
@pytest.mark.skipif(not os.environ.get("INTERLOCK_FUZZ"), reason="asking every program takes a minute: make e2e")
def test_no_row_swallows_a_word(tmp_path: Path) -> None:
    """No option of a program that is installed here takes the next word for its row, and not for the program itself."""
    found = differences(Sandbox(tmp_path), list(table.names()))
    assert not [str(item) for item in found if item.what == "swallows"]
