"""How each client is started without a person, a network or an account: against a made-up model on
this machine, its own questions bypassed.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from interlock.doctor import fake_models
from interlock.doctor.fake_models import ScriptedModel, Step
from interlock.model.record import Record


class ClientLauncher(Record):
    """One client.

    ``wire``: the protocol its model speaks. ``files``: its settings below HOME for a model at a
    URL, as texts. ``command``: its words for a prompt and that URL. ``variables``: what it is given
    besides, from that URL and the person's own home. ``types``: how its model calls the shell's
    tool with a command.
    """

    wire: type[ScriptedModel]
    files: Callable[[str], dict[str, str]]
    command: Callable[[str, str], list[str]]
    variables: Callable[[str, str], dict[str, str]]
    types: Callable[[str], Step]


def _bash(name: str) -> Callable[[str], Step]:
    return lambda command: {
        "tool": name,
        "input": {"command": command, "description": "a step of interlock doctor"},
    }


def _run_shell(command: str) -> Step:
    return {
        "tool": "run_shell_command",
        "input": {
            "command": command,
            "description": "a step of interlock doctor",
            "is_background": False,
        },
    }


def _codex_files(url: str) -> dict[str, str]:
    model = (
        f'name = "fake"\nbase_url = "{url}/v1"\nenv_key = "FAKE_KEY"\nwire_api ='
        ' "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
    )
    return {
        ".codex/config.toml": (
            f'model = "gpt-5.5"\nmodel_provider = "fake"\n[model_providers.fake]\n{model}'
        )
    }


def _google_files(folder: str, kind: str, model: str) -> Callable[[str], dict[str, str]]:
    document = {
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "model": {"name": model},
    }
    return lambda _url: {f"{folder}/settings.json": json.dumps(document)}


def _opencode_variables(url: str, _home: str) -> dict[str, str]:
    model = {"name": "fake", "tool_call": True, "limit": {"context": 128000, "output": 4096}}
    fake = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"fake": model},
    }
    settings = {
        "model": "fake/fake",
        "small_model": "fake/fake",
        "provider": {"fake": fake},
        "autoupdate": False,
        "share": "disabled",
    }
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    # it would fetch a library that our plugin does without
    nowhere = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_fetch_retries": "0"}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        **nowhere,
        **{f"OPENCODE_DISABLE_{name}": "1" for name in off},
    }


def _pi_files(url: str) -> dict[str, str]:
    cost = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
    model = {
        "id": "fake",
        "name": "fake",
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 128000,
        "maxTokens": 4096,
        "cost": cost,
    }
    fake = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "dummy",
        "models": [model],
    }
    return {
        ".pi/agent/models.json": json.dumps({"providers": {"fake": fake}}),
        ".pi/agent/settings.json": json.dumps({"enableInstallTelemetry": False}),
    }


STARTS: dict[str, ClientLauncher] = {
    "claude-code": ClientLauncher(
        fake_models.MessagesModel,
        files=lambda _url: {},
        command=lambda prompt, _url: [
            *(
                "-p",
                prompt,
                "--model",
                "claude-sonnet-4-5",
                "--output-format",
                "json",
                "--dangerously-skip-permissions",
            ),
        ],
        variables=lambda url, _home: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-ant-dummy",
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        types=_bash("Bash"),
    ),
    "codex": ClientLauncher(
        fake_models.ResponsesModel,
        files=_codex_files,
        command=lambda prompt, _url: [
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            prompt,
        ],
        variables=lambda _url, _home: {"FAKE_KEY": "dummy"},
        types=lambda command: {"tool": "exec_command", "input": {"cmd": command}},
    ),
    "copilot": ClientLauncher(
        fake_models.ChatModel,
        files=lambda _url: {},
        command=lambda prompt, _url: ["-p", prompt, "--yolo"],
        variables=lambda url, home: {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": "fake-model",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_ALLOW_ALL": "true",  # which trusts the folder too
            "XDG_CACHE_HOME": f"{home}/.cache",  # it unpacks itself there, once
        },
        types=_bash("bash"),
    ),
    "gemini": ClientLauncher(
        fake_models.GeminiModel,
        files=_google_files(".gemini", "gemini-api-key", "gemini-2.5-flash"),
        command=lambda prompt, _url: [
            "-p",
            prompt,
            "-m",
            "gemini-2.5-flash",
            "--output-format",
            "json",
            "--yolo",
        ],
        variables=lambda url, _home: {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_BROWSER": "1",
        },
        types=_run_shell,
    ),
    "opencode": ClientLauncher(
        fake_models.ChatModel,
        files=lambda _url: {},
        command=lambda prompt, _url: ["run", "--format", "json", "--auto", prompt],
        variables=_opencode_variables,
        types=_bash("bash"),
    ),
    "pi": ClientLauncher(
        fake_models.ChatModel,
        files=_pi_files,
        command=lambda prompt, _url: [
            "-p",
            "--offline",
            "--provider",
            "fake",
            "--model",
            "fake",
            prompt,
        ],
        variables=lambda _url, _home: {"PI_OFFLINE": "1"},
        types=lambda command: {"tool": "bash", "input": {"command": command}},
    ),
    "qwen": ClientLauncher(
        fake_models.ChatModel,
        files=_google_files(".qwen", "openai", "fake-model"),
        command=lambda prompt, _url: ["-p", prompt, "--output-format", "json", "--yolo"],
        variables=lambda url, _home: {
            "OPENAI_API_KEY": "dummy",
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_MODEL": "fake-model",
        },
        types=_run_shell,
    ),
}
