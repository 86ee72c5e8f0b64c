"""The real clients beside Claude Code, as rows: how each is started against a fake model, and how its model calls the tools.

Nothing of the tester's environment reaches a client: a fresh HOME, a dummy key, its own questions bypassed, so that the hook is the
only thing in the way. ``python scripts/install_client.py NAME`` installs one.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.e2e import wires

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.wires import Step, Wire

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "tests/e2e/mcp_server.py"


class Client(NamedTuple):
    """One client.

    ``folder`` of it and ``program`` below ``.clients/``; ``settings``: the file that interlock writes, and ``event``: its guarding event there.
    ``prepare`` writes the client's own settings; ``command`` and ``variables`` start it with a prompt and the model's URL.
    ``run_shell``, ``write`` and ``mcp`` make the model's steps; ``task``, where it has sub-agents, the steps that start and await one.
    """

    name: str
    folder: str
    program: str
    settings: str
    event: str
    wire: type[Wire]
    prepare: Callable[[Desk], None]
    command: Callable[[str, str], list[str]]
    variables: Callable[[Desk, str], dict[str, str]]
    run_shell: Callable[[str], Step]
    write: Callable[[str, str], Step]
    mcp: Callable[[str], Step]
    task: tuple[Step, ...] = ()
    install: tuple[str, ...] = ()
    note: str = ""

    @property
    def bin(self) -> Path:
        """The folder of the program."""
        return ROOT / ".clients" / self.folder / "node_modules/.bin"


class Desk(NamedTuple):
    """A fresh HOME, a project, and a copy of interlock that a test may break."""

    client: Client
    home: Path
    project: Path
    package: Path

    @property
    def settings(self) -> Path:
        """The client's settings of this HOME that hold our entries."""
        return self.home / self.client.settings

    def environment(self, **more: str) -> dict[str, str]:
        """Return all that a program started here may see."""
        path = f"{self.client.bin}:/usr/local/bin:/usr/bin:/bin"
        return {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": str(self.home.parent), **more}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one of interlock's own commands as the person of this HOME."""
        command = [sys.executable, "-m", "interlock", *words]
        environment = self.environment(PYTHONPATH=str(self.package.parent))
        return subprocess.run(command, env=environment, cwd=self.project, capture_output=True, text=True, timeout=90, check=False)

    def interlock(self, *words: str) -> str:
        """Run one of interlock's own commands, which has to end well; return what it printed."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def ask(self, model: Wire, prompt: str = "please do it") -> str:
        """Run the client with one prompt and return what it printed."""
        done = subprocess.run(
            [str(self.client.bin / self.client.program), *self.client.command(prompt, model.url)],
            env=self.environment(**self.client.variables(self, model.url)),
            cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert model.requests, done.stderr + done.stdout
        return done.stdout + done.stderr

    def edit_settings(self, **changes: Any) -> None:
        """Change our guarding entry in the client's settings."""
        document = json.loads(self.settings.read_text())
        document["hooks"][self.client.event][0]["hooks"][0].update(changes)
        self.settings.write_text(json.dumps(document))


def desk_of(client: Client, top: Path) -> Desk:
    """Install interlock for a fresh HOME."""
    made = Desk(client, top / "home", top / "project", top / "lib/interlock")
    made.home.mkdir()
    made.project.mkdir()
    shutil.copytree(ROOT / "src/interlock", made.package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "-q", str(made.project)], env=made.environment(), check=True, timeout=30)
    client.prepare(made)
    made.interlock("install", client.name, *client.install)
    return made


# -- Codex -----------------------------------------------------------------------------------------


def _codex_settings(desk: Desk) -> None:
    path = desk.home / ".codex/config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"""model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.demo]
command = {json.dumps(sys.executable)}
args = [{json.dumps(str(SERVER))}]
[projects."{desk.project}"]
trust_level = "trusted"
"""
    )


def _codex_command(prompt: str, url: str) -> list[str]:
    where = f'model_providers.fake.base_url="{url}/v1"'
    return ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-c", where, prompt]


def _patch(path: str, content: str) -> Step:
    added = "".join(f"+{line}\n" for line in content.splitlines())
    return {"tool": "apply_patch", "input": f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"}


CODEX = Client(
    name="codex",
    folder="codex-0.169.0",
    program="codex",
    settings=".codex/hooks.json",
    event="PreToolUse",
    wire=wires.Responses,
    prepare=_codex_settings,
    command=_codex_command,
    variables=lambda desk, _: {"FAKE_KEY": "dummy", "CODEX_HOME": str(desk.home / ".codex")},
    run_shell=lambda command: {"tool": "exec_command", "input": {"cmd": command}},
    write=_patch,
    mcp=lambda path: {"tool": "touch_file", "namespace": "mcp__demo", "input": {"path": path}},
    task=({"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "SUBMARK do it"}},),
    install=("--trust",),
)


# -- Gemini CLI and Qwen Code ------------------------------------------------------------------------

_DEMO = {"command": sys.executable, "args": [str(SERVER)]}


def _settings_of(folder: str, kind: str, model: str) -> Callable[[Desk], None]:
    def prepare(desk: Desk) -> None:
        path = desk.home / folder / "settings.json"
        path.parent.mkdir(exist_ok=True)
        document = {
            "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
            "model": {"name": model},
            "mcpServers": {"demo": {**_DEMO, "trust": True}},
        }
        path.write_text(json.dumps(document, indent=2))

    return prepare


def _run_shell(command: str) -> Step:
    return {"tool": "run_shell_command", "input": {"command": command, "description": "a step of a test", "is_background": False}}


def _write_file(path: str, content: str) -> Step:
    return {"tool": "write_file", "input": {"file_path": path, "content": content}}


GEMINI = Client(
    name="gemini",
    folder="gemini-0.61.0",
    program="gemini",
    settings=".gemini/settings.json",
    event="BeforeTool",
    wire=wires.Gemini,
    prepare=_settings_of(".gemini", "gemini-api-key", "gemini-2.5-flash"),
    command=lambda prompt, _: ["-p", prompt, "-m", "gemini-2.5-flash", "--output-format", "json", "--yolo"],
    variables=lambda _, url: {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "NO_BROWSER": "1",
    },
    run_shell=_run_shell,
    write=_write_file,
    mcp=lambda path: {"tool": "mcp_demo_touch_file", "input": {"path": path}},
)

QWEN = Client(
    name="qwen",
    folder="qwen-code-0.24.4",
    program="qwen",
    settings=".qwen/settings.json",
    event="PreToolUse",
    wire=wires.Chat,
    prepare=_settings_of(".qwen", "openai", "fake-model"),
    command=lambda prompt, _: ["-p", prompt, "--output-format", "json", "--yolo"],
    variables=lambda _, url: {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake-model"},
    run_shell=_run_shell,
    write=_write_file,
    mcp=lambda path: {"tool": "mcp__demo__touch_file", "input": {"path": path}},
    task=({"tool": "agent", "input": {"description": "sub", "prompt": "SUBMARK do it", "subagent_type": "general-purpose"}},),
)

CLIENTS = (CODEX, GEMINI, QWEN)
