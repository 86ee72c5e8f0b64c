"""Programs such as agents write run unchanged under a fitting policy: nothing is refused, and they end well."""

from __future__ import annotations

import os
from typing import NamedTuple

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.toolchain import NoGo, find
from interlock.codemode.permits import Permits
from tests.e2e.go_scenes import MINUTES, place
from tests.lasting import lasting

pytestmark = [pytest.mark.e2e, MINUTES]
FILE = os.path.join(os.path.dirname(__file__), "programs", "go", "everyday.txt")


class Program(NamedTuple):
    """One program: its name, the commands it may start, its text."""

    name: str
    commands: tuple[str, ...]
    text: str


def programs() -> list[Program]:
    """Read the programs of the file."""
    with open(FILE, encoding="utf-8") as file:
        _, *parts = ("\n" + file.read()).split("\n-- ")
    found = []
    for part in parts:
        head, _, text = part.partition("\n")
        name, *words = head.split()
        found.append(Program(name, tuple([word for word in words if not word.startswith("--")]), text + "\n"))
    return found


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_everyday_programs(program: Program) -> None:
    """A program runs to its end, prints something, and is refused nothing."""
    home = str(lasting("go"))
    try:
        find(os.environ.get("PATH", ""), os.path.join(home, "state"))
    except NoGo as missing:
        pytest.skip(str(missing))
    here = place(home)
    result = go.run(program.text, here.scene(Permits(allow_commands=program.commands)))
    assert (result.status, result.refused) == ("ran", ()), result
    assert result.stdout.strip(), result
