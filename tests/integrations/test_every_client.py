"""What holds for every client of the table, by its own row: it waits longer than the guard takes,
its settings are guarded, it took three files.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli import hook
from interlock.doctor import settings_check
from interlock.doctor.report_row import GREEN
from interlock.integrations import changes
from interlock.integrations.clients import CLIENTS, DOCUMENTED, adapter_of
from interlock.integrations.documented import CLIENTS as ROWS
from interlock.integrations.install import entries, line_for, snippet
from interlock.integrations.plugin import text_of
from interlock.model.action import VERDICT_ALLOW
from interlock.model.call import WRITE
from tests.judging import ROOT, decided, judged, rules_of, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).resolve().parents[2] / "src/interlock"

# -- time ------------------------------------------------------------------------------------------

UNITS = {"claude-code": 1, "codex": 1, "copilot": 1, "gemini": 1000, "qwen": 1000}
"""How much of a client's time-out is a second: seconds or milliseconds, as measured with each."""
LAST = hook.DEADLINE + hook.SPARE + hook.RECORDING
"""Seconds after which the hook has answered and ended, whatever happens."""


PLUGGED = {client for client in CLIENTS if adapter_of(client).SETTINGS.plugin is not None}


@pytest.mark.parametrize("client", sorted(set(CLIENTS) - PLUGGED))
def test_a_client_with_hooks_waits_more_than_twice_as_long(client: str) -> None:
    """Four of the five let a call run whose hook they had to end, so what is installed makes each
    of them wait far longer than the hook takes.
    """
    assert client in UNITS, (
        f"say in UNITS how much of the time-out of {client} is a second: 1, or 1000"
    )
    settings, line = adapter_of(client).SETTINGS, line_for(client)
    [asking, *_] = entries(snippet(settings, line), settings, client)
    assert asking.event == settings.events[0].event
    timeout = asking.hook["timeout"]
    assert isinstance(timeout, int)
    assert timeout / UNITS[client] == 60
    assert timeout / UNITS[client] > 2 * LAST


@pytest.mark.parametrize("client", sorted(PLUGGED))
def test_a_plugin_waits_longer_than_the_hook_takes(client: str) -> None:
    """A client that loads a plugin waits by the plugin's clock, which refuses; it gives the hook
    the time to say why itself.
    """
    settings = adapter_of(client).SETTINGS
    assert settings.plugin is not None
    assert f"const DEADLINE = {settings.timeout:_} //" in text_of(settings.plugin, line_for(client))
    assert settings.timeout / 1000 > LAST


# -- self-protection -------------------------------------------------------------------------------

UNGUARDED = "none of the guard's own files; name it in HOME_FILES (of the home) and ANY_FOLDER (of a project) of src/interlock/effects/places.py"


def _files(client: str) -> Iterator[tuple[str, str]]:
    """Yield what a client is told by, in the home and in a project: a path, and how the rule begins
    that has to speak of it.
    """
    settings = adapter_of(client).SETTINGS
    home, project = f"/home/user/{settings.folder}", f"{ROOT}/{settings.project or settings.folder}"
    ours = settings.plugin.file if settings.plugin else settings.file
    for path in (
        f"{home}/{ours}",
        f"{project}/{ours}",
        *[f"{home}/{name}" for name in settings.files if "/" not in name],
    ):
        yield path, "guard."
    for file in settings.servers:
        place = "/home/user/" if file.path.startswith("~/") else f"{home}/"
        yield f"{ROOT}/{file.path}" if file.project else place + file.path.removeprefix("~/"), ""


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_what_a_client_is_told_by_is_guarded(client: str) -> None:
    """Writing what holds our hook, our plugin or a switch is tampering; what names the servers a
    client starts is asked about; its twin is not.
    """
    for path, family in _files(client):
        decision = decided(tool(WRITE, {"file_path": path, "content": "{}"}))
        assert decision.verdict != VERDICT_ALLOW, path
        assert any(rule.startswith(family) for rule in rules_of(decision)), f"{path}: {UNGUARDED}"
    for folder in (
        f"~/{adapter_of(client).SETTINGS.folder}",
        adapter_of(client).SETTINGS.project or adapter_of(client).SETTINGS.folder,
    ):
        whole = judged(f"rm -rf {folder}")
        assert any(rule.startswith("guard.") for rule in rules_of(whole)), (
            f"rm -rf {folder}: {UNGUARDED}, its folder in CLIENT_FOLDERS"
        )
    twin = f"{ROOT}/docs/{Path(changes.settings_path(adapter_of(client).SETTINGS, None)).name}.md"
    assert decided(tool(WRITE, {"file_path": twin, "content": "{}"})).verdict == VERDICT_ALLOW


