"""The real clients, as rows: how each is started against a fake model, and how its model calls the tools.

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
    ``run_shell``, ``write`` and ``mcp`` (where it has MCP servers) make the model's steps; ``elsewhere`` one of the shell in another folder,
    where the tool can name one; ``task``, where it has sub-agents, the steps that start and await one. ``install``: more words for
    ``interlock install``. ``switch``: a file of a project that bears on the hooks, and what in it drops them, where something does; ``nested``: a
    command that starts the client without them. ``refuses``: a call is refused when the client's own time-out ends the hook. ``note``: what was not
    measured, and why.
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
    mcp: Callable[[str], Step] | None
    switch: tuple[str, str]
    nested: str
    task: tuple[Step, ...] = ()
    elsewhere: Callable[[str, str], Step] | None = None
    install: tuple[str, ...] = ()
    refuses: bool = False
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

    def guarded(self) -> bool:
        """Tell whether our hook is still in the client's settings; clients write into them themselves."""
        return self.settings.exists() and "interlock/hook.py" in self.settings.read_text()

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

    def started(self, model: Wire, prompt: str = "please do it", **more: str) -> subprocess.CompletedProcess[str]:
        """Run the client with one prompt and, in its environment, ``more``."""
        return subprocess.run(
            [str(self.client.bin / self.client.program), *self.client.command(prompt, model.url)],
            env=self.environment(**self.client.variables(self, model.url), **more),
            cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip

    def ask(self, model: Wire, prompt: str = "please do it", **more: str) -> str:
        """Run the client, which has to get as far as its model, and return what it printed."""
        done = self.started(model, prompt, **more)
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


_DEMO = {"command": sys.executable, "args": [str(SERVER)]}


# -- Claude Code -----------------------------------------------------------------------------------


def _claude_settings(desk: Desk) -> None:
    (desk.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"demo": _DEMO}}))


CLAUDE = Client(
    name="claude-code",
    folder="claude-code-2.1.329",
    program="claude",
    settings=".claude/settings.json",
    event="PreToolUse",
    wire=wires.Messages,
    prepare=_claude_settings,
    command=lambda prompt, _: [
        "-p", prompt, "--model", "claude-sonnet-4-5", "--mcp-config", ".mcp.json", "--dangerously-skip-permissions", "--output-format", "json",
    ],
    variables=lambda _, url: {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-dummy",
        "IS_SANDBOX": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    run_shell=lambda command: {"tool": "Bash", "input": {"command": command, "description": "a step of a test"}},
    write=lambda path, content: {"tool": "Write", "input": {"file_path": path, "content": content}},
    mcp=lambda path: {"tool": "mcp__demo__touch_file", "input": {"path": path}},
    switch=(".claude/settings.json", '{"disableAllHooks": true}'),
    nested="claude --bare -p hello",
    task=(
        {
            "tool": "Agent",
            "input": {"description": "sub", "prompt": "SUBMARK do it", "subagent_type": "general-purpose", "run_in_background": False},
        },
    ),
    refuses=True,
)  # fmt: skip


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
    switch=(".codex/config.toml", "[features]\nhooks = false\n"),
    nested="codex exec -c features.hooks=false hello",
    elsewhere=lambda command, folder: {"tool": "exec_command", "input": {"cmd": command, "workdir": folder}},
    task=({"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "SUBMARK do it"}},),
    install=("--trust",),
)


# -- Gemini CLI and Qwen Code ------------------------------------------------------------------------


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


def _run_shell(command: str, **more: str) -> Step:
    return {"tool": "run_shell_command", "input": {"command": command, "description": "a step of a test", "is_background": False, **more}}


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
    switch=(".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    nested="GEMINI_CLI_HOME=/tmp/other gemini -p hello",
    elsewhere=lambda command, folder: _run_shell(command, dir_path=folder),
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
    switch=(".qwen/settings.json", '{"disableAllHooks": true}'),
    nested="QWEN_HOME=/tmp/other qwen -p hello",
    elsewhere=lambda command, folder: _run_shell(command, directory=folder),
    task=({"tool": "agent", "input": {"description": "sub", "prompt": "SUBMARK do it", "subagent_type": "general-purpose"}},),
)


# -- GitHub Copilot CLI ----------------------------------------------------------------------------


def _copilot_settings(desk: Desk) -> None:
    path = desk.home / ".copilot/mcp-config.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"demo": {"type": "local", **_DEMO, "tools": ["*"]}}}))


def _bash(command: str) -> Step:
    return {"tool": "bash", "input": {"command": command, "description": "a step of a test"}}


COPILOT = Client(
    name="copilot",
    folder="copilot-1.0.102",
    program="copilot",
    settings=".copilot/hooks/interlock.json",
    event="PreToolUse",
    wire=wires.Chat,
    prepare=_copilot_settings,
    command=lambda prompt, _: ["-p", prompt, "--yolo"],
    variables=lambda desk, url: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "fake-model",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_ALLOW_ALL": "true",  # which trusts the folder too
        "XDG_CACHE_HOME": str(desk.client.bin.parents[1] / ".cache"),  # it unpacks itself there, once
    },
    run_shell=_bash,
    write=lambda path, content: {"tool": "create", "input": {"path": path, "file_text": content}},
    mcp=lambda path: {"tool": "demo-touch_file", "input": {"path": path}},
    switch=(".github/copilot/settings.json", '{"disableAllHooks": true}'),
    nested="COPILOT_HOME=/tmp/other copilot -p hello",
    task=({"tool": "task", "input": {"description": "sub", "prompt": "SUBMARK do it", "agent_type": "general-purpose", "name": "sub"}},),
)


# -- OpenCode and Pi -------------------------------------------------------------------------------


def _opencode_settings(desk: Desk) -> None:
    path = desk.home / ".config/opencode/opencode.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "autoupdate": False,
        "share": "disabled",
        "mcp": {"demo": {"type": "local", "command": [sys.executable, str(SERVER)], "enabled": True}},
    }
    path.write_text(json.dumps(document, indent=2))


