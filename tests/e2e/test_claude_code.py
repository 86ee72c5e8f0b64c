"""The real Claude Code: what holds for this client beside what holds for every one
(``test_clients.py``).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.clients import CLAUDE, INSTALLED, MORE, Desk, desk_of
from tests.e2e.fake_model import FakeModel
from tests.e2e.test_clients import missing_package, refuses

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.e2e,
    INSTALLED,
]
bash = CLAUDE.run_shell


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Install interlock for a fresh HOME."""
    return desk_of(CLAUDE, tmp_path)


def _truncated(desk: Desk) -> None:
    text = (desk.package / "cli/hook.py").read_text()
    (desk.package / "cli/hook.py").write_text(text[: len(text) // 2] + "\n(")


def _missing_python(desk: Desk) -> None:
    command = json.loads(desk.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    desk.edit_settings(command=command.replace(sys.executable, "/no/such/python"))


def _crashing_deep(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("def guard(*_):\n    return guard()\n")


def _exiting(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("raise SystemExit(0)\n")


@MORE
@pytest.mark.parametrize(
    "broken",
    [_truncated, _missing_python, _crashing_deep, _exiting],
    ids=lambda broken: broken.__name__.strip("_"),
)
def test_more_ways_to_break_let_nothing_run(desk: Desk, broken: Any) -> None:
    """Half a file, no interpreter, recursion without end, an early end: the call does not run, and
    the model is told.
    """
    broken(desk)
    assert refuses(desk)


def test_a_broken_guard_does_not_block_the_person(desk: Desk) -> None:
    """With a guard that cannot even start, a prompt still reaches the model: only calls are
    refused.
    """
    missing_package(desk)
    with FakeModel() as model:
        done = desk.started(model, "SAID-BY-A-PERSON")
    assert "SAID-BY-A-PERSON" in model.heard()
    assert json.loads(done.stdout)["result"] == "done"


def test_what_it_runs_bears_the_sessions_tag(desk: Desk) -> None:
    """So that a stop finds it wherever it went: a daemon that left its parents behind bears it
    too.
    """
    with FakeModel(
        bash(
            "printenv INTERLOCK_SESSION > tag; setsid sh -c 'printenv INTERLOCK_SESSION > daemon' &"
        )
    ) as model:
        desk.ask(model)
    tag = (desk.project / "tag").read_text().strip()
    assert len(tag) > 8
    assert (desk.project / "daemon").read_text().strip() == tag


def test_a_deleted_folder_comes_back(desk: Desk) -> None:
    """The call runs without a question, the model is told the way back, and ``interlock undo``
    restores what was in no commit.
    """
    (desk.project / "src").mkdir()
    (desk.project / "src/a.py").write_text("work of a day\n")
    with FakeModel(bash("rm -rf src")) as model:
        desk.ask(model)
    assert not (desk.project / "src").exists()
    assert "interlock undo d-" in model.heard()
    desk.interlock("undo")
    assert (desk.project / "src/a.py").read_text() == "work of a day\n"
