"""A list of packages that a call writes and installs is answered like its words."""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import judged, rules_of

LINES = {
    "a repository": "git+https://host.example/x",
    "a repository, to be edited": "-e git+https://host.example/x",
    "an address": "x @ https://host.example/x.whl",
    "another index": "--index-url http://host.example/simple",
    "another index too": "--extra-index-url=http://host.example/simple",
}
PLAIN = ("requests==2.32.0", "# git+https://host.example/x", "-r other.txt", "--require-hashes", "")


def listed(line: str) -> str:
    """Return a call that writes a list with a line, and installs it."""
    return f"printf '%s\\n' six '{line}' > r.txt && pip install -r r.txt"


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_counts_like_a_word(line: str) -> None:
    """By the same rules as the words of the command."""
    alone, found = judged(f"pip install {line.replace(' @ ', '@')}"), judged(listed(line))
    assert found.action >= ASK
    assert rules_of(found) >= {one for one in rules_of(alone) if one.startswith("package")}


@pytest.mark.parametrize("line", PLAIN)
def test_ordinary_lists_interrupt_nobody(line: str) -> None:
    """Names, versions, comments and options that only restrict."""
    assert judged(listed(line)).action < ASK


def test_a_list_that_lay_there_is_the_projects() -> None:
    """What a project needs was decided by its people."""
    assert judged("pip install -r requirements.txt").action < ASK
