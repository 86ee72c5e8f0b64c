"""install, uninstall and doctor, as a person runs them, in a home of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.warm import SOURCE, interlock


class Person:
    """A home, a project, and a path on which only a made-up client is found."""

    def __init__(self, top: Path) -> None:
        self.home, self.project, self.bin = top / "home", top / "home/project", top / "bin"
        self.project.mkdir(parents=True)
        self.bin.mkdir()
        self.settings = self.home / ".claude/settings.json"
        self.client("2.1.329 (Claude Code)")

    def client(self, version: str) -> None:
        """Put a client of some version on the path."""
        program = self.bin / "claude"
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run an interlock command."""
        environment = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "PYTHONPATH": str(SOURCE),
            "LANG": "C.UTF-8",
            **more,
        }
        return interlock(*words, cwd=self.project, env=environment)

    def doctor(self) -> tuple[int, dict[str, dict[str, str]]]:
        """Return the doctor's exit code and rows, by what was looked at; of rows with the same name
        the worst.
        """
        done = self.run("doctor", "--json")
        rows: dict[str, dict[str, str]] = {}
        for row in json.loads(done.stdout):
            if row["what"] not in rows or row["colour"] == "red":
                rows[row["what"]] = row
        return done.returncode, rows

    def edit(self, **changes: Any) -> None:
        """Change our guarding entry."""
        document = json.loads(self.settings.read_text())
        document["hooks"]["PreToolUse"][0]["hooks"][0].update(changes)
        self.settings.write_text(json.dumps(document, indent=2))


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Return a person who has installed nothing yet."""
    return Person(tmp_path)


@pytest.fixture
def guarded(person: Person) -> Person:
    """Return a person who has installed interlock."""
    assert person.run("install", "claude-code").returncode == 0
    return person


def test_a_dry_run_shows_and_changes_nothing(person: Person) -> None:
    """The diff holds the line that would be installed; no file is made."""
    done = person.run("install", "claude-code", "--dry-run")
    assert done.returncode == 0
    assert "+++ " in done.stdout
    assert "interlock/hook.py" in done.stdout
    assert "claude-code check" in done.stdout
    assert not person.settings.exists()


def test_installing_twice_is_installing_once(guarded: Person) -> None:
    """The second time nothing is written, so there is no backup either."""
    before = guarded.settings.read_text()
    done = guarded.run("install", "claude-code")
    assert "already installed" in done.stdout
    assert guarded.settings.read_text() == before
    assert os.listdir(guarded.settings.parent) == ["settings.json"]


def test_uninstalling_leaves_what_was_there(person: Person) -> None:
    """A person's own settings come back character for character; where there were none, none
    stay.
    """
    person.run("install", "claude-code")
    assert person.run("uninstall", "claude-code").returncode == 0
    assert not person.settings.parent.exists()
    person.settings.parent.mkdir()
    before = '{\n    "model": "opus",\n    "permissions": {\n        "allow": []\n    }\n}\n'
    person.settings.write_text(before)
    person.run("install", "claude-code")
    assert person.settings.read_text() != before
    assert person.run("uninstall", "claude-code").returncode == 0
    assert person.settings.read_text() == before
    assert os.listdir(person.settings.parent) == ["settings.json"]
    assert "interlock is not in" in person.run("uninstall", "claude-code").stdout


def test_a_plugin_of_the_client_is_an_installation(person: Person) -> None:
    """The doctor names the program that the plugin calls, and is red where it is missing; who has
    the plugin and hooks is told which to take out; one that is switched off guards nothing.
    """
    plugin = {"enabledPlugins": {"interlock@interlock": True}}
    person.settings.parent.mkdir()
    person.settings.write_text(json.dumps(plugin))
    if not any(map(shutil.which, ("/usr/local/bin/interlock", "/usr/bin/interlock"))):
        _, rows = person.doctor()
        assert (rows["package"]["colour"], "installed" in rows) == ("red", False)
    program = person.bin / "interlock"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    code, rows = person.doctor()
    assert (code, rows["package"]["colour"]) == (0, "green"), rows
    assert str(program) in rows["package"]["seen"]
    assert not {"installed", "losses"} & set(rows)
    assert person.run("install", "claude-code").returncode == 0
    _, rows = person.doctor()
    assert (rows["package"]["colour"], rows["package"]["mend"]) == (
        "amber",
        "claude plugin uninstall interlock@interlock",
    )
    assert rows["installed: PreToolUse"]["colour"] == "green"
    person.run("uninstall", "claude-code")
    person.settings.write_text(json.dumps({"enabledPlugins": {"interlock@interlock": False}}))
    _, rows = person.doctor()
    assert ("package" in rows, rows["installed"]["colour"]) == (False, "red")


def test_a_project_of_its_own(person: Person) -> None:
    """With --project only the project's settings are written."""
    assert person.run("install", "claude-code", "--project").returncode == 0
    assert (person.project / ".claude/settings.json").exists()
    assert not person.settings.exists()


