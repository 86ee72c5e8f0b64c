"""The one glance: what is protected, what holds, what waits and what was decided, and the exit code
that says whether a person is needed.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.cli import tour
from interlock.cli.colors import Painter
from interlock.cli.main import main
from interlock.stop.flags import ALL, Flag, engage
from interlock.stop.flags import lift as disengage
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Return a home with a store, in whose project commands are typed, and no agent anywhere."""
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(made.project)
    monkeypatch.setattr("interlock.cli.install.compile_package", lambda: None)
    return made


def glance(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, object]]]:
    """Return the exit code and the parts."""
    code = main(["status", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_new_machine(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is wrong where nothing was done yet; the next step is named."""
    code, parts = glance(capsys)
    assert code == 0
    assert (parts["agents"]["state"], parts["agents"]["next"]) == ("amber", "interlock init")
    assert parts["profile"]["said"][0].startswith("default, ")  # type: ignore[index]
    assert [parts[name]["said"] for name in ("stopped", "waiting", "decisions")] == [
        ["nothing"],
        ["nothing waits for an answer"],
        ["none yet"],
    ]
    assert desk.store is not None


def test_what_happened_is_seen(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A protected agent beside one that is not, a request that waits, a decision, a chain that is
    whole.
    """
    (desk.home / ".claude").mkdir()
    (desk.home / ".gemini").mkdir()
    assert main(["install", "gemini"]) == 0
    desk.requested()
    capsys.readouterr()
    code, parts = glance(capsys)
    assert code == 0
    assert parts["agents"]["said"] == [
        "gemini asks interlock before every tool call",
        "claude-code is here and not protected",
    ]
    assert parts["waiting"]["said"] == ["1 call waits for an answer"]
    assert parts["audit"]["said"][0].endswith("records, intact")  # type: ignore[index]
    assert "rm -rf ~/photos" in parts["decisions"]["rows"][0]  # type: ignore[index]


def test_what_needs_a_person_is_red(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A stop and a record that was changed each make the exit code 1, and say where to go on (a
    policy that is wrong: test_errors).
    """
    desk.check("ls")
    assert glance(capsys)[0] == 0
    engage(desk.store.folder, Flag(ALL, "too fast", "me", 1.0))
    code, parts = glance(capsys)
    assert (code, parts["stopped"]["state"]) == (1, "red")
    disengage(desk.store.folder, ALL)
    assert glance(capsys)[0] == 0
    with closing(sqlite3.connect(f"{desk.store.folder}/interlock.db")) as database, database:
        database.execute("UPDATE audit_event SET subject = 'x' WHERE seq = 2")
    code, parts = glance(capsys)
    assert (code, parts["audit"]["next"]) == (1, "interlock audit verify")


def test_the_tour_shows_every_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody sits at a terminal it plays to its end; the cards are the same on every machine,
    and each verdict is among them.
    """
    assert main(["tour"]) == 0
    said = capsys.readouterr().out
    assert f"{len(tour.STEPS)}/{len(tour.STEPS)}" in said
    heads = [tour.card(command, Painter(sys.stdout, colour=False))[0] for command, _ in tour.STEPS]
    assert heads.count("✓ ALLOW") == 2
    assert heads.count("! ALLOW, with a warning") == 2
    assert heads.count("? ASK") == 2
    assert heads.count("✗ DENY") == 5


@pytest.mark.parametrize(
    ("on", "said"),
    [(True, "claude-code asks interlock"), (False, "claude-code is here and not protected")],
)
def test_a_plugin_that_is_switched_on_counts_as_protection(
    on: bool,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing of it stands among the hooks of the settings; one that is switched off guards
    nothing.
    """
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"enabledPlugins": {"interlock@interlock": on}}))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    main(["status"])
    assert said in " ".join(capsys.readouterr().out.split())
