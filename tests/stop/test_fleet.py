"""What a team's service stopped is no matter of this machine's: resumed here goes what was stopped
here, and nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.cli import local_resume
from interlock.cli.main import main
from interlock.stop.flags import ALL, Flag, engage, findings, lift, lift_fleet, of_fleet, read_flags
from interlock.stop.fleet import HERE, SERVICE, free, read_freed
from tests.stop.test_flags import CALL

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the state folder of a home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found = f"{tmp_path}/.local/state/interlock"
    os.makedirs(found)
    return found


def test_each_lifts_its_own(state: str) -> None:
    """The same scope, stopped here and by two stops of the service: each goes with its own word,
    and calls run when the last one went.
    """
    for epoch in (0, 7, 8):
        engage(state, Flag(ALL, "why", "ada", 1.0, epoch))
    assert (len(findings(state, CALL)), of_fleet(state)) == (3, [7, 8])
    assert lift(state, ALL)
    assert not lift(state, ALL)
    assert [flag.epoch for flag in read_flags(state)] == [7, 8]
    assert lift_fleet(state, 7)
    assert not lift_fleet(state, 7)
    assert len(findings(state, CALL)) == 1
    assert lift_fleet(state, 8)
    assert findings(state, CALL) == ()


def test_a_damaged_flag_of_the_service_stops_all_until_it_is_written_anew(state: str) -> None:
    """`interlock resume --all` does not lift it."""
    flag = Flag("session:elsewhere", "why", "ada", 1.0, 7)
    engage(state, flag)
    assert findings(state, CALL) == ()
    path = f"{state}/flags/stop.fleet-7"
    with open(path, "w", encoding="ascii") as file:
        file.write("{")
    assert len(findings(state, CALL)) == 1
    assert not lift(state, ALL)
    engage(state, flag)
    assert findings(state, CALL) == ()
    assert of_fleet(state) == [7]


def test_what_was_let_go_is_known_for_ever(state: str) -> None:
    """By whom, and the first word stands; what cannot be read counts as let go."""
    assert read_freed(state, 7) is None
    engage(state, Flag(ALL, "why", "ada", 1.0, 7))
    assert free(state, 7, SERVICE, "ada")
    assert not free(state, 7, HERE, "root")
    found = read_freed(state, 7)
    assert found is not None
    assert (found.how, found.by) == (SERVICE, "ada")
    with open(f"{state}/fleet/7", "w", encoding="ascii") as file:
        file.write("{")
    assert read_freed(state, 7) is not None


def test_resuming_without_the_service_is_for_root(
    state: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who is not gets the sentence; root resumes them all, and the record says so. What was stopped
    here stays stopped.
    """
    engage(state, Flag(ALL, "why", "ada", 1.0, 7))
    engage(state, Flag("session:mine", "why", "ada", 1.0))
    monkeypatch.setattr("interlock.cli.person_check.needs_person", lambda *_, **__: None)
    assert main(["resume", "--all"]) == 0
    assert of_fleet(state) == [7]
    assert main(["resume", "--all"]) == 1
    assert "resume it there" in capsys.readouterr().err
    engage(state, Flag("session:mine", "why", "ada", 1.0))
    monkeypatch.setattr(local_resume, "_is_root", lambda: False)
    assert main(["resume", "--without-service"]) == 1
    assert "only by root: sudo HOME=" in capsys.readouterr().err
    assert of_fleet(state) == [7]
    monkeypatch.setattr(local_resume, "_is_root", lambda: True)
    assert main(["resume", "--without-service"]) == 0
    assert [flag.scope for flag in read_flags(state)] == ["session:mine"]
    found = read_freed(state, 7)
    assert found is not None
    assert found.how == HERE
    assert main(["resume", "--without-service"]) == 1
    capsys.readouterr()
    assert main(["log", "--json"]) == 0
    assert "without_service" in capsys.readouterr().out


def test_many_threads_may_stop_the_same_at_once(state: str) -> None:
    """The sidecar's stream and what ends processes both set the flag: it stands, and nobody
    fails.
    """
    from concurrent.futures import ThreadPoolExecutor

    flag = Flag(ALL, "why", "ada", 1.0, 7)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: engage(state, flag), range(200))) == {""}
    assert [one.name for one in os.scandir(f"{state}/flags")] == ["stop.fleet-7"]