def test_settings_with_comments_are_refused_with_the_snippet(person: Person) -> None:
    """What is not strict JSON stays as it is; the person is told where and gets the lines to
    paste.
    """
    person.settings.parent.mkdir()
    text = '{\n  // mine\n  "model": "opus"\n}\n'
    person.settings.write_text(text)
    done = person.run("install", "claude-code")
    assert done.returncode == 1
    assert f"{person.settings}:2:3: expected strict JSON" in done.stderr
    assert '"onFailure": "block"' in done.stderr
    assert person.settings.read_text() == text


# -- doctor ----------------------------------------------------------------------------------------


def test_a_guarded_client_is_all_green(guarded: Person) -> None:
    """After installing, every row is green, and the proofs were run."""
    code, rows = guarded.doctor()
    assert code == 0, rows
    assert {row["colour"] for row in rows.values()} == {"green"}
    assert {
        "refuses",
        "permits",
        "switches",
        "client",
        "workspace",
        "records",
        "installed: PreToolUse",
    } <= set(rows)
    printed = guarded.run("doctor").stdout
    assert "\x1b" not in printed
    assert "`rm -rf /` was refused" in printed


def test_every_client_that_asks_is_looked_at(guarded: Person) -> None:
    """Without a name the doctor looks at each client that asks interlock, and says whose row it
    is.
    """
    assert guarded.run("install", "gemini").returncode == 0
    done = guarded.run("doctor", "--json")
    assert {row["client"] for row in json.loads(done.stdout)} == {"claude-code", "gemini"}
    assert {
        row["client"] for row in json.loads(guarded.run("doctor", "gemini", "--json").stdout)
    } == {"gemini"}
    assert "claude-code:\n" in guarded.run("doctor").stdout


@pytest.mark.parametrize("live", [False, True])
def test_a_line_that_a_repository_wrote_is_not_run(guarded: Person, live: bool) -> None:
    """A project's settings may hold a line that only looks like ours: it is named, and neither run
    as a proof nor handed to the client.
    """
    mark = guarded.home / "was-run"
    hook = {
        "type": "command",
        "command": f"touch {mark}; true # interlock hook claude-code check",
        "timeout": 60,
        "onFailure": "block",
    }
    (guarded.project / ".claude").mkdir()
    (guarded.project / ".claude/settings.json").write_text(
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}})
    )
    runs_all = "echo 2.1.329; [ $1 = -p ] && for f in $HOME/.claude/settings.json .claude/settings.json; do grep -q was-run $f && touch {}; done"
    (guarded.bin / "claude").write_text(f"#!/bin/sh\n{runs_all.format(mark)}\n")
    rows = {
        row["what"]: row["colour"]
        for row in json.loads(guarded.run("doctor", "--json", *(["--live"] if live else [])).stdout)
    }
    assert rows["not run"] == "amber"
    assert rows["refuses"] == "green"
    assert not mark.exists()


def test_without_the_client_nothing_is_driven(guarded: Person) -> None:
    """``--live`` says that the client is missing, and makes nothing red of it."""
    (guarded.bin / "claude").unlink()
    done = guarded.run("doctor", "--live", "--json")
    row = next(row for row in json.loads(done.stdout) if row["what"] == "live")
    assert (row["colour"], done.returncode) == ("amber", 0)
    assert "claude is not on the PATH" in row["seen"]


