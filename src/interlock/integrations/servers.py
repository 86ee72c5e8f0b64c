"""The MCP servers that a client starts: whether ``interlock mcp`` stands before each of them, and
putting it there.

Pure text in, text out, but for ``list_servers``, which reads the client's files. What a server is
called stays the same, and so does all else of its entry: its variables, its folder, its tools.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from interlock.integrations import install
from interlock.integrations.install import SettingsError
from interlock.integrations.protocol import Settings
from interlock.model.record import Record

BEFORE = (os.path.abspath(sys.executable), "-P", "-m", "interlock", "mcp")
"""What is put before a server's words: this interpreter, which does not look for interlock in the
folder it is started in.
"""

_RUNNERS = (("uvx",), ("uv", "run"), ("uv", "tool", "run"), ("pipx", "run"))
"""What fetches a program and runs it."""


class ServerEntry(Record):
    """One entry of a client: its name, the file it is in, the keys that lead to its table, what
    starts it, or else its address.
    """

    name: str
    path: str
    keys: tuple[str, ...]
    words: tuple[str, ...]
    url: str = ""

    @property
    def behind(self) -> ProxiedServer | None:
        """Return what stands before it, None where nothing of ours does."""
        return behind(self.words)


class ProxiedServer(Record):
    """A server behind ``interlock mcp``: what starts the proxy, the name that it was given, the
    words of the server (none for one at an address).
    """

    program: str
    name: str
    words: tuple[str, ...]


def behind(words: tuple[str, ...]) -> ProxiedServer | None:
    """Read ``interlock mcp`` out of what starts a server: by its program, by an interpreter and
    ``-m``, or by what fetches and runs programs.
    """
    at = _interlock_in(words)
    if words[at + 1 : at + 2] != ("mcp",) or _program(words[at]) != "interlock":
        return None
    rest = words[at + 2 :]
    end = rest.index("--") if "--" in rest else len(rest)
    options = [
        piece
        for word in rest[:end]
        for piece in (word.split("=", 1) if word.startswith("--server=") else [word])
    ]
    name = options[options.index("--server") + 1 :][:1] if "--server" in options else []
    return ProxiedServer(words[0], "".join(name), rest[end + 1 :])


def _interlock_in(words: tuple[str, ...]) -> int:
    """Return the place of what is run: the first word, or what comes behind ``-m`` with nothing but
    options before, or behind a runner's words.
    """
    for runner in _RUNNERS:
        if (*map(_program, words[:1]), *words[1 : len(runner)]) == runner:
            return len(runner)
    place = next(
        (number for number, word in enumerate(words) if number and not word.startswith("-")), 0
    )
    return place if words[place - 1 : place] == ("-m",) else 0


def _program(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


# -- reading ---------------------------------------------------------------------------------------


def list_servers(
    settings: Settings, project: str, *, own: bool = True, shared: bool = True
) -> Iterator[ServerEntry | SettingsError]:
    """Yield the servers of the user's own files and of the project's, and what is wrong with a file
    that cannot be read.
    """
    for file in settings.servers:
        if not (shared if file.project else own):
            continue
        path = path_of(settings, file.path, project if file.project else None)
        keys = tuple([os.path.abspath(project) if key == "{project}" else key for key in file.keys])
        try:
            yield from _in(install.content(path), path, keys)
        except SettingsError as error:
            yield error


def path_of(settings: Settings, name: str, project: str | None) -> str:
    """Return where a file of servers lies: in a project, in the user's folder of the client, or
    (``~/``) in HOME unless that folder was moved.
    """
    if project is not None:
        return os.path.join(os.path.abspath(project), name)
    if name.startswith("~/"):
        return os.path.join(os.environ.get(settings.variable) or os.path.expanduser("~"), name[2:])
    return os.path.join(install.folder_of(settings, None), name)


def _in(text: str, path: str, keys: tuple[str, ...]) -> Iterator[ServerEntry]:
    if path.endswith(".toml"):
        try:
            document = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise SettingsError(f"{path}: expected TOML: {error}") from None
    else:
        document = install.parse_settings(text, path)
    for name, entry in _table(document, keys).items():
        server = _server(name, path, keys, entry) if isinstance(entry, dict) else None
        if server is not None:
            yield server


def _table(document: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _server(
    name: str, path: str, keys: tuple[str, ...], entry: dict[str, Any]
) -> ServerEntry | None:
    """Read an entry; None if it is switched off or names neither a program nor an address."""
    if entry.get("enabled") is False or entry.get("disabled") is True:
        return None
    url = next(
        (entry[key] for key in ("url", "httpUrl", "serverUrl") if isinstance(entry.get(key), str)),
        "",
    )
    words = _words(entry)
    return (
        ServerEntry(name, path, keys, words, "" if words else url.partition("?")[0])
        if words or url
        else None
    )


def _words(entry: dict[str, Any]) -> tuple[str, ...]:
    command, more = entry.get("command"), entry.get("args", [])
    words = (
        command
        if isinstance(command, list)
        else (
            [command, *more]
            if isinstance(command, str) and command and isinstance(more, list)
            else []
        )
    )
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


# -- changing --------------------------------------------------------------------------------------


def wrap_command(server: ServerEntry) -> tuple[str, ...]:
    """Return what starts a server behind the proxy; one that is behind it already, or at an
    address, as it is.
    """
    return (
        server.words
        if server.behind is not None or not server.words
        else (*BEFORE, "--server", server.name, "--", *server.words)
    )


def unwrap_command(server: ServerEntry) -> tuple[str, ...]:
    """Return what starts a server without the proxy."""
    there = server.behind
    return server.words if there is None or not there.words else there.words


def rewrite_servers(
    text: str, servers: list[ServerEntry], how: Callable[[ServerEntry], tuple[str, ...]]
) -> str:
    """Return a file of JSON in which some of its servers are started otherwise."""
    document = install.parse_settings(text, servers[0].path)
    changed = False
    for server in servers:
        words, entry = how(server), _table(document, server.keys)[server.name]
        if words == server.words:
            continue
        changed = True
        if isinstance(entry["command"], list):
            entry["command"] = list(words)
        else:
            entry["command"], entry["args"] = words[0], list(words[1:])
    return install.dump_settings(document, text) if changed else text
