"""Attack programs of our own against every layer by itself: what each row says that stops it does,
its twin passes, and with the guard and walls together nothing gets out.

``INTERLOCK_ATTACKS=FILE`` writes the counts of the page on code mode.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from tests.codemode.rows_python import GUARD
from tests.codemode.scenes import HELD, NONE, needs
from tests.codemode.trying import TOGETHER, Tried
from tests.e2e.attacks.python import LAYERS, NAMES, ROWS, Attack

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls are x86-64's"),
]  # fmt: skip
LAYER_OF = {NONE: GUARD, **dict(zip(HELD, HELD, strict=True))}
IDS = [f"{row.sort}: {row.name}".replace(" ", "_") for row in ROWS]
FEWEST = 100
"""Attacks that have to lead somewhere on the machine that tries them."""


@pytest.fixture(scope="module")
def tried() -> Tried:
    """Nothing is run before a test asks for it."""
    return Tried([(row.attempt, row.twin) for row in ROWS])


@pytest.mark.parametrize("tier", list(LAYER_OF))
@pytest.mark.parametrize(("at", "row"), list(enumerate(ROWS)), ids=IDS)
def test_each_layer_stops_what_its_row_says(tried: Tried, at: int, row: Attack, tier: str) -> None:
    """By itself, without the others; its twin is permitted under each."""
    needs(tier)
    bare, permitted = tried.under("bare")[str(at)]
    attempt, twin = tried.under(tier)[str(at)]
    assert (permitted[0], twin[0]) == ("got", "got"), twin
    if bare[0] != "got":
        assert attempt[0] != "got", attempt
        pytest.skip(f"on this machine it leads nowhere even without any protection: {bare[1]}")
    assert attempt[0] == ("stopped" if LAYER_OF[tier] in row.stopped_by else "got"), attempt


@pytest.mark.parametrize("walls", HELD)
def test_nothing_gets_out_of_the_guard_and_walls_together(tried: Tried, walls: str) -> None:
    """Of at least a hundred that succeed bare none does in an ordinary run: what a policy allows
    and walls do not reach is done for a program from outside.
    """
    needs(walls)
    valid = [at for at in range(len(ROWS)) if tried.under("bare")[str(at)][0][0] == "got"]
    assert len(valid) >= FEWEST
    found = tried.under(f"{TOGETHER}{walls}")
    out = [ROWS[at] for at in valid if found[str(at)][0][0] == "got"]
    assert out == [row for row in ROWS if row.sort == NAMES]
    assert [ROWS[at] for at in valid if found[str(at)][1][0] != "got"] == []


def test_the_counts_of_the_page() -> None:
    """The page has a line for each class: how many there are, and how many each layer stops."""
    found = "\n".join(counted(ROWS)) + "\n"
    if "INTERLOCK_ATTACKS" in os.environ:
        Path(os.environ["INTERLOCK_ATTACKS"]).write_text(found, encoding="utf-8")
    page = Path(__file__).parent.parent.parent / "docs" / "code-mode.md"
    assert found in page.read_text(encoding="utf-8")


def counted(rows: list[Attack]) -> list[str]:
    """Return the page's lines about classes of attacks."""
    lines = []
    for sort in dict.fromkeys([row.sort for row in rows]):
        own = [row for row in rows if row.sort == sort]
        numbers = [sum(layer in row.stopped_by for row in own) for layer in LAYERS]
        lines.append(f"| {sort} | {len(own)} | {' | '.join(map(str, numbers))} |")
    return lines
