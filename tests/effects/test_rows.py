"""The rows of programs as data: each is found by its name, and every word in them is one that the reader of rows knows."""

from __future__ import annotations

from importlib import import_module

import pytest

from interlock.effects import programs as package
from interlock.effects.programs import table
from interlock.effects.rows import Row
from interlock.effects.rows import table as pairs
from interlock.effects.run import PATH_ROLES
from interlock.model.effect import KINDS
from tests.effects.reading import seen

ROWS: dict[str, dict[str, Row]] = {family: import_module(f"{package.__name__}.{family}").ROWS for family in table.FAMILIES}
ROLES = {*PATH_ROLES, "data", "url", "host", "program", "code", "script"}
"""What a word may be: see ``docs/add-program.md``."""
STOPS = {"command", "subcommand"}
"""What operands may end with, or be: the words behind are not this program's."""


@pytest.mark.parametrize("family", sorted(ROWS))
def test_what_is_described_is_named(family: str) -> None:
    """A row whose name is in no family's list of ``table.py`` is never found, and a name without a row is an error where it is met."""
    here, everywhere = set(table.FAMILIES[family].split()), table.names()
    unnamed = [name for name in ROWS[family] if name not in everywhere]
    assert unnamed == [], f"programs/{family}.py describes what FAMILIES[{family!r}] of effects/programs/table.py does not name: add the name there"
    missing = sorted(here - set(ROWS[family]))
    assert missing == [], f"effects/programs/table.py names what ROWS of programs/{family}.py does not hold: add a row, or take the name out"


def test_a_program_is_named_once() -> None:
    """A name in two families would be read by the one that stands last in the table; the row of the other would be dead."""
    named = [name for names in table.FAMILIES.values() for name in names.split()]
    assert sorted({name for name in named if named.count(name) > 1}) == []


def unknown(row: Row) -> list[str]:
    """Return the words of a row that nobody understands."""
    operands = [word.rstrip("*") for word in row.operands.split()]
    if operands[-1:] and operands[-1] in STOPS:
        operands.pop()
    elif operands[:1] == ["command"]:
        del operands[0]
    given = [*operands, *[role.lstrip("?") for role in pairs(row.options).values()]]
    words = [role for role in given if role.partition(":")[0] not in ROLES]
    words += [word for word in row.effects.split() if word.partition(":")[0] not in KINDS]
    return words + [name for text in (row.options, row.flags) for name in pairs(text) if name[:1] not in "-+/"]


@pytest.mark.parametrize("family", sorted(ROWS))
def test_rows_are_made_of_known_words(family: str) -> None:
    """A misspelt role or effect would say nothing, for ever: each is one of the list, and an option begins like one."""
    assert {name: unknown(row) for name, row in ROWS[family].items() if unknown(row)} == {}, f"roles: {', '.join(sorted(ROLES))}; effects: {KINDS}"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Row(operands="reads* writes", options="-o:writes --rsh:code -l:?data", flags="-r:recursive", effects="listens"), []),
        (Row(operands="data command"), []),
        (Row(operands="write"), ["write"]),
        (Row(operands="command*"), []),
        (Row(operands="comand"), ["comand"]),
        (Row(options="--rsh:command"), ["command"]),
        (Row(options="o:writes"), ["o"]),
        (Row(effects="listen"), ["listen"]),
    ],
)
def test_a_misspelt_word_is_found(row: Row, words: list[str]) -> None:
    """What looks for unknown words finds them, and no others."""
    assert unknown(row) == words


CHANGED = {"writes": "writes=/etc/x", "makes": "writes=/etc/x", "appends": "writes=/etc/x", "deletes": "deletes=/etc/x"}
"""Roles of what is changed, and what is seen of a file in one."""
CHANGING = [
    (name, option, role)
    for family, names in table.FAMILIES.items()
    for name in names.split()
    for option, role in pairs(ROWS[family][name].options).items()
    if role.lstrip("?") in CHANGED
]


def test_what_an_option_changes_is_seen() -> None:
    """Whatever a program's own code says of it: a row's option that writes, makes, appends to or deletes a file does so."""
    unseen = []
    for name, option, role in CHANGING:
        joint = " " if role[:1] != "?" else "=" if option[:2] == "--" else ""
        given = f"{option}{joint}/etc/x"
        if not any(CHANGED[role.lstrip("?")] in seen(line) for line in (f"{name} {given} a b", f"{name} a {given} b")):
            unseen.append(f"{name} {option}")
    assert len(CHANGING) > 200
    assert unseen == []


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("ssh -E /etc/x h.example", "writes=/etc/x"),
        ("tree -o /etc/x", "writes=/etc/x"),
        ("psql -o /etc/x -c 'select 1'", "writes=/etc/x"),
        ("pip --log /etc/x list", "writes=/etc/x"),
        ("openocd -l /etc/x", "writes=/etc/x"),
        ("bpftrace -c 'rm /etc/x' t.bt", "deletes=/etc/x"),
    ],
)
def test_options_beside_code_of_ones_own(command: str, word: str) -> None:
    """A program with code for its operands still writes where its options say; without the option it does not."""
    assert word in seen(command)
    assert word not in seen(command.split(maxsplit=1)[0] + " x")
