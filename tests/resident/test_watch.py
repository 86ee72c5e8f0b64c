"""What an agent takes away of the guard is back within a second or so, whatever runs: the resident
guard looks every second.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from interlock.resident.socket_place import place_of
from interlock.resident.start import end, start
from tests.losing import POLICY, Home
from tests.resident.house import PACKAGE, PYTHON, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a resident guard runs on Linux only"
)


@pytest.fixture(name="guarded")
def watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Home]:
    """A home in which both clients ask interlock, what is lost is put back, and a resident guard
    runs.
    """
    home = Home(tmp_path, monkeypatch, capsys)
    home.policy.write_text(POLICY, encoding="utf-8")
    home.init()
    place = place_of(str(home.state), PYTHON, str(PACKAGE))
    assert start(place, str(PACKAGE), home.variables | {"INTERLOCK_RESIDENT": "on"})
    yield home
    assert end(place)


def waited(home: Home, count: int = 1) -> None:
    """Wait until so many losses are on record."""
    until(lambda: len(home.events()) >= count)


def test_what_is_taken_away_comes_back_with_no_call_at_all(guarded: Home) -> None:
    """The only guarded client reads its settings anew at once, and asks nobody any more."""
    guarded.at_work()
    guarded.stash(guarded.settings.parent)
    waited(guarded)
    assert guarded.asks()
    (event,) = guarded.events()
    assert (event["by"], event["back"], event["disarms"]) == ("agent", True, "claude-code")
    assert "it was put back" in guarded.told(name="PostToolUse"), (
        "the next event of the session says so"
    )


def test_what_a_person_takes_away_stays_away(guarded: Home) -> None:
    """No agent is at work: it is on record, and that is all."""
    guarded.at_work()
    guarded.long_ago()
    guarded.settings.unlink()
    waited(guarded)
    assert [event["by"] for event in guarded.events()] == ["person"]
    assert not guarded.settings.exists()


def test_what_is_put_back_is_looked_at_again(guarded: Home) -> None:
    """An agent that goes on taking it away finds it there again."""
    for count in (1, 2, 3):
        guarded.event("claude-code")
        guarded.settings.unlink()
        waited(guarded, count)
        assert guarded.asks()
