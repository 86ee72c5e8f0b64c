"""Whatever guard hooks are installed, ours or anyone's: read out of the settings of every client
that is known, measured or from its pages.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator

from interlock.integrations import install
from interlock.model.record import Record

Payload = dict[str, object]


class ClientHook(Record):
    """One hook that a client asks before a shell command: the line it runs, where that is written,
    and for which client.
    """

    client: str
    file: str
    event: str
    command: str


class HookPlace(Record):
    """Where a client's hooks are written, and how it speaks to them.

    ``files``: below HOME (``~/``) and below a project; a name that ends in ``/`` is a folder of
    JSON files. ``events``: those that come before a shell command. ``tool``: the client's word for
    its shell, which a hook's ``matcher`` has to match.
    """

    client: str
    files: tuple[str, ...]
    events: tuple[str, ...]
    tool: str
    payload: Callable[[str, str, str, str], Payload]


def _claude(event: str, command: str, folder: str, name: str) -> Payload:
    call = {
        "tool_name": "Bash",
        "tool_input": {
            "command": command,
            "description": "a question of interlock test-guard; never run",
        },
    }
    return {
        "session_id": name,
        "cwd": folder,
        "hook_event_name": event,
        "tool_use_id": name,
        "transcript_path": "",
        **call,
    }


def _gemini(event: str, command: str, folder: str, name: str) -> Payload:
    return {
        **_claude(event, command, folder, name),
        "tool_name": "run_shell_command",
        "timestamp": "2026-01-01T00:00:00.000Z",
    }


def _copilot(event: str, command: str, folder: str, name: str) -> Payload:
    if event[:1].isupper():
        return _claude(event, command, folder, name)
    call = {
        "toolName": "bash",
        "toolArgs": {"command": command, "description": "a question of interlock test-guard"},
    }
    return {"sessionId": name, "timestamp": 1767225600000, "cwd": folder, **call}


def _cursor(event: str, command: str, folder: str, name: str) -> Payload:
    about = {
        "conversation_id": name,
        "generation_id": name,
        "hook_event_name": event,
        "workspace_roots": [folder],
        "cwd": folder,
    }
    if event == "beforeShellExecution":
        return {**about, "command": command}
    return {**about, "tool_name": "Shell", "tool_input": {"command": command}}


def _windsurf(event: str, command: str, folder: str, name: str) -> Payload:
    return {
        "agent_action_name": event,
        "trajectory_id": name,
        "execution_id": name,
        "tool_info": {"command_line": command, "cwd": folder},
    }


PLACES = (
    HookPlace(
        "claude-code",
        ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"),
        ("PreToolUse",),
        "Bash",
        _claude,
    ),
    HookPlace(
        "codex",
        ("~/.codex/hooks.json", "~/.codex/config.toml", ".codex/hooks.json", ".codex/config.toml"),
        ("PreToolUse",),
        "Bash",
        _claude,
    ),
    HookPlace(
        "gemini",
        ("~/.gemini/settings.json", ".gemini/settings.json"),
        ("BeforeTool",),
        "run_shell_command",
        _gemini,
    ),
    HookPlace(
        "qwen",
        ("~/.qwen/settings.json", ".qwen/settings.json"),
        ("PreToolUse",),
        "run_shell_command",
        _gemini,
    ),
    HookPlace(
        "copilot",
        ("~/.copilot/hooks/", "~/.copilot/settings.json", ".github/hooks/"),
        ("PreToolUse", "preToolUse"),
        "bash",
        _copilot,
    ),
    HookPlace(
        "cursor",
        ("~/.cursor/hooks.json", ".cursor/hooks.json"),
        ("beforeShellExecution", "preToolUse"),
        "Shell",
        _cursor,
    ),
    HookPlace(
        "windsurf",
        ("~/.codeium/windsurf/hooks.json", ".windsurf/hooks.json"),
        ("pre_run_command",),
        "",
        _windsurf,
    ),
)
BY_CLIENT = {place.client: place for place in PLACES}
VARIABLES = {
    "claude-code": "CLAUDE_CONFIG_DIR",
    "codex": "CODEX_HOME",
    "qwen": "QWEN_HOME",
    "copilot": "COPILOT_HOME",
}
"""Variables that move a client's own folder."""


def find_guards(home: str, project: str, moved: dict[str, str]) -> Iterator[ClientHook]:
    """Yield every hook that is asked before a shell command; ``moved``: the variables that are set.
    Files that cannot be read hold none.

    ``project``: the folder whose settings count too, ``""`` for none: whoever wrote a repository
    wrote its hooks.
    """
    for place in PLACES:
        for name in place.files if project else [name for name in place.files if name[:2] == "~/"]:
            yield from _in(place, _path(place, name, home, project, moved))


def _path(place: HookPlace, name: str, home: str, project: str, moved: dict[str, str]) -> str:
    if not name.startswith("~/"):
        return os.path.join(project, name)
    folder, _, rest = name[2:].partition("/")
    own = moved.get(VARIABLES.get(place.client, ""), "")
    return os.path.join(own, rest) if own else os.path.join(home, folder, rest)


def _in(place: HookPlace, path: str) -> Iterator[ClientHook]:
    if path.endswith("/"):
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else ():
            yield from _in(place, path + name) if name.endswith(".json") else ()
        return
    try:
        text = install.content(path).removeprefix("\ufeff")
        document = tomllib.loads(text) if path.endswith(".toml") else json.loads(text or "{}")
    except (ValueError, RecursionError):
        return
    table = document.get("hooks") if isinstance(document, dict) else None
    if not isinstance(table, dict):
        return
    for event in place.events:
        for command in _commands(table.get(event), place.tool):
            yield ClientHook(place.client, path, event, command)


def _commands(entries: object, tool: str) -> Iterator[str]:
    """Yield the lines of an event's entries that concern the shell: groups with a matcher and
    hooks, or entries that are hooks themselves.
    """
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not _matches(entry.get("matcher"), tool):
            continue
        hooks = entry.get("hooks")
        for hook in hooks if isinstance(hooks, list) else [entry]:
            command = (hook.get("command") or hook.get("bash")) if isinstance(hook, dict) else None
            if isinstance(command, str) and command.strip():
                yield command


def _matches(matcher: object, tool: str) -> bool:
    """Whether a matcher speaks of the shell's tool: a regular expression, or nothing, or ``*``."""
    if not isinstance(matcher, str) or matcher in ("", "*") or not tool:
        return True
    try:
        return re.fullmatch(matcher, tool) is not None or re.search(matcher, tool) is not None
    except re.error:
        return matcher == tool
