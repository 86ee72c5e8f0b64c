"""The same text gives the same effects, however often and after whatever else it is read in one
process.
"""

from __future__ import annotations

import pytest

from tests.effects.reading import effects_of

TEXTS = [
    "if a; then x='$(rm -rf /)'; else x=hi; fi; echo ${x@P}",
    "if a; then x='$(rm -rf /)'; else x='$(rm -rf /etc)'; fi; eval \"echo $x\"; eval \"echo $x\"",
    "for i in 1 2 3; do eval 'echo $(touch /etc/x)'; done; bash -c 'while false; do rm -rf /; done'",
    "python3 -c 'def f(x):\n    global y\n    y = x\nf(1)\nprint((lambda: y)())'; python3 -c 'import os; os.remove(\"/etc/x\")'",
]


@pytest.mark.parametrize("text", TEXTS)
def test_reading_again_tells_the_same(text: str) -> None:
    """What was read before leaves nothing behind that this reading could take for its own."""
    first = [str(effect) for effect in effects_of(text)]
    assert first
    for number in range(60):
        effects_of(TEXTS[number % len(TEXTS)])
        assert [str(effect) for effect in effects_of(text)] == first
