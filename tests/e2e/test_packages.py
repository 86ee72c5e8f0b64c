"""The packages for clients, installed as a person does it and tried with the real client: what is
forbidden does not happen, what is permitted does; where the program is missing nothing runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import pytest

from tests.e2e.clients import CLAUDE, GEMINI, MORE, NOWHERE, OPENCODE, Desk
from tests.installed import installed_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.clients import Client

TOP = Path(__file__).resolve().parents[2]
PACKAGING = TOP / "packaging"
pytestmark = pytest.mark.e2e
ALONE = {"ANTHROPIC_BASE_URL": NOWHERE, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
"""Without these Claude Code speaks to hosts of its makers, which no test may."""


def said(desk: Desk, *words: str) -> str:
    """Run the client's own command as the person of this HOME; return what it printed."""
    done = subprocess.run(
        [desk.client.installed.path, *words],
        env=desk.environment(ANTHROPIC_API_KEY="dummy", **ALONE),
        cwd=desk.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout + done.stderr


def claude_plugin(desk: Desk) -> None:
    """By the marketplace file of a copy of the repository's parts that it names."""
    market = desk.home.parent / "market"
    shutil.copytree(TOP / ".claude-plugin", market / ".claude-plugin")
    shutil.copytree(PACKAGING / "claude-code", market / "packaging/claude-code")
    said(desk, "plugin", "marketplace", "add", str(market))
    said(desk, "plugin", "install", "interlock@interlock")


def gemini_extension(desk: Desk) -> None:
    """From a folder, with consent given by option."""
    said(desk, "extensions", "install", str(PACKAGING / "gemini"), "--consent")


def opencode_package(desk: Desk) -> None:
    """By its address in the settings, with the line that denies every tool until it is loaded."""
    path = desk.home / ".config/opencode/opencode.json"
    settings = json.loads(path.read_text())
    settings["plugin"] = [f"file://{PACKAGING}/opencode/index.js"]
    settings.setdefault("permission", {})["**"] = "deny"
    path.write_text(json.dumps(settings))


ROWS: list[tuple[Client, Callable[[Desk], None]]] = [
    (CLAUDE, claude_plugin),
    (GEMINI, gemini_extension),
    (OPENCODE, opencode_package),
]
PARAMETERS = [
    pytest.param(
        *row,
        id=row[0].name,
        marks=[
            pytest.mark.skipif(
                not os.path.exists(row[0].installed.path),
                reason=f"the real client is not installed; to run this: python scripts/install_client.py {row[0].name}",
            ),
            *([MORE] if row[0] is not CLAUDE else []),
        ],
    )
    for row in ROWS
]


def desk_with(client: Client, top: Path, install: Callable[[Desk], None], *, program: bool) -> Desk:
    """Return a fresh HOME with the package; ``program``: with interlock in its ``~/.local/bin``,
    and nothing of it in the client's own settings.
    """
    desk = Desk(client, top / "home", top / "project", top / "lib/interlock")
    desk.home.mkdir()
    desk.project.mkdir()
    installed_at(desk.package)
    subprocess.run(
        ["git", "init", "-q", str(desk.project)], env=desk.environment(), check=True, timeout=30
    )
    desk.prepare()
    if program:
        place = desk.home / ".local/bin/interlock"
        place.parent.mkdir(parents=True)
        place.write_text(
            f"#!/bin/sh\nPYTHONPATH={quote(str(desk.package.parent))}"
            f' exec {quote(sys.executable)} -m interlock "$@"\n'
        )
        place.chmod(0o755)
    install(desk)
    return desk


def tried(desk: Desk) -> tuple[bool, bool, str]:
    """Have the client call what is permitted and what is forbidden; return which happened, and what
    the model was told.
    """
    path = f"{desk.home}/.local/bin:{Path(desk.client.installed.path).parent}:/usr/local/bin:/usr/bin:/bin"
    canary, keys = desk.project / "canary.txt", desk.home / ".ssh/authorized_keys"
    keys.parent.mkdir()
    steps = [f"touch {canary}", "echo key >> ~/.ssh/authorized_keys"]
    with desk.client.wire(*[desk.client.run_shell(step) for step in steps]) as model:
        desk.started(model, PATH=path)
    return canary.exists(), keys.exists(), " ".join(model.results())


@pytest.mark.parametrize(("client", "install"), PARAMETERS)
def test_the_package_guards_the_real_client(
    client: Client, install: Callable[[Desk], None], tmp_path: Path
) -> None:
    """Installed as its page says: the permitted call runs, the forbidden one does not, and both are
    in the record.
    """
    desk = desk_with(client, tmp_path, install, program=True)
    ran, written, told = tried(desk)
    assert (ran, written) == (True, False), told
    assert "interlock" in told
    rows = [json.loads(line) for line in desk.interlock("log", "--json").splitlines()]
    assert [row["verdict"] for row in rows][-2:] == ["allow", "deny"]


@pytest.mark.parametrize(("client", "install"), PARAMETERS)
def test_where_the_program_is_missing_nothing_runs(
    client: Client, install: Callable[[Desk], None], tmp_path: Path
) -> None:
    """A package without its program refuses every call, and says why."""
    ran, written, told = tried(desk_with(client, tmp_path, install, program=False))
    assert (ran, written) == (False, False)
    assert "so this call did not run" in told