def test_a_client_that_does_nothing_proves_nothing(guarded: Person) -> None:
    """A program that ends without a call is amber, with its own words; one that runs what it is
    told to, unasked, is red.
    """
    program = guarded.bin / "claude"
    program.write_text("#!/bin/sh\necho '2.1.329 no account' >&2\n")
    row = next(
        row
        for row in json.loads(guarded.run("doctor", "--live", "--json").stdout)
        if row["what"] == "live"
    )
    assert (row["colour"], "no account" in row["seen"]) == ("amber", True)
    program.write_text("#!/bin/sh\necho 2.1.329\ntouch $HOME/.config/interlock/doctor-canary\n")
    row = next(
        row
        for row in json.loads(guarded.run("doctor", "--live", "--json").stdout)
        if row["what"] == "live"
    )
    assert (row["colour"], "ran a forbidden call" in row["seen"]) == ("red", True)
    assert not (guarded.home / ".config/interlock/doctor-canary").exists()


def test_not_installed_is_red(person: Person) -> None:
    """Without the entry the doctor says so, and how to mend it."""
    code, rows = person.doctor()
    assert code == 1
    assert rows["installed"]["colour"] == "red"
    assert rows["installed"]["mend"] == "interlock install claude-code"


@pytest.mark.parametrize(
    ("change", "what", "colour"),
    [
        ({"onFailure": "continue"}, "installed: PreToolUse", "red"),
        ({"timeout": 1}, "installed: PreToolUse", "red"),
        (
            {"command": "/no/such/python -I -S /x/interlock/hook.py claude-code check"},
            "permits",
            "red",
        ),
        ({"command": "true # interlock hook claude-code"}, "refuses", "red"),
        ({"command": "exit 2 # interlock hook claude-code"}, "permits", "red"),
        ({"statusMessage": "judging"}, "installed: PreToolUse", "green"),
    ],
)
def test_an_entry_that_does_not_guard_is_red(
    guarded: Person, change: dict[str, Any], what: str, colour: str
) -> None:
    """An entry that is weakened, or runs something that does not judge, is found by running it; a
    harmless change is not held against it.
    """
    guarded.edit(**change)
    code, rows = guarded.doctor()
    assert rows[what]["colour"] == colour
    assert code == (1 if colour == "red" else 0)


@pytest.mark.parametrize(
    "place",
    [
        "home/.claude/settings.json",
        "home/project/.claude/settings.json",
        "home/project/.claude/settings.local.json",
    ],
)
def test_a_switch_is_found_wherever_it_is(guarded: Person, place: str) -> None:
    """One line that switches hooks off is red in user, project and local settings."""
    path = guarded.home.parent / place
    path.parent.mkdir(exist_ok=True)
    document = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(document | {"disableAllHooks": True}))
    code, rows = guarded.doctor()
    assert code == 1
    assert rows["switched off"]["colour"] == "red"
    assert str(path) in rows["switched off"]["mend"]


@pytest.mark.parametrize(
    ("name", "found"),
    [("LD_PRELOAD", True), ("BASH_ENV", True), ("XDG_STATE_HOME", True), ("DEBUG", False)],
)
def test_a_project_that_sets_variables_for_the_hook(
    guarded: Person, name: str, *, found: bool
) -> None:
    """Variables that would reach into the hook are pointed out; others are not."""
    (guarded.project / ".claude").mkdir()
    (guarded.project / ".claude/settings.json").write_text(json.dumps({"env": {name: "x"}}))
    code, rows = guarded.doctor()
    assert code == 0
    assert ("environment" in rows) is found


@pytest.mark.parametrize(
    ("version", "colour"),
    [
        ("2.1.294 (Claude Code)", "red"),
        ("2.1.295", "green"),
        ("3.0.0", "green"),
        ("unknown", "amber"),
    ],
)
def test_the_client_must_be_new_enough(guarded: Person, version: str, colour: str) -> None:
    """Before 2.1.295 a guard that fails lets the call run, so an older client is red."""
    guarded.client(version)
    assert guarded.doctor()[1]["client"]["colour"] == colour


def test_what_is_not_recorded_is_pointed_out(guarded: Person) -> None:
    """A guard that judges and cannot record is amber: it protects, and the log would be empty."""
    state = guarded.home / ".local/state"
    shutil.rmtree(state / "interlock")
    (state / "interlock").write_text("in the way")
    code, rows = guarded.doctor()
    assert code == 0
    assert rows["records"]["colour"] == "amber"
    assert rows["refuses"]["colour"] == "green"
