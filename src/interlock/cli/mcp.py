"""``interlock mcp -- COMMAND...``: stand before an MCP server and judge what its client calls there.

In a client's configuration the server's command goes behind ``--``: ``"command": "interlock", "args": ["mcp", "--server", NAME, "--", "npx", ...]``.
A refusal is a result that the model reads; a question goes to the person through the client, where it can ask, and else to `interlock approve`.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from interlock.cli import build
from interlock.mcp import stdio
from interlock.mcp.judge import Judge, plain
from interlock.mcp.listing import Listing
from interlock.mcp.relay import Relay
from interlock.model.call import ToolCall

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence


NAME = "mcp"
SUMMARY = "stand before an MCP server and judge what is called there"
RUNNERS = frozenset("npx bunx pnpm yarn uvx uv pipx python python3 node deno docker podman run exec dlx x -y -q --yes -i --rm -m tool".split())
"""Words of a command line that start a server and do not name it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the server, and what is known of it."""
    parser.add_argument("--server", default="", metavar="NAME", help="what the client calls this server (default: taken from its command or address)")
    parser.add_argument("--folder", default="", metavar="DIR", help="the folder the agent works in (default: this one)")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the server's command and its arguments, behind --")


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends. 0 done, 1 the server failed, 2 wrong usage."""
    if not options.command:
        sys.stderr.write("interlock mcp: name the server's command behind --, for example: interlock mcp --server fs -- npx SERVER DIR\n")
        return 2
    name = plain(options.server or name_of(options.command))
    program = shutil.which(options.command[0])
    if program is None:
        why = f"the server {name} could not be started: there is no program {options.command[0]!r}"
        return _refuse(why)
    relay, tell = opened(name, "\0".join(options.command), options.folder)
    try:
        server = stdio.start([program, *options.command[1:]])
    except OSError as error:
        return _refuse(f"the server {name} could not be started: {error.strerror}")
    return stdio.serve(stdio.Turns(relay, tell), server)


def _refuse(why: str) -> int:
    sys.stderr.write(f"interlock mcp: {why}\n")
    stdio.refuse(why)
    return 1


def name_of(command: Sequence[str]) -> str:
    """Return a name for a server by its command: the package or program, without versions and folders."""
    word = next((word for word in command if os.path.basename(word) not in RUNNERS and not word.startswith("-")), command[0])
    return word.rstrip("/").rpartition("/")[2].partition("@")[0].removesuffix(".py").removesuffix(".js") or "server"


def opened(name: str, told: str, folder: str, variables: Mapping[str, str] = os.environ) -> tuple[Relay, Callable[[str], None]]:
    """Return the relay of one connection, with the real guard, and what it tells its warnings to."""
    where = os.path.abspath(folder or os.getcwd())
    guard = build.guard(variables, folder=where)
    tell = _telling(name)
    store = guard.store or build.store(variables)
    judge = Judge(guard, name, where, build.sharing(store), lambda session: build.policy(variables, where, session))
    for notice in guard.began(ToolCall("other", "session", {}, cwd=where, session=judge.session, agent="mcp")):
        tell(notice)
    return Relay(judge, Listing(build.pins(store, name, told), tell), tell), tell


def _telling(name: str) -> Callable[[str], None]:
    def tell(text: str) -> None:
        sys.stderr.write(f"interlock mcp ({name}): {text}\n")
        sys.stderr.flush()

    return tell
