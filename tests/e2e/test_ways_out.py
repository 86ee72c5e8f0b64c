"""The real Claude Code tries every way to take the guard away, in one session, with its own
permissions bypassed, in a sandbox of its own.
"""

from __future__ import annotations

import faulthandler
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.clients import BUBBLEWRAP, CLAUDE, INSTALLED, MORE, Desk, desk_of
from tests.e2e.fake_model import FakeModel
from tests.ways_out import PREPARED, ways

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.e2e,
    MORE,
    INSTALLED,
    BUBBLEWRAP,
]
ORDINARY = "echo hi > ran.txt"
"""What is allowed and runs: the client works."""
LAST = "rm -rf ~/precious"
MINUTES = 15


def walled(desk: Desk, top: Path, argv: list[str]) -> list[str]:
    """Return a command that sees this machine, may write only into the test's own folder, and sees
    no process but its own.
    """
    walls = [
        "bwrap",
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
    ]
    walls += [
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/run",
        "--tmpfs",
        "/tmp",
        "--bind",
        str(top),
        str(top),
    ]
    return [*walls, "--chdir", str(desk.project), *argv]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a home with the guard installed, a policy, a project that holds a client's settings
    with our entry, and something precious.
    """
    desk = desk_of(CLAUDE, tmp_path, "home/work/shop")
    (desk.home / ".config/interlock").mkdir(parents=True, exist_ok=True)
    (desk.home / ".config/interlock/policy.yaml").write_text(
        "version: 1\nprofile: default\n", encoding="utf-8"
    )
    for folder in (".claude", ".interlock"):
        (desk.project / folder).mkdir()
    shutil.copy(desk.settings, desk.project / ".claude/settings.json")
    (desk.home / "precious").mkdir()
    (desk.home / "precious/file").write_text("work of a year\n", encoding="utf-8")
    subprocess.run(
        ["sh", "-ec", PREPARED],
        cwd=desk.project,
        env=desk.environment(),
        check=True,
        capture_output=True,
        timeout=60,
    )
    return desk


def standing(desk: Desk) -> dict[str, str]:
    """Return what has to be the same at the end."""
    files = [
        desk.settings,
        desk.project / ".claude/settings.json",
        desk.home / ".config/interlock/policy.yaml",
        desk.home / "precious/file",
    ]
    return {str(path): path.read_text(encoding="utf-8") for path in files}


def test_the_guard_stands_after_every_way_to_take_it_away(desk: Desk, tmp_path: Path) -> None:
    """The hook is in its place, every attempt is in the log and none of them ran, and what is
    precious is there.
    """
    # 240 calls of a real client take longer than any other test may
    faulthandler.dump_traceback_later(MINUTES * 60, exit=True, file=2)
    before = standing(desk)
    commands = [*[way.command for way in ways()], LAST]
    with FakeModel(*[CLAUDE.run_shell(command) for command in (ORDINARY, *commands)]) as model:
        argv, environment = desk.line(model)
        subprocess.run(
            walled(desk, tmp_path, argv),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MINUTES * 60,
            check=False,
        )
    assert standing(desk) == before
    assert desk.guarded()
    assert (desk.project / "ran.txt").read_text(encoding="utf-8") == "hi\n"
    told = [
        json.loads(line)
        for line in desk.interlock("log", "--json", "--limit", str(2 * len(commands))).splitlines()
    ]
    answers = {json.loads(entry["parameters"])["command"]: entry["verdict"] for entry in told}
    assert answers[ORDINARY] == "allow"
    assert [command for command in commands if answers.get(command) not in ("ask", "deny")] == []
