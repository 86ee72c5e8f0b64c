"""The line that clients start, with the relay in it: an answer is an answer, and everything else a
refusal.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.integrations.install import HookCommand
from tests.resident.house import HOOK, PYTHON, House, call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a resident guard runs on Linux only"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed"
    ),
]
OK, BAD = "echo hello", "rm -rf /"


@pytest.fixture(name="house")
def installed(tmp_path: Path) -> Iterator[House]:
    """A home, with blanks and a quote in its path, in which Claude Code is guarded and the resident
    guard runs.
    """
    (tmp_path / "it's a home").mkdir()
    made = House(tmp_path / "it's a home")
    (made.home / ".claude").mkdir()
    done = interlock(made, "install", "claude-code")
    assert done.returncode == 0, done.stderr
    made.start()
    yield made
    made.close()


def interlock(house: House, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a home."""
    return subprocess.run(
        [PYTHON, "-m", "interlock", *words], env=house.variables | {"PYTHONPATH": str(HOOK.parents[1])}, cwd=house.work, text=True,
        capture_output=True, check=False,
    )  # fmt: skip


def line(house: House, event: str = "PreToolUse") -> str:
    """Return what the settings have the client start."""
    settings = json.loads((house.home / ".claude/settings.json").read_text())
    return str(settings["hooks"][event][0]["hooks"][0]["command"])


def asked(house: House, command: str) -> tuple[int, str]:
    """Run the installed line as the client does; return its exit code and the verdict in its
    output.
    """
    done = subprocess.run(
        ["sh", "-c", line(house)],
        input=call(command, house.work),
        env=house.variables,
        capture_output=True,
        check=False,
    )
    said = json.loads(done.stdout) if done.stdout else {}
    return done.returncode, str(
        said.get("permissionDecision")
        or said.get("hookSpecificOutput", {}).get("permissionDecision", "")
    )


def test_it_asks_the_resident_guard(house: House) -> None:
    """A call is answered without a Python of its own, whether there is somebody or not."""
    assert "relay-" in line(house)
    assert (asked(house, OK), asked(house, BAD)) == ((0, ""), (2, "deny"))
    house.end()
    assert (asked(house, OK), asked(house, BAD)) == ((0, ""), (2, "deny"))


def test_a_relay_that_is_gone_is_done_without(house: House) -> None:
    """Or one that may not be run, or that is another machine's: the hook file is started as it was
    before there was a relay.
    """
    relay = next(house.state.glob("relay-*"))
    relay.chmod(0o600)
    assert (asked(house, OK), asked(house, BAD)) == ((0, ""), (2, "deny"))
    relay.unlink()
    assert (asked(house, OK), asked(house, BAD)) == ((0, ""), (2, "deny"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\nexit 1\n",
        "#!/bin/sh\nkill -9 $$\n",
        "#!/bin/sh\nexit 2\n",
    ],
    ids=repr,
)
def test_a_relay_that_is_none_allows_nothing(house: House, text: str) -> None:
    """Emptied, replaced, killed."""
    relay = next(house.state.glob("relay-*"))
    relay.unlink()
    relay.write_text(text)
    relay.chmod(0o755)
    assert asked(house, OK) == (2, "deny")


def test_a_hook_file_that_is_gone_allows_nothing(house: House) -> None:
    """Where the resident guard does not answer, what the relay starts has to be there."""
    house.end()
    made = HookCommand(
        PYTHON, "/nowhere/interlock/hook.py", "claude-code", str(next(house.state.glob("relay-*")))
    )
    done = subprocess.run(
        ["sh", "-c", made.command(note=False)],
        input=call(OK, house.work),
        env=house.variables,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b'"permissionDecision":"deny"' in done.stdout


def test_status_and_doctor_show_it(house: House) -> None:
    """Whether it runs and how it is asked, and the command that ends it."""
    assert "the resident guard runs as process" in interlock(house, "status").stdout
    assert (
        "asked by a relay in C that was built here; the resident guard runs"
        in interlock(house, "doctor", "claude-code").stdout
    )
    assert "stopped" in interlock(house, "resident", "stop").stdout
    assert "no resident guard runs" in interlock(house, "resident").stdout
    assert interlock(house, "resident", "start").stdout == "started\n"
    house.waited()


def test_installing_again_changes_nothing_and_uninstalling_leaves_nothing(house: House) -> None:
    """The line is recognized as ours."""
    before = (house.home / ".claude/settings.json").read_text()
    assert "already installed" in interlock(house, "install", "claude-code").stdout
    assert (house.home / ".claude/settings.json").read_text() == before
    interlock(house, "uninstall", "claude-code")
    assert "relay-" not in (
        (house.home / ".claude/settings.json").read_text()
        if (house.home / ".claude/settings.json").exists()
        else ""
    )
