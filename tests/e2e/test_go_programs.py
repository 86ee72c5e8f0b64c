"""Programs such as agents write run unchanged under a fitting policy: nothing is refused, and they find out what they are to find out."""

from __future__ import annotations

import json
import os

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.toolchain import NoGo, find
from interlock.codemode.permits import Permits
from tests.e2e.go_scenes import MINUTES, place
from tests.e2e.go_tasks import Program, everyday, tasks
from tests.lasting import lasting

pytestmark = [pytest.mark.e2e, MINUTES]


@pytest.mark.parametrize("program", [*everyday(), *tasks()], ids=lambda program: program.name)
def test_programs(program: Program) -> None:
    """A program runs to its end, prints or returns what it is to, and is refused nothing."""
    home = str(lasting("go"))
    try:
        find(os.environ.get("PATH", ""), os.path.join(home, "state"))
    except NoGo as missing:
        pytest.skip(str(missing))
    result = go.run(program.text, place(home).scene(Permits(allow_commands=program.commands)))
    assert (result.status, result.refused) == ("ran", ()), result
    said = json.loads(result.content)[0]["text"] if result.content else result.stdout
    assert said.strip() == program.prints if program.prints else said.strip(), result


def test_how_many() -> None:
    """There are enough of them, and over enough tasks."""
    assert (len(everyday()) + len(tasks()), len(everyday()) + len(tasks()) // 3) == (160, 80)
