"""What programs do, family by family: rows of commands with an effect they have, and of twins with
one they have not.
"""

from __future__ import annotations

import pytest

from tests.effects import (
    rows_build,
    rows_files,
    rows_git,
    rows_network,
    rows_packages,
    rows_streams,
    rows_versions,
)
from tests.effects.reading import seen

FAMILIES = (
    rows_build,
    rows_files,
    rows_git,
    rows_network,
    rows_packages,
    rows_streams,
    rows_versions,
)


@pytest.mark.parametrize(("command", "word"), [row for family in FAMILIES for row in family.DOES])
def test_is_seen(command: str, word: str) -> None:
    """What the program would do is among the effects."""
    assert word in seen(command)


@pytest.mark.parametrize(
    ("command", "word"), [row for family in FAMILIES for row in family.DOES_NOT]
)
def test_is_not_seen(command: str, word: str) -> None:
    """Ordinary work has none of these effects."""
    assert word not in seen(command)


@pytest.mark.parametrize(
    "command", ["bash -c 'rm -rf /' --help", "node -e '1' x", "sh -c 'rm -rf /' --version"]
)
def test_words_after_the_code_are_its_arguments(command: str) -> None:
    """An option behind ``-c TEXT`` belongs to the text: it hides nothing."""
    assert "runs-code" in seen(command) or "deletes=/" in seen(command)
