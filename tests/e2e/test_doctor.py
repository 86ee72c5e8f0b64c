"""``interlock doctor --live`` with the real clients: what it says is what happens, with the hooks
as installed and with each switch.

Claude Code is driven with every ``make test``, the others with ``make e2e``
(``INTERLOCK_CLIENTS=1``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.doctor.client_launchers import STARTS
from scripts.install_client import CLIENTS
from tests.e2e.clients import MORE

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "src"
)

pytestmark = pytest.mark.e2e


class Person:
    """A home and a project, with one real client on the path and interlock installed for it."""

    def __init__(self, client: str, top: Path) -> None:
        self.client, self.home, self.project = client, top / "home", top / "home/project"
        self.project.mkdir(parents=True)
        self.path = f"{os.path.dirname(CLIENTS[client].path)}:/usr/local/bin:/usr/bin:/bin"
        done = self.run("install", client, *(["--trust"] if client == "codex" else []))
        assert done.returncode == 0, done.stderr + done.stdout

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run an interlock command as this person."""
        environment = {
            "HOME": str(self.home),
            "PATH": self.path,
            "PYTHONPATH": SOURCE,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **more,
        }
        command = [sys.executable, "-m", "interlock", *words]
        return subprocess.run(
            command,
            env=environment,
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def doctor(self, **more: str) -> tuple[int, dict[str, tuple[str, str]]]:
        """Return the doctor's exit code and, by what was looked at, colour and what was seen."""
        done = self.run("doctor", self.client, "--live", "--json", **more)
        assert done.stdout, done.stderr
        return done.returncode, {
            row["what"]: (row["colour"], row["seen"]) for row in json.loads(done.stdout)
        }


def _row(client: str) -> object:
    there = os.path.exists(CLIENTS[client].path)
    missing = pytest.mark.skipif(
        not there,
        reason=f"the real {client} is not installed; to run this: python scripts/install_client.py {client}",
    )
    return pytest.param(client, marks=[missing] if client == "claude-code" else [missing, MORE])


@pytest.mark.parametrize("client", [_row(client) for client in sorted(STARTS)])
def test_a_guarded_client_is_seen_to_be_guarded(client: str, tmp_path: Path) -> None:
    """The client is driven: the forbidden call does not happen and the permitted one does; neither
    is done in the person's own home.
    """
    person = Person(client, tmp_path)
    code, rows = person.doctor()
    assert rows["live"][0] == "green", rows["live"]
    assert code == 0, rows
    assert not [
        path
        for path in person.home.rglob("doctor-*")
        if path.name in ("doctor-canary", "doctor-permitted")
    ]


@pytest.mark.parametrize("client", [_row("claude-code")])
def test_a_switch_is_seen_by_what_happens(client: str, tmp_path: Path) -> None:
    """With a switch in the project the client runs the forbidden call: the doctor finds the switch,
    and sees the call happen.
    """
    person = Person(client, tmp_path)
    (person.project / ".claude").mkdir()
    (person.project / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    code, rows = person.doctor()
    assert code == 1
    assert rows["switched off"][0] == "red"
    assert rows["live"][0] == "red"
    assert "ran a forbidden call" in rows["live"][1]


@MORE
@pytest.mark.parametrize("client", [_row("claude-code")])
@pytest.mark.parametrize("name", ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"])
def test_a_variable_is_seen_by_what_happens(client: str, name: str, tmp_path: Path) -> None:
    """A variable that drops the hooks is found, and what it does is seen."""
    code, rows = Person(client, tmp_path).doctor(**{name: "1"})
    assert code == 1
    assert rows["switched off"] == ("red", f"the environment sets {name}")
    assert rows["live"][0] == "red"


@MORE
@pytest.mark.parametrize("client", [_row("claude-code")])
def test_a_client_without_the_guard_is_seen_too(client: str, tmp_path: Path) -> None:
    """Where the hooks were taken out, the call happens, and the doctor says so."""
    person = Person(client, tmp_path)
    assert person.run("uninstall", client).returncode == 0
    code, rows = person.doctor()
    assert code == 1
    assert rows["live"][0] == "red"
