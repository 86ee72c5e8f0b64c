"""The guard of the real Claude Code goes while it works: it is noticed, put back, and what ran
meanwhile is shown.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.clients import CLAUDE, INSTALLED, MORE, Desk, desk_of
from tests.e2e.fake_model import FakeModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.e2e,
    MORE,
    INSTALLED,
]
STEPS = ["touch begun", "sleep 3", "echo unjudged"]
"""The second is long enough for somebody else to take the settings away, and for the client to see
it.
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a home where ``interlock init`` was run."""
    desk = desk_of(CLAUDE, tmp_path)
    desk.interlock("init", "--yes")
    return desk


@pytest.fixture
def staying(tmp_path: Path) -> Iterator[Desk]:
    """Return such a home in which the guard stays between calls."""
    desk = desk_of(CLAUDE, tmp_path, resident="on")
    desk.interlock("init", "--yes", "--self-repair")
    yield desk
    desk.run("resident", "stop")


def _taken_away(desk: Desk) -> None:
    """Do what a program does that nobody could read: empty the client's settings, while it
    works.
    """
    deadline = time.monotonic() + 60
    while not (desk.project / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    desk.settings.write_text("{}", encoding="utf-8")


def test_what_went_is_noticed_put_back_and_its_time_shown(desk: Desk) -> None:
    """Claude Code reads its settings anew at once, so its own hooks are gone with them: the next
    command of interlock's notices.
    """
    other = threading.Thread(target=_taken_away, args=(desk,))
    other.start()
    with FakeModel(*[CLAUDE.run_shell(step) for step in STEPS]) as model:
        desk.ask(model)
    other.join()
    assert not desk.guarded()
    told = desk.interlock("status")
    assert "it was put back" in told
    assert desk.guarded()
    rows = desk.interlock("log").splitlines()
    assert [line for line in rows if "not judged" in line and "echo unjudged" in line]
    assert not [line for line in rows if "not judged" in line and "touch begun" in line]
    with FakeModel(CLAUDE.run_shell("rm -rf ~/precious")) as model:
        desk.ask(model)
    assert "interlock" in model.heard()


def test_with_a_guard_that_stays_it_is_back_before_the_next_call(staying: Desk) -> None:
    """Nobody asks, and the resident guard looks all the same: the same session's next call is
    judged again.
    """
    other = threading.Thread(target=_taken_away, args=(staying,))
    other.start()
    with FakeModel(
        *[
            CLAUDE.run_shell(step)
            for step in ("touch begun", "sleep 5", "rm -rf ~/precious", "echo hello")
        ]
    ) as model:
        staying.ask(model)
    other.join()
    assert staying.guarded()
    assert "it was put back" in model.heard(), "the session is told"
    assert "relay-" in staying.settings.read_text()
    assert [
        line
        for line in staying.interlock("log").splitlines()
        if "deny" in line and "rm -rf ~/precious" in line
    ]
