"""``interlock servers``: show which MCP servers of your clients are behind `interlock mcp`; `wrap`
puts them there, `unwrap` undoes that.

Only what starts a server changes; its name, its variables and all else of its entry stay. A server
at an address is put behind it by hand.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from interlock.cli import machine
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.folders import add_project
from interlock.integrations import install, servers, trust
from interlock.integrations.changes import Change, alone
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.install import SettingsError
from interlock.integrations.protocol import Settings
from interlock.integrations.servers import ServerEntry

NAME = "servers"
SUMMARY = "show MCP servers, and put them behind the guard"
LIST, WRAP, UNWRAP = "list", "wrap", "unwrap"
_HOW: dict[str, Callable[[ServerEntry], tuple[str, ...]]] = {
    WRAP: servers.wrap_command,
    UNWRAP: servers.unwrap_command,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what is done, and with which servers of which client."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=[LIST, WRAP, UNWRAP],
        default=LIST,
        help="what to do (default: list)",
    )
    parser.add_argument(
        "client",
        nargs="?",
        choices=sorted(CLIENTS),
        help="the agent client (default, for list: all)",
    )
    parser.add_argument("server", nargs="*", metavar="SERVER", help="these servers only")
    add_project(
        parser, "the servers of one project (default: the current folder), not the user's own"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change and make none")
    machine.add_json(parser, f"print JSON ({LIST} only)")


def run(options: Namespace) -> int:
    """List or change. 0 done or nothing to do, 1 refused or an unreadable file, 2 wrong usage."""
    if options.what == LIST:
        return _list(
            [options.client] if options.client else sorted(CLIENTS),
            os.path.abspath(options.project or "."),
            plain=options.json,
        )
    if not options.client:
        complain(
            f"interlock servers: name the client: interlock servers {options.what} claude-code\n"
        )
        return 2
    try:
        with alone():
            return _change(options)
    except (SettingsError, trust.TrustError) as problem:
        complain(f"interlock servers: {problem}\n")
        return 1


# -- list ------------------------------------------------------------------------------------------


def _list(clients: list[str], project: str, *, plain: bool) -> int:
    paint, code, shown = Painter(sys.stdout), 0, False
    told: list[dict[str, object]] = []
    for client in clients:
        for found in servers.list_servers(adapter_of(client).SETTINGS, project):
            shown = True
            if isinstance(found, SettingsError):
                complain(f"interlock servers: {found}\n")
                code = 1
                continue
            told.append(
                {
                    "client": client, "name": found.name, "path": found.path, "url": found.url,
                    "behind": bool(found.behind),
                }
            )  # fmt: skip
            if plain:
                continue
            said = (
                paint("behind interlock", "green")
                if found.behind
                else paint("at an address" if found.url else "not behind it", "amber")
            )
            print(f"{client:<12} {visible(found.name):<20} {said}  ({found.path})")
    if plain:
        machine.tell(told)
    elif not shown:
        print("your clients start no MCP servers")
    return code


# -- change ----------------------------------------------------------------------------------------


def _change(options: Namespace) -> int:
    settings, how = adapter_of(options.client).SETTINGS, _HOW[options.what]
    found = _select_servers(settings, options)
    wanted = [server for server in found if how(server) != server.words]
    for server in found:
        if server.url and options.what == WRAP:
            print(
                f"{visible(server.name)} is at an address; have {options.client} start:"
                f" {_by_hand(server)}"
            )
    if not wanted:
        print("nothing to change")
    for path in dict.fromkeys(server.path for server in wanted):
        _in_file(path, [server for server in wanted if server.path == path], settings, options)
    if wanted and not options.dry_run:
        print(
            "sessions that run already may have to be restarted; check it with: interlock doctor"
            f" {options.client}"
        )
    return 0


def _select_servers(settings: Settings, options: Namespace) -> list[ServerEntry]:
    """Return the servers that are meant; raises ``SettingsError`` for a file that cannot be read
    and a name that is not there.
    """
    own = options.project is None
    found = []
    for server in servers.list_servers(settings, options.project or ".", own=own, shared=not own):
        if isinstance(server, SettingsError):
            raise server
        found.append(server)
    missing = [name for name in options.server if name not in [server.name for server in found]]
    if missing:
        raise SettingsError(
            f"{options.client} starts no server {missing[0]!r} here; see: interlock servers list"
            f" {options.client}"
        )
    return [server for server in found if not options.server or server.name in options.server]


def _by_hand(server: ServerEntry) -> str:
    return f"interlock mcp --server {visible(server.name)} --url {visible(server.url)}"


def _in_file(path: str, wanted: list[ServerEntry], settings: Settings, options: Namespace) -> None:
    """Change the servers of one file: JSON here, TOML by the client's own program."""
    how = _HOW[options.what]
    if path.endswith(".toml"):
        _in_toml(wanted, settings, options)
    else:
        before = install.content(path)
        change = Change(path, before, servers.rewrite_servers(before, wanted, how))
        backup = "" if options.dry_run else change.make()
        sys.stdout.write(change.diff() if options.dry_run else "")
        if backup:
            print(f"the file as it was: {backup}")
    said = "would be" if options.dry_run else "is now"
    for server in wanted:
        print(
            f"{visible(server.name)} {said}"
            f" {'behind interlock mcp' if options.what == WRAP else 'started without interlock'}"
            f" ({path})"
        )


def _in_toml(wanted: list[ServerEntry], settings: Settings, options: Namespace) -> None:
    """Have the client's own program write the words, which leaves the user's comments alone; raises
    ``SettingsError`` or ``TrustError``.
    """
    if options.project is not None:
        raise SettingsError(
            f"{wanted[0].path}: {settings.program} writes only its user's own settings; change this"
            " file by hand (docs/mcp.md)"
        )
    values: dict[str, object] = {}
    for server in wanted:
        table = ".".join(json.dumps(key) for key in (*server.keys, server.name))
        words = _HOW[options.what](server)
        values |= {f"{table}.command": words[0], f"{table}.args": list(words[1:])}
    if not options.dry_run:
        trust.configure(settings, os.getcwd(), values)