def _opencode_variables(_: Desk, url: str) -> dict[str, str]:
    model = {"name": "fake", "tool_call": True, "limit": {"context": 128000, "output": 4096}}
    fake = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"}, "models": {"fake": model}}
    settings = {"model": "fake/fake", "small_model": "fake/fake", "provider": {"fake": fake}}
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    nowhere = "http://127.0.0.1:9/"  # whence it would fetch a library for plugins, which ours does without
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "npm_config_registry": nowhere,
        **{f"OPENCODE_DISABLE_{name}": "1" for name in off},
    }


OPENCODE = Client(
    name="opencode",
    folder="opencode-1.18.33",
    program="opencode",
    settings=".config/opencode/plugin/interlock.js",
    event="",
    wire=wires.Chat,
    prepare=_opencode_settings,
    command=lambda prompt, _: ["run", "--format", "json", "--auto", prompt],
    variables=_opencode_variables,
    run_shell=lambda command: {"tool": "bash", "input": {"command": command, "description": "a step of a test"}},
    write=lambda path, content: {"tool": "write", "input": {"filePath": path, "content": content}},
    mcp=lambda path: {"tool": "demo_touch_file", "input": {"path": path}},
    switch=(".opencode/plugin/other.js", ""),
    nested="OPENCODE_PURE=1 opencode run hello",
    elsewhere=lambda command, folder: {"tool": "bash", "input": {"command": command, "workdir": folder, "description": "a step of a test"}},
    task=({"tool": "task", "input": {"description": "sub", "prompt": "SUBMARK do it", "subagent_type": "general"}},),
)


def _pi_settings(desk: Desk) -> None:
    path = desk.home / ".pi/agent/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"enableInstallTelemetry": false}\n')


def _pi_model(desk: Desk, url: str) -> dict[str, str]:
    model = {"id": "fake", "name": "fake", "reasoning": False, "input": ["text"], "contextWindow": 128000, "maxTokens": 4096}
    cost = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
    fake = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "dummy", "models": [{**model, "cost": cost}]}
    (desk.home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"fake": fake}}))
    return {"PI_OFFLINE": "1"}


PI = Client(
    name="pi",
    folder="pi-0.87.1",
    program="pi",
    settings=".pi/agent/extensions/interlock.js",
    event="",
    wire=wires.Chat,
    prepare=_pi_settings,
    command=lambda prompt, _: ["-p", "--offline", "--provider", "fake", "--model", "fake", prompt],
    variables=_pi_model,
    run_shell=lambda command: {"tool": "bash", "input": {"command": command}},
    write=lambda path, content: {"tool": "write", "input": {"path": path, "content": content}},
    mcp=None,
    switch=(".pi/settings.json", '{"extensions": ["-extensions/interlock.js"]}'),
    nested="pi -ne -p hello",
    note="Pi 0.87.1 has neither sub-agents nor MCP servers",
)

CLIENTS = (CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, PI, QWEN)
