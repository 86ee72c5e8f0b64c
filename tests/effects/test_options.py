"""What rows say of options holds against the tables that were made of the programs' own manuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.data import options
from interlock.data.options import FLAG, JOINED, MANY, MAYBE, ONE, OptionNode
from interlock.effects import rows
from interlock.effects.programs import table
from tests.data.test_options import FILES, every

if TYPE_CHECKING:
    from interlock.effects.rows import ProgramRow

PROGRAMS = sorted(
    {name for file in FILES if "." not in (name := file.stem) and table.find(name) is not None}
)
LOOSER = {
    "mocha": ["-c:reads"],
    "rspec": ["-c:reads"],
    "sysctl": ["-f:reads"],
    "task": ["-f:reads"],
    "tsc": ["-d:writes"],
}
"""Rows that several programs share, and one whose file may stand behind it as well: they read a
file more than there is.
"""
VERBS = sorted(found.top.commands if (found := options.find("git")) is not None else ())
LOOSE = {"?": {JOINED, MAYBE, FLAG}, "": {ONE, MANY, MAYBE, JOINED}}


def denied(row: ProgramRow, nodes: list[OptionNode]) -> list[str]:
    """Return the options with a meaning of which the table says that they take no value, and flags
    with one that always take one.
    """
    found = []
    for name, role in rows.table(row.options).items():
        takes = {node.options[name].takes for node in nodes if name in node.options}
        if (
            role.lstrip("?") != "data"
            and takes
            and takes.isdisjoint(LOOSE[role[:1] if role[:1] == "?" else ""])
        ):
            found.append(f"{name}:{role}")
    for name, role in rows.table(row.flags).items():
        takes = {node.options[name].takes for node in nodes if name in node.options}
        found += [f"{name}:{role}"] if role and takes and takes <= {ONE, MANY} else []
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_row_and_a_table_agree(name: str) -> None:
    """What an option does is said of one that is written so."""
    row, known = table.find(name), options.find(name)
    assert row is not None
    assert known is not None
    assert denied(row, every(known.top)) == LOOSER.get(name, [])


@pytest.mark.parametrize("name", VERBS)
def test_a_row_of_git_and_its_table_agree(name: str) -> None:
    """The same for its subcommands."""
    row, known = table.below("git", name), options.find("git")
    if row is not None and known is not None:
        assert not denied(row, every(known.top.commands[name]))
