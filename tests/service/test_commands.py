"""What the commands say: how far the record is there, since when not, and what may go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.service.machines.enrol import token
from interlock.sidecar.run import SidecarLock
from interlock.wire.token import format_token
from tests.serving import filled, served

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home that commands of this process find."""
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("INTERLOCK_RESIDENT", "off")
    return found


def elsewhere(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what the status says of the record that is elsewhere; empty where it says nothing."""
    capsys.readouterr()
    main(["status", "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out).get("elsewhere", {})
    return found


def test_status_says_how_far_and_since_when_not(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Green while it goes, amber with the reason while no sidecar runs or the service is gone, and
    nothing is said of it on a machine that is not enrolled; retention keeps what is not there yet.
    """
    filled(home, 3)
    assert elsewhere(capsys) == {}
    with served(tmp_path / "service") as service:
        word = format_token(
            service.scene.keeping.write(lambda keeping: token(keeping, service.url))
        )
        assert main(["enrol", word, "--no-start"]) == 0
        assert main(["enrol", word, "--no-start"]) == 1
        assert "already" in capsys.readouterr().err
        assert main(["sidecar", "--drain"]) == 0
        said = elsewhere(capsys)
        assert said["state"] == "amber"
        assert any("no sidecar runs" in one for one in said["said"])
        held = SidecarLock(f"{home}/.local/state/interlock")  # as one that runs does
        assert elsewhere(capsys)["state"] == "green"
        held.let_go()
    filled(home, 1, 50)
    assert main(["sidecar", "--drain", "0"]) == 1
    said = elsewhere(capsys)
    assert said["state"] == "amber"
    assert any("not since" in one and "refused" in one for one in said["said"])
    assert main(["audit", "prune", "--older-than", "0d"]) == 0
    assert "stay: the service has not acknowledged them yet" in capsys.readouterr().out
    assert main(["enrol", "--leave"]) == 0
    assert "it still counts as enrolled there" in capsys.readouterr().err
    assert elsewhere(capsys) == {}


def test_what_is_wrong_with_the_record_is_red(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words that say what to do; a machine that was retired there is told how to come back."""
    store = filled(home, 3)
    with served(tmp_path / "service") as service:
        where = service.enrolled(store)
        service.scene.keeping.write(lambda steps: steps.retire(where.machine, where.at))
        assert main(["sidecar", "--drain", "0"]) == 1
    said = elsewhere(capsys)
    assert said["state"] == "red"
    assert any("interlock enrol TOKEN --again" in one for one in said["said"])
