"""The programs that need no code: each section can be read, stands once, and is not also a row of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.data import programs
from interlock.data.programs import Program, parse
from interlock.effects.programs import table

TEXT = Path(programs.FILE).read_text(encoding="utf-8")


def test_every_section_stands_once_and_has_no_row_of_code() -> None:
    """A name that stands twice, or that code describes, would have a section that nobody reads."""
    named = [name for line in TEXT.splitlines() if line.startswith("[") for name in line.strip("[] ").split()]
    assert len(named) == len(set(named)) > 200
    assert [name for name in named if table.names().get(table.canonical(name)) is not None] == []
    assert all(table.is_described(name) for name in named)


def test_a_section_says_what_is_done() -> None:
    """Operands, options with and without a value, flags, and whether it runs the project."""
    found = parse("# words\n[one two]\noperands reads* writes\nruns project\n-o --out =writes\n-n =\n--color ?\n-q --quiet\n")
    options = ("-o:writes", "--out:writes", "-n:data", "--color:?data")
    assert found == dict.fromkeys(("one", "two"), Program("reads* writes", options, ("-q:", "--quiet:"), project=True))


@pytest.mark.parametrize("text", ["-q\n", "[a]\nquiet\n", "[a]\n-o =nonsense\n", "[a]\noperands nonsense\n", "[a]\nruns everything\n", "[a]\n=\n"])
def test_a_line_of_no_kind_is_said_with_its_number(text: str) -> None:
    """A person who adds a section reads where they went wrong."""
    with pytest.raises(ValueError, match=rf"line {text.count(chr(10))}: .* is no line that the head of the file explains"):
        parse(text)


@pytest.mark.parametrize(
    ("name", "known"), [("scc", True), ("xcodebuild", True), ("git", False), ("nobody-described-this", False), ("python3.11", False)]
)
def test_whose_words_count_besides(name: str, known: bool) -> None:
    """A program that is known by its section alone may still publish and delete by a verb."""
    assert table.is_described(name) is known
