"""The rows of programs as data: each is found by its name, and every word in them is one that the
reader of rows knows.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from interlock import effects
from interlock.data import programs
from interlock.effects.programs import table
from interlock.effects.rows import PATH_ROLES, ProgramRow
from interlock.effects.rows import table as pairs
from interlock.model.effect import KINDS
from tests.effects.reading import seen

ROWS: dict[str, ProgramRow] = {
    name: row for name in table.names() if (row := table.find(name)) is not None
}
BELOW: dict[str, ProgramRow] = {
    f"{name} {word}": row
    for name in ROWS
    for word in programs.commands(name)
    if (row := table.below(name, word)) is not None
}
"""The rows of subcommands."""
ROLES = {*PATH_ROLES, "data", "url", "host", "program", "code", "script"}
"""What a word may be: see ``docs/add-program.md``."""
STOPS = {"command", "subcommand"}
"""What operands may end with, or be: the words behind are not this program's."""


def unknown(row: ProgramRow) -> list[str]:
    """Return the words of a row that nobody understands."""
    operands = [word.rstrip("*") for word in row.operands.split()]
    if operands[-1:] and operands[-1] in STOPS:
        operands.pop()
    elif operands[:1] == ["command"]:
        del operands[0]
    given = [*operands, *[role.lstrip("?") for role in pairs(row.options).values()]]
    words = [role for role in given if role.partition(":")[0] not in ROLES]
    words += [word for word in row.effects.split() if word.partition(":")[0] not in KINDS]
    return words + [
        name for text in (row.options, row.flags) for name in pairs(text) if name[:1] not in "-+/"
    ]


def test_rows_are_made_of_known_words() -> None:
    """A misspelt role or effect would say nothing, for ever: each is one of the list, and an option
    begins like one.
    """
    wrong = {name: unknown(row) for name, row in (ROWS | BELOW).items() if unknown(row)}
    assert wrong == {}, f"roles: {', '.join(sorted(ROLES))}; effects: {KINDS}"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            ProgramRow(
                operands="reads* writes",
                options="-o:writes --rsh:code -l:?data",
                flags="-r:recursive",
                effects="listens",
            ),
            [],
        ),
        (ProgramRow(operands="data command"), []),
        (ProgramRow(operands="write"), ["write"]),
        (ProgramRow(operands="command*"), []),
        (ProgramRow(operands="comand"), ["comand"]),
        (ProgramRow(options="--rsh:command"), ["command"]),
        (ProgramRow(options="o:writes"), ["o"]),
        (ProgramRow(effects="listen"), ["listen"]),
    ],
)
def test_a_misspelt_word_is_found(row: ProgramRow, words: list[str]) -> None:
    """What looks for unknown words finds them, and no others."""
    assert unknown(row) == words


HONOURED = {
    "reads": "reads=/etc/x", "upload": "reads=/etc/x", "writes": "writes=/etc/x", "makes": "writes=/etc/x", "appends": "writes=/etc/x",
    "deletes": "deletes=/etc/x", "moves": "deletes=/etc/x", "mode": "changes-mode=/etc/x",
}  # fmt: skip
"""Roles of files, and what is seen of a file in one."""
APPLIED: dict[str, ProgramRow] = {
    **{name: row for name, row in ROWS.items() if " " not in name},
    **{name: row for name, row in BELOW.items() if name != "docker build"},
}
"""Every row, by the words behind which its own words stand, whoever applies it."""


def lines_with(name: str, option: str, role: str) -> tuple[str, str]:
    """Return command lines in which an option is given a file."""
    joint = " " if role[:1] != "?" else "=" if option[:2] == "--" else ""
    return f"{name} {option}{joint}/etc/x a b", f"{name} a {option}{joint}/etc/x b"


def dishonoured(rows: dict[str, ProgramRow]) -> list[str]:
    """Return the options and operands of rows whose role is a file's, and of which nothing is
    seen.
    """
    found = []
    for name, row in rows.items():
        for option, role in pairs(row.options).items():
            word = HONOURED.get(role.lstrip("?"))
            if word and not any(word in seen(line) for line in lines_with(name, option, role)):
                found.append(f"{name} {option}:{role}")
        operands = row.operands.split()
        for at, role in enumerate(operands):
            words = ["a"] * at + ["/etc/x"] + ["a"] * (len(operands) - at - 1)
            if HONOURED.get(role.rstrip("*"), "") not in {"", *seen(f"{name} {' '.join(words)}")}:
                found.append(f"{name}: {role}")
    return found


def test_every_role_is_honoured() -> None:
    """Whatever a program's own code does beside it, a row that says that a word is a file that is
    read, written or deleted means it.
    """
    assert len(APPLIED) > 2500
    assert dishonoured(APPLIED) == []


def test_what_looks_for_roles_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row whose own code forgets its operands is found."""
    row = ProgramRow(operands="deletes*", read=lambda _: None)
    monkeypatch.setitem(table._rows, "gio", row)
    assert dishonoured({"gio": row}) == ["gio: deletes*"]


def test_rows_of_files_are_data() -> None:
    """A row that says something of files stands in ``data/programs``, where the tests above find
    it: one in a module would be honoured by chance.
    """
    stray = []
    for info in pkgutil.walk_packages(effects.__path__, "interlock.effects."):
        held = vars(import_module(info.name)).values()
        for row in [one for one in held if isinstance(one, ProgramRow)]:
            said = {role.lstrip("?") for role in pairs(row.options).values()}
            said |= {role.rstrip("*") for role in row.operands.split()}
            stray += [f"{info.name}: {row}"] if said & set(HONOURED) else []
    assert stray == []


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
    """A program with code for its operands still writes where its options say; without the option
    it does not.
    """
    assert word in seen(command)
    assert word not in seen(command.split(maxsplit=1)[0] + " x")
