"""The real clients, as rows: what their models can call, and what drops their hooks. How each is
started is ``interlock.doctor.client_launchers``'.

Nothing of the tester's environment reaches a client: a fresh HOME, a dummy key, its own questions
bypassed, so that the hook is the only thing in the way. ``python scripts/install_client.py NAME``
installs one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from interlock.doctor.client_launchers import STARTS, ClientLauncher
from interlock.integrations.clients import adapter_of
from scripts import install_client
from tests.installed import installed_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.doctor.fake_models import ScriptedModel, Step
    from interlock.integrations.protocol import Settings

ROOT = Path(__file__).resolve().parents[2]
SERVER = {"command": sys.executable, "args": [str(ROOT / "tests/e2e/mcp_server.py")]}
NOWHERE = "http://127.0.0.1:9"
"""Stands in settings for the model's address until there is one."""
ALL = "INTERLOCK_CLIENTS" in os.environ
MORE = pytest.mark.long
"""For scenes that hold the same promise in another way, or that tests without a client hold too: a
client takes seconds to start.
"""


class Client(NamedTuple):
    """One client.

    ``write`` and ``mcp`` make the model's steps beside the shell's; ``elsewhere`` one of the shell
    in another folder, where the tool can name one;
    ``task``, where it has sub-agents, the steps that start and await one. ``server``: a file of the
    HOME, and what it holds besides so that there
    is a server of MCP. ``switch``: a file of a project, and what in it drops the hooks; ``nested``:
    a command that starts the client without them.
    ``install``: more words for ``interlock install``. ``refuses``: a call is refused when the
    client's own
    time-out ends the hook; ``hears``: what a warning says reaches the model. ``note``: what was not
    measured, and why.
    """

    name: str
    write: Callable[[str, str], Step]
    switch: tuple[str, str]
    nested: str
    mcp: Callable[[str], Step] | None = None
    server: tuple[str, str] = ("", "")
    task: tuple[Step, ...] = ()
    elsewhere: Callable[[str, str], Step] | None = None
    install: tuple[str, ...] = ()
    refuses: bool = False
    hears: bool = True
    note: str = ""

    @property
    def start(self) -> ClientLauncher:
        """How it is started against a made-up model."""
        return STARTS[self.name]

    @property
    def wire(self) -> type[ScriptedModel]:
        """The protocol of its model."""
        return self.start.wire

    def run_shell(self, command: str) -> Step:
        """Make the model's step that calls the shell."""
        return self.start.types(command)

    @property
    def own(self) -> Settings:
        """Where its hooks are written."""
        return adapter_of(self.name).SETTINGS

    @property
    def installed(self) -> install_client.Client:
        """Which version is installed, and where."""
        return install_client.CLIENTS[self.name]