@pytest.mark.parametrize("client", DOCUMENTED)
def test_what_a_client_from_its_pages_is_told_by_is_guarded(client: str) -> None:
    """The same for what a person wrote into the settings of a client that nobody tried."""
    [name] = re.findall(r"~(/[^ ,]+)", ROWS[client].file)
    decision = decided(tool(WRITE, {"file_path": f"/home/user{name}", "content": "{}"}))
    assert decision.verdict != VERDICT_ALLOW
    assert any(rule.startswith("guard.") for rule in rules_of(decision)), f"~{name}: {UNGUARDED}"


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_what_was_installed_is_what_the_doctor_runs(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every line of the user's own files is run as a proof, wherever the client keeps them, also
    beside what the client wrote there itself.
    """
    settings = adapter_of(client).SETTINGS
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(settings.variable or "NONE", raising=False)
    for change in (
        *changes.installing(settings, line_for(client), None),
        *changes.second(settings, None),
    ):
        change.make()
    if settings.commented:
        (tmp_path / settings.folder / "config.json").write_text(
            '// This file is managed automatically.\n{"firstLaunchAt": "2026"}\n'
        )
    paths = settings_check.files(settings, str(tmp_path / "project"))
    found, rows = settings_check.entries(paths, settings, client)
    assert [row for row in rows if row.colour != GREEN] == []
    assert len(found) == (1 if settings.plugin else len(settings.events))
    assert settings_check.runnable(found, paths, settings, client) == found


# -- a new one -------------------------------------------------------------------------------------

MODULE = '''"""A client that nobody has, with a protocol of its own."""

from interlock.integrations.dialect import Dialect
from interlock.integrations.protocol import CHECK, OUTCOME, PROMPT, SESSION, HookedEvent, Settings
from interlock.integrations.event_shape import Shape
from interlock.model import call as tools

NAME = "newcomer"

SETTINGS = Settings(
    folder=".newcomer",
    variable="",
    file="hooks.json",
    files=("hooks.json",),
    key="hooks",
    events=(HookedEvent("BeforeCall", "*"), HookedEvent("AfterCall", "*", note=True), HookedEvent("Said", note=True), HookedEvent("Begun", note=True)),
    timeout=60,
    block=(),
    switches=(("noHooks", True),),
    package="newcomer",
    program="newcomer",
    oldest=(1, 0, 0),
    shell_tool="terminal",
)

DIALECT = Dialect(
    agent=NAME,
    asks="never",
    kinds={"BeforeCall": CHECK, "AfterCall": OUTCOME, "Said": PROMPT, "Begun": SESSION},
    tools={"terminal": tools.SHELL, "put": tools.WRITE},
    shape=Shape(
        event="about", session="run.id", cwd="run.folder", tool="call.name", given="call.with", number="", prompt="words",
        calls={"terminal": ("terminal", {"command": "call.with.line"})},
    ),
)

asks = DIALECT.asks
read, write, greet, on_error = DIALECT.read, DIALECT.write, DIALECT.greet, DIALECT.on_error
'''
ROW = """
def _newcomer() -> Adapter:
    from interlock.integrations import newcomer

    return newcomer


CLIENTS: dict[str, Callable[[], Adapter]] = {
    "newcomer": _newcomer,
"""
FOLDERS = "\n[any folder = guard]\n"


class Newcomer:
    """A copy of interlock with one client more, and a person who uses both."""

    def __init__(self, top: Path) -> None:
        self.home, self.project, self.package = (
            top / "home",
            top / "home/project",
            top / "lib/interlock",
        )
        self.project.mkdir(parents=True)
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("*.bundle*", "*.pyc.*"))
        self.touched = [
            self._put("integrations/newcomer.py", "", MODULE),
            self._put(
                "integrations/clients.py", "\nCLIENTS: dict[str, Callable[[], Adapter]] = {\n", ROW
            ),
            self._put("data/words/places.txt", FOLDERS, f"{FOLDERS}.newcomer/hooks.json\n"),
        ]
        self.settings = self.home / ".newcomer/hooks.json"

    def _put(self, name: str, old: str, new: str) -> str:
        path = self.package / name
        text = path.read_text() if old else ""
        assert text.count(old) == 1 or not old
        path.write_text(text.replace(old, new) if old else new)
        return name

    def environment(self) -> dict[str, str]:
        """Return all that its programs see."""
        return {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(self.package.parent),
            "LANG": "C.UTF-8",
        }

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run an interlock command."""
        command = [sys.executable, "-m", "interlock", *words]
        environment = self.environment()
        return subprocess.run(
            command,
            env=environment,
            cwd=self.project,
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def call(self, name: str, **given: object) -> tuple[int, str]:
        """Have a call judged by the installed line, as the client would; return its exit code and
        what it said.
        """
        [asking, *_] = json.loads(self.settings.read_text())["hooks"]["BeforeCall"]
        event = {
            "about": "BeforeCall",
            "run": {"id": "s", "folder": str(self.project)},
            "call": {"name": name, "with": given},
        }
        done = subprocess.run(
            ["/bin/sh", "-c", asking["hooks"][0]["command"]], env=self.environment(), cwd=self.project, input=json.dumps(event),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the installed line is a shell's")
def test_a_new_client_is_three_files(tmp_path: Path) -> None:
    """A module with its two rows of words, a line in the table and its settings among the guarded
    places: installed, asked, proven, taken out.
    """
    made = Newcomer(tmp_path)
    assert len(made.touched) == 3
    assert made.run("install", "newcomer").returncode == 0
    assert made.call("terminal", line="rm -rf /")[0] == 2
    assert made.call("terminal", line="echo hello") == (0, "")
    code, said = made.call("put", path="../.newcomer/hooks.json", content="{}")
    assert (code, "guard.change-files" in said) == (2, True)
    assert made.call("put", path="hooks.json", content="{}") == (0, "")
    (made.project / ".newcomer").mkdir()
    (made.project / ".newcomer/hooks.json").write_text('{"noHooks": true}')
    rows: list[dict[str, Any]] = json.loads(made.run("doctor", "newcomer", "--json").stdout)
    assert [row["what"] for row in rows if row["colour"] == "red"] == ["switched off"]
    assert {"refuses", "guards itself", "permits"} <= {
        row["what"] for row in rows if row["colour"] == "green"
    }
    assert made.run("uninstall", "newcomer").returncode == 0
    assert not made.settings.exists()
