"""Cmdlets that are described: every line can be read, and names code that is there."""

from __future__ import annotations

import pytest

from interlock.data import cmdlets
from interlock.data.words import read_text
from interlock.effects.powershell.cmdlet_table import find

NAMES = cmdlets.names()


def test_a_cmdlet_is_described_once() -> None:
    """No name stands in two sections, where the first of them would be read in vain."""
    headings = f"\n{read_text(cmdlets.FILE)}".split("\n[")[1:]
    names = [name for section in headings for name in section.partition("]")[0].split()]
    assert sorted(names) == sorted(set(names))
    assert set(names) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_cmdlet_can_be_read(name: str) -> None:
    """Its lines are known ones, its code is there, and it does something or takes something."""
    said = cmdlets.find(name)
    shape = find(name)
    assert said is not None
    assert shape is not None
    assert ("read" in said) == (shape.act is not None)
    assert said.keys() & {"read", "effects", "prints"}


def test_parameters_of_another_are_taken_over() -> None:
    """``like`` takes parameters, and neither what it does nor the parameter of the pipe."""
    other = cmdlets.find("stop-service")
    assert other is not None
    assert "startuptype" in other["options"].split()
    assert other["read"] == "machine.service"
    assert other["piped"] == "inputobject"


@pytest.mark.parametrize("line", ["colour red", "positions", "like"])
def test_a_line_that_is_none(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """The message says which cmdlet and which line."""
    monkeypatch.setattr(cmdlets, "_bodies", {"get-x": f"{line}\n"})
    with pytest.raises(ValueError, match=rf"of get-x: '{line}' begins with none of"):
        cmdlets.find("get-x")