class Desk(NamedTuple):
    """A fresh HOME, a project, and a copy of interlock that a test may break; ``resident``: ``on``
    where a guard stays between calls.
    """

    client: Client
    home: Path
    project: Path
    package: Path
    resident: str = "off"

    @property
    def settings(self) -> Path:
        """The file of this HOME that holds what interlock wrote for the client."""
        own = self.client.own
        return self.home / own.folder / (own.plugin.file if own.plugin is not None else own.file)

    def guarded(self) -> bool:
        """Tell whether our hook is still in the client's settings; clients write into them
        themselves.
        """
        return self.settings.exists() and "interlock/hook.py" in self.settings.read_text()

    def environment(self, **more: str) -> dict[str, str]:
        """Return all that a program started here may see."""
        path = f"{Path(self.client.installed.path).parent}:/usr/local/bin:/usr/bin:/bin"
        own = {
            "HOME": str(self.home),
            "TMPDIR": str(self.home.parent),
            "INTERLOCK_RESIDENT": self.resident,
        }
        return {"PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", **own, **more}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one of interlock's own commands as the person of this HOME."""
        command = [sys.executable, "-m", "interlock", *words]
        environment = self.environment(PYTHONPATH=str(self.package.parent))
        return subprocess.run(
            command,
            env=environment,
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def interlock(self, *words: str) -> str:
        """Run one of interlock's own commands, which has to end well; return what it printed."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def prepare(self) -> None:
        """Write the client's own settings, with a server of MCP."""
        for name, text in self.client.start.files(NOWHERE).items():
            _put(self.home / name, text)
        name, text = self.client.server
        if name:
            path = self.home / name
            before = path.read_text() if path.exists() else ""
            _put(
                path,
                json.dumps(json.loads(before) | json.loads(text), indent=2)
                if before and path.suffix == ".json"
                else before + text,
            )

    def line(
        self, model: ScriptedModel, prompt: str = "please do it", **more: str
    ) -> tuple[list[str], dict[str, str]]:
        """Return what starts the client with one prompt, and its environment, to which ``more`` is
        added.
        """
        client = self.client
        for name in client.start.files(NOWHERE):
            path = self.home / name
            path.write_text(re.sub(r"http://127\.0\.0\.1:\d+", model.url, path.read_text()))
        variables = {**client.start.variables(model.url, client.installed.place), **more}
        return [client.installed.path, *client.start.command(prompt, model.url)], self.environment(
            **variables
        )

    def started(
        self, model: ScriptedModel, prompt: str = "please do it", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the client with one prompt."""
        argv, environment = self.line(model, prompt, **more)
        return subprocess.run(
            argv,
            env=environment,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def ask(self, model: ScriptedModel, prompt: str = "please do it", **more: str) -> str:
        """Run the client, which has to get as far as its model, and return what it printed."""
        done = self.started(model, prompt, **more)
        assert model.requests, done.stderr + done.stdout
        return done.stdout + done.stderr

    def edit_settings(self, **changes: Any) -> None:
        """Change our guarding entry in the client's settings."""
        document = json.loads(self.settings.read_text())
        document["hooks"][self.client.own.events[0].event][0]["hooks"][0].update(changes)
        self.settings.write_text(json.dumps(document))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def desk_of(client: Client, top: Path, project: str = "project", resident: str = "off") -> Desk:
    """Install interlock for a fresh HOME. ``project``: its folder, as seen from the one the home
    lies in; ``resident``: whether a guard stays.
    """
    made = Desk(client, top / "home", top / project, top / "lib/interlock", resident)
    made.home.mkdir()
    made.project.mkdir(parents=True)
    installed_at(made.package)
    subprocess.run(
        ["git", "init", "-q", str(made.project)], env=made.environment(), check=True, timeout=30
    )
    made.prepare()
    made.interlock("install", client.name, *client.install)
    return made


def _servers(**more: object) -> str:
    return json.dumps({"mcpServers": {"demo": {**SERVER, **more}}})


def _step(tool: str, **given: object) -> Step:
    return {"tool": tool, "input": given}


def _patch(path: str, content: str) -> Step:
    added = "".join(f"+{line}\n" for line in content.splitlines())
    return {
        "tool": "apply_patch",
        "input": f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n",
    }


def _moved(client: str, key: str) -> Callable[[str, str], Step]:
    """Return how a shell's step is made that names its folder under a key."""

    def step(command: str, folder: str) -> Step:
        made = STARTS[client].types(command)
        return {**made, "input": {**made["input"], key: folder}}

    return step


CLAUDE = Client(
    name="claude-code",
    write=lambda path, content: _step("Write", file_path=path, content=content),
    mcp=lambda path: _step("mcp__demo__touch_file", path=path),
    server=(".claude.json", _servers(type="stdio")),
    switch=(".claude/settings.json", '{"disableAllHooks": true}'),
    nested="claude --bare -p hello",
    task=(
        _step(
            "Agent",
            description="sub",
            prompt="SUBMARK do it",
            subagent_type="general-purpose",
            run_in_background=False,
        ),
    ),
    refuses=True,
)
INSTALLED = pytest.mark.skipif(
    not os.path.exists(CLAUDE.installed.path),
    reason="the real Claude Code is not installed; to run this: python scripts/install_client.py",
)
"""For tests of the real Claude Code."""
BUBBLEWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None,
    reason="bubblewrap is not installed; to run this: sudo apt-get install bubblewrap",
)
"""For tests that put it into a sandbox of their own."""
CODEX = Client(
    name="codex",
    write=_patch,
    mcp=lambda path: {"namespace": "mcp__demo", **_step("touch_file", path=path)},
    server=(
        ".codex/config.toml",
        f"\n[mcp_servers.demo]\ncommand = {json.dumps(SERVER['command'])}\nargs = {json.dumps(SERVER['args'])}\n",
    ),
    switch=(".codex/config.toml", "[features]\nhooks = false\n"),
    nested="codex exec -c features.hooks=false hello",
    elsewhere=_moved("codex", "workdir"),
    task=({"namespace": "multi_agent_v1", **_step("spawn_agent", message="SUBMARK do it")},),
    install=("--trust",),
)
COPILOT = Client(
    name="copilot",
    write=lambda path, content: _step("create", path=path, file_text=content),
    mcp=lambda path: _step("demo-touch_file", path=path),
    server=(".copilot/mcp-config.json", _servers(type="local", tools=["*"])),
    switch=(".github/copilot/settings.json", '{"disableAllHooks": true}'),
    nested="COPILOT_HOME=/tmp/other copilot -p hello",
    task=(
        _step(
            "task",
            description="sub",
            prompt="SUBMARK do it",
            agent_type="general-purpose",
            name="sub",
        ),
    ),
)
GEMINI = Client(
    name="gemini",
    write=lambda path, content: _step("write_file", file_path=path, content=content),
    mcp=lambda path: _step("mcp_demo_touch_file", path=path),
    server=(".gemini/settings.json", _servers(trust=True)),
    switch=(".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    nested="GEMINI_CLI_HOME=/tmp/other gemini -p hello",
    elsewhere=_moved("gemini", "dir_path"),
    task=(_step("invoke_agent", agent_name="generalist", prompt="SUBMARK do it"),),
    hears=False,
)
OPENCODE = Client(
    name="opencode",
    write=lambda path, content: _step("write", filePath=path, content=content),
    mcp=lambda path: _step("demo_touch_file", path=path),
    server=(
        ".config/opencode/opencode.json",
        json.dumps(
            {
                "mcp": {
                    "demo": {
                        "type": "local",
                        "command": [SERVER["command"], *SERVER["args"]],
                        "enabled": True,
                    }
                }
            }
        ),
    ),
    switch=(".opencode/plugin/other.js", ""),
    nested="OPENCODE_PURE=1 opencode run hello",
    elsewhere=_moved("opencode", "workdir"),
    task=(_step("task", description="sub", prompt="SUBMARK do it", subagent_type="general"),),
)
PI = Client(
    name="pi",
    write=lambda path, content: _step("write", path=path, content=content),
    switch=(".pi/settings.json", '{"extensions": ["-extensions/interlock.js"]}'),
    nested="pi -ne -p hello",
    note="Pi 0.87.1 has neither sub-agents nor MCP servers",
)
QWEN = Client(
    name="qwen",
    write=lambda path, content: _step("write_file", file_path=path, content=content),
    mcp=lambda path: _step("mcp__demo__touch_file", path=path),
    server=(".qwen/settings.json", _servers(trust=True)),
    switch=(".qwen/settings.json", '{"disableAllHooks": true}'),
    nested="QWEN_HOME=/tmp/other qwen -p hello",
    elsewhere=_moved("qwen", "directory"),
    hears=False,
    task=(
        _step("agent", description="sub", prompt="SUBMARK do it", subagent_type="general-purpose"),
    ),
)

CLIENTS = (CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, PI, QWEN)
