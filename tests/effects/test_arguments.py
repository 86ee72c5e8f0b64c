"""The words of a command told apart by its row and its table of options."""

from __future__ import annotations

import pytest

from interlock.data import options
from interlock.data.options import OptionTable
from interlock.effects.arguments import ParsedArguments, parse
from interlock.effects.rows import ProgramRow
from interlock.shell.value import Value

TABLE = """
# made up
program tool other
grammar getopt globals
whole
-v --verbose
-o --output =path
-c --color ?value
-NUM
command commit ci
whole
-m --message =value
--amend
-f --files *path
command remote
command remote add
whole
-t =value
"""


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of these tests."""
    tables = {
        ("tool", "linux"): OptionTable(TABLE),
        ("plain", "linux"): OptionTable(TABLE.replace("getopt globals", "joined")),
        ("single", "linux"): OptionTable(
            TABLE.replace("getopt globals", "single").replace("--output", "-output")
        ),
        ("partial", "linux"): OptionTable(TABLE.replace("whole", "")),
    }
    monkeypatch.setattr(options, "_tables", tables)


def parsed(text: str, row: ProgramRow | None = None) -> ParsedArguments:
    """Tell the words of a command apart; nothing is quoted in it."""
    name, *words = text.split()
    return parse(row or ProgramRow(), [Value(word) for word in words], name.replace("+", " "))


def told(
    text: str, row: ProgramRow | None = None
) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    """Return operands, options with values, and options that nobody listed."""
    found = parsed(text, row)
    return (
        [value.text for value in found.operands],
        [(name, value.text) for name, value in found.options],
        found.unknown,
    )


@pytest.mark.parametrize(
    ("text", "operands", "valued", "unknown"),
    [
        ("tool -v a", ["a"], [], []),
        ("tool -o x a", ["a"], [("-o", "x")], []),
        ("tool -ox a", ["a"], [("-o", "x")], []),
        ("tool -vox a", ["a"], [("-o", "x")], []),
        ("tool --output x a", ["a"], [("--output", "x")], []),
        ("tool --output=x a", ["a"], [("--output", "x")], []),
        ("tool --out x a", ["a"], [("--output", "x")], []),
        ("tool --o=x a", ["a"], [("--output", "x")], []),
        ("tool -c x", ["x"], [], []),
        ("tool -cx", [], [("-c", "x")], []),
        ("tool --color x", ["x"], [], []),
        ("tool -12 x", ["x"], [], []),
        ("tool --strange a", ["a"], [], ["--strange"]),
        ("tool -vz a", ["a"], [], ["-z"]),
        ("tool -- -z --strange", ["-z", "--strange"], [], []),
        ("tool - a", ["-", "a"], [], []),
        ("plain --out x a", ["x", "a"], [], ["--out"]),
        ("single -output x -ov", [], [("-output", "x")], ["-ov"]),
        ("tool commit -m x --amend a", ["commit", "a"], [("-m", "x")], []),
        ("tool ci -m x a", ["ci", "a"], [("-m", "x")], []),
        ("tool commit -f a b -v c", ["commit", "c"], [("-f", "a"), ("-f", "b")], []),
        ("tool -m x commit", ["x", "commit"], [], ["-m"]),
        ("tool remote add -t x a", ["remote", "add", "a"], [("-t", "x")], []),
        ("tool+commit -m x a", ["a"], [("-m", "x")], []),
        ("unheard-of -m x", ["x"], [], ["-m"]),
    ],
)
def test_words_are_told_apart_as_the_program_does(
    text: str, operands: list[str], valued: list[tuple[str, str]], unknown: list[str]
) -> None:
    """A value belongs to its option, and an option that nobody listed is noticed."""
    assert told(text) == (operands, valued, unknown)


def test_a_row_speaks_of_every_spelling_of_an_option() -> None:
    """What it says of one of them counts for the others."""
    row = ProgramRow(options="-o:writes", flags="-v:loud")
    assert told("tool --output x --verb", row)[1] == [("-o", "x")]
    found = parsed("tool --output x --verb", row)
    assert found.traits == {"loud"}
    assert found.has("--output")
    assert found.has("-o")
    assert found.has("-v")
    assert found.has("--verbose")
    assert not found.has("-c", "--color")
    assert [value.text for value in found.values("--output")] == ["x"]


def test_what_a_row_says_of_an_option_comes_before_the_table() -> None:
    """A row is written by hand, for a reason; that there is a value and nothing more the table of
    the very command knows better.
    """
    assert told("tool+commit --amend x", ProgramRow(options="--amend:writes"))[:2] == (
        [],
        [("--amend", "x")],
    )
    assert told("tool+commit -m x", ProgramRow(flags="-m:loud"))[:2] == (["x"], [])
    assert told("tool+commit --amend x", ProgramRow(options="--amend:data"))[:2] == (["x"], [])
    assert told("tool+remote+add -v x", ProgramRow(options="-v:data"))[:2] == ([], [("-v", "x")])
    assert told("unheard-of -v x", ProgramRow(options="-v:data"))[:2] == ([], [("-v", "x")])


def test_a_letter_means_what_its_long_form_says() -> None:
    """``-g`` is ``--group`` here, whatever it is elsewhere."""
    assert not parsed("tool -c").has("-c", "--clean")
    assert parsed("tool -c").has("-c")
    assert parsed("tool -c").has("-c", "--reset")
    assert parsed("unheard-of -c").has("-c", "--clean")
