"""``interlock run -- claude``: an agent client's whole process behind walls. What its hook does not
see is held too; what the client itself needs stands here, a row for each.

Of the home folder there is nothing but what a row names, on top of an empty one that goes with the
run. What starts or instructs a later session is not changed: that one may run without walls.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from interlock.model.record import Record


class ClientProfile(Record):
    """One client. Paths are below the home folder; a folder ends in ``/``.

    ``state``: what it writes and what has to be there the next time. ``fixed``: of that, what
    starts programs or instructs a session. ``keys``: files of JSON and the keys in them that name
    programs to be started. ``hosts``: where its model and its account are; ``addresses``: variables
    with another such place. ``variables``: what it is passed, by name or by beginning (``*``).
    """

    state: tuple[str, ...]
    fixed: tuple[str, ...]
    hosts: tuple[str, ...]
    addresses: tuple[str, ...]
    variables: tuple[str, ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()


CLIENTS: dict[str, ClientProfile] = {
    "claude": ClientProfile(
        state=(".claude/", ".claude.json"),
        fixed=(
            ".claude/settings.json", ".claude/settings.local.json", ".claude/CLAUDE.md",
            ".claude/agents/", ".claude/commands/", ".claude/skills/", ".claude/hooks/",
            ".claude/plugins/", ".claude/output-styles/", ".claude/rules/",
        ),
        hosts=("api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"),
        addresses=("ANTHROPIC_BASE_URL",),
        variables=("ANTHROPIC_*", "CLAUDE_CODE_*", "DISABLE_AUTOUPDATER", "IS_SANDBOX"),
        keys=((".claude.json", ("mcpServers", "hooks")),),
    ),
    "codex": ClientProfile(
        state=(".codex/",),
        fixed=(
            ".codex/config.toml", ".codex/AGENTS.md", ".codex/hooks.json", ".codex/prompts/",
            ".codex/skills/", ".codex/rules/",
        ),
        hosts=("api.openai.com", "auth.openai.com", "chatgpt.com"),
        addresses=("OPENAI_BASE_URL",),
        variables=("OPENAI_*", "CODEX_*"),
    ),
    "gemini": ClientProfile(
        state=(".gemini/",),
        fixed=(
            ".gemini/settings.json", ".gemini/GEMINI.md", ".gemini/extensions/",
            ".gemini/commands/", ".gemini/policies/", ".gemini/skills/", ".gemini/.env",
        ),
        hosts=(
            "generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com",
            "oauth2.googleapis.com", "accounts.google.com",
        ),
        addresses=("GOOGLE_GEMINI_BASE_URL",),
        variables=("GEMINI_*", "GOOGLE_*"),
    ),
    "opencode": ClientProfile(
        state=(".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"),
        fixed=(".config/opencode/", ".local/share/opencode/bin/"),
        hosts=("opencode.ai", "models.dev", "api.anthropic.com", "api.openai.com"),
        addresses=(),
        variables=("OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "npm_config_*"),
    ),
}  # fmt: skip
"""Clients by the name that people type."""


SIGNS = frozenset("|&;<>()$`\\\n*?#~=%'\"!{}[]")
"""What means something to a shell."""


def match_client(words: list[str]) -> tuple[str, list[str]]:
    """Return the name of the client that a command line starts, ``""`` for none, and its words. One
    word is a line for the shell: it counts if nothing but words is in it.
    """
    if len(words) == 1:
        words = [] if SIGNS & set(words[0]) else words[0].split()
    name = os.path.basename(words[0]) if words else ""
    return (name, words) if name in CLIENTS else ("", words)


def hosts(client: ClientProfile, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts that a client reaches."""
    told = [environment.get(name, "") for name in client.addresses]
    own = [host for address in told if (host := _host(address))]
    return tuple(dict.fromkeys([*client.hosts, *own]))


def _host(address: str) -> str:
    with contextlib.suppress(ValueError):
        return (urlsplit(address).hostname or "").lower()
    return ""


def pick_variables(client: ClientProfile, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a client is given besides those of every run."""
    return {
        name: value
        for name, value in environment.items()
        if any(
            name == one or (one.endswith("*") and name.startswith(one[:-1]))
            for one in client.variables
        )
    }


def make_state(client: ClientProfile, home: str) -> tuple[str, ...]:
    """Make what of a client's state is not there yet, and return all of it; raises ``OSError``,
    ``ValueError`` for what leads somewhere else.
    """
    found = []
    for name in client.state:
        path = f"{home}/{name.rstrip('/')}"
        if name.endswith("/"):
            os.makedirs(path, 0o700, exist_ok=True)
        elif not os.path.lexists(path):
            with open(path, "x", encoding="utf-8") as file:
                file.write("{}\n")
            os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
        if os.path.realpath(path) != os.path.realpath(home) + path[len(home) :]:
            raise ValueError(f"{path} leads to {os.path.realpath(path)}; a run needs the place")
        found.append(os.path.realpath(path))
    return tuple(found)


def find_fixed_paths(client: ClientProfile, home: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what must stay as it is, and what must not be there when the run ends."""
    paths = [f"{os.path.realpath(home)}/{name.rstrip('/')}" for name in client.fixed]
    there = tuple([path for path in paths if os.path.lexists(path)])
    return there, tuple([path for path in paths if not os.path.lexists(path)])


class JsonProgramKeys:
    """What files of JSON say under keys that name programs: as it was, and put back."""

    def __init__(self, client: ClientProfile, home: str) -> None:
        self._files = [(f"{home}/{name}", frozenset(keys)) for name, keys in client.keys]
        self._before = [_find_keys(_read(path), keys) for path, keys in self._files]

    def restore(self) -> Iterator[str]:
        """Put back what a run has changed, and say so."""
        for (path, keys), before in zip(self._files, self._before, strict=True):
            document = _read(path)
            if _find_keys(document, keys) == before:
                continue
            _set(document, keys, before)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=2)
            said = " and ".join(sorted(keys))
            yield f"{path}: what this run wrote under {said} is taken back: it starts programs"


def _read(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}


Steps = tuple[str | int, ...]


def _walk(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every mapping in a document, with the way to it."""
    if isinstance(value, dict):
        yield at, value
    entries: Iterable[tuple[str | int, Any]] = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in entries:
        yield from _walk(inner, (*at, key))


def _find_keys(document: Any, keys: frozenset[str]) -> dict[Steps, Any]:
    return {
        (*at, key): mapping[key] for at, mapping in _walk(document) for key in mapping
        if key in keys and mapping[key]
    }  # fmt: skip


def _set(document: Any, keys: frozenset[str], before: Mapping[Steps, Any]) -> None:
    for at, mapping in list(_walk(document)):
        for key in [key for key in mapping if key in keys]:
            if (*at, key) in before:
                mapping[key] = before[(*at, key)]
            else:
                del mapping[key]
