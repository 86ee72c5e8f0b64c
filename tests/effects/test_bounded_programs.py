"""Programs of sed, awk, find, patch and ed that were made to keep the reader busy: they are
bounded, and what is not read is said.
"""

from __future__ import annotations

import pytest

from tests.effects.reading import effects_of

LONG = {
    "sed writes": "sed '" + "w x\n" * 1000 + "' f",
    "awk calls": "awk 'BEGIN{" + "system(" * 1000 + "' f",
    "awk reads": "awk 'BEGIN{" + '"ls" | getline;' * 1000 + "}' f",
    "find actions": "find . " + "-delete " * 1000,
    "find commands": "find . " + "-exec ls {} + " * 1000,
    "patched files": "patch -p1 <<'EOF'\n" + "+++ b/x\n" * 1000 + "EOF",
    "edits": "ed <<'EOF'\n" + "w x\n" * 3000 + "EOF",
}


@pytest.mark.parametrize("command", LONG.values(), ids=LONG)
def test_too_much_is_said(command: str) -> None:
    """Past a bound the rest is opaque; what comes before it is still there."""
    effects = effects_of(command)
    assert len(effects) <= 1000
    assert any("too-much" in effect.traits for effect in effects)


def test_what_doubles_becomes_unknown() -> None:
    """A text that an awk program makes longer and longer is unknown in the end, and a command of it
    is asked about.
    """
    command = 'awk \'BEGIN{a="rm x";' + "a=a a;" * 100 + "system(a)}'"
    assert any(str(effect.kind) == "runs-code" for effect in effects_of(command))
    assert not any(
        str(effect.kind) == "runs-code"
        for effect in effects_of("awk 'BEGIN{a=\"x\"; a=a a; print a}'")
    )
