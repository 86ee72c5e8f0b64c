"""Dangerous lines of our own by class: what must be denied is denied, what must be asked about is
not let through, and their milder twins are.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.judging import judged

CORPUS = Path(__file__).parent / "corpus"
LEAST = {
    "deny": frozenset({"deny"}),
    "ask": frozenset({"ask", "deny"}),
    "allow": frozenset({"allow"}),
}
"""What a line is marked with -> the verdicts that are right for it."""
CLASSES: dict[str, dict[str, str]] = yaml.safe_load(
    (CORPUS / "danger.yaml").read_text(encoding="utf-8")
)
AT_LEAST = 2000
"""Dangerous lines do not shrink unseen; one in five has a twin."""
AT_MOST = 100
"""Lines whose right answer is known and not given yet; the number may only fall."""


def lines(mark: str) -> list[tuple[str, str]]:
    """Return the lines with a mark, each with its class."""
    return [
        (name, line)
        for name, marked in CLASSES.items()
        for line in marked.get(mark, "").splitlines()
    ]


@pytest.mark.parametrize("mark", sorted(LEAST))
@pytest.mark.parametrize("name", sorted(CLASSES))
def test_each_line_is_answered_as_it_is_marked(name: str, mark: str) -> None:
    """No line of a class gets a milder answer than its mark, and no twin is interrupted."""
    wrong = [
        f"{line} -> {answer}"
        for line in CLASSES[name].get(mark, "").splitlines()
        if (answer := str(judged(line).verdict)) not in LEAST[mark]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_set_keeps_its_size() -> None:
    """Lines that are hard to answer are not dropped, and danger is not shown without its twins."""
    danger = len(lines("deny")) + len(lines("ask"))
    assert sum(len(lines(f"{mark}-gap")) for mark in LEAST) <= AT_MOST
    assert danger >= AT_LEAST
    assert len(lines("allow")) * 5 >= danger


def test_no_line_stands_twice() -> None:
    """A line has one mark."""
    every = [
        line for mark in (*LEAST, *[f"{mark}-gap" for mark in LEAST]) for _, line in lines(mark)
    ]
    assert len(every) == len(set(every)), sorted({line for line in every if every.count(line) > 1})
