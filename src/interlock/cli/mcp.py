"""``interlock mcp -- COMMAND...``: proxy an MCP server and check every call of its client.

In a client's configuration the server's command goes behind ``--``: ``"command": "interlock",
"args": ["mcp", "--server", NAME, "--", "npx", ...]``. A refusal is a result that the model reads; a
question goes to the person through the client, where it can ask, and else to `interlock approve`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence

from interlock.cli import build
from interlock.cli.colors import complain
from interlock.cli.folders import folder
from interlock.mcp import stdio
from interlock.mcp.elicitation import OpenQuestions
from interlock.mcp.judge import ServerJudge, plain
from interlock.mcp.relay import Relay
from interlock.mcp.tool_lists import Listing
from interlock.model.call import OTHER, ToolCall

NAME = "mcp"
SUMMARY = "proxy an MCP server and check every call"
RUNNERS = frozenset(
    "npx bunx pnpm yarn uvx uv pipx python python3 node deno docker podman run exec dlx x -y -q"
    " --yes -i --rm -m tool".split()
)
"""Words of a command line that start a server and do not name it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the server, and what is known of it."""
    parser.add_argument(
        "--server",
        default="",
        metavar="NAME",
        help="what the client calls this server (default: taken from its command or address)",
    )
    parser.add_argument(
        "--folder",
        type=folder,
        default=".",
        metavar="DIR",
        help="the folder the agent works in (default: this one)",
    )
    parser.add_argument(
        "--url",
        default="",
        metavar="URL",
        help="a server behind an address (streamable HTTP) instead of a command",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="with --url: a header for it; ${VARIABLE} stands for one's value",
    )
    parser.add_argument(
        "--listen",
        default="",
        metavar="HOST:PORT",
        help="with --url: listen there for clients, instead of standard input",
    )
    parser.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND",
        help="the server's command and its arguments, behind --",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends. 0 done, 1 the server failed, 2 wrong usage."""
    try:
        return (
            _at_address(_check_options(options))
            if options.url
            else _command(_check_options(options))
        )
    except UsageError as error:
        complain(f"interlock mcp: {error}\n")
        return 2


def _check_options(options: argparse.Namespace) -> argparse.Namespace:
    if bool(options.command) == bool(options.url):
        raise UsageError(
            "name the server's command behind --, or its address by --url: interlock mcp --server"
            " fs -- npx SERVER DIR"
        )
    if (options.listen or options.header) and not options.url:
        raise UsageError("--listen and --header are for a server behind an address (--url)")
    return options


class UsageError(ValueError):
    """The command line does not say what to do; the text is one sentence."""


def _command(options: argparse.Namespace) -> int:
    name = plain(options.server or name_of(options.command))
    program = shutil.which(options.command[0])
    if program is None:
        return _refuse(
            f"the server {name} could not be started: there is no program {options.command[0]!r}"
        )
    judge, listing, tell = prepare_judge(name, "\0".join(options.command), options.folder)
    try:
        server = stdio.start([program, *options.command[1:]])
    except OSError as error:
        return _refuse(f"the server {name} could not be started: {error.strerror}")
    return stdio.serve(stdio.LockedRelay(Relay(judge, listing(), tell), tell), server)


def _at_address(options: argparse.Namespace) -> int:
    from interlock.mcp.http_server_link import Upstream

    try:
        upstream = Upstream(options.url, headers_of(options.header, os.environ))
    except ValueError as error:
        raise UsageError(str(error)) from None
    name = plain(options.server or name_of([options.url.partition("?")[0]]))
    judge, listing, tell = prepare_judge(
        name, options.url, options.folder, shares=not options.listen
    )
    if not options.listen:
        from interlock.mcp.http_relay import HttpRelay

        return HttpRelay(
            stdio.LockedRelay(Relay(judge, listing(), tell), tell), upstream, tell
        ).serve()
    from interlock.mcp.gateway import Gateway, RelaySessions

    def opening(questions: OpenQuestions | None) -> Relay:
        return Relay(judge.again() if questions is None else judge, listing(), tell, questions)

    host, _, port = options.listen.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen takes HOST:PORT, not {options.listen!r}")
    try:
        gateway = Gateway((host or "127.0.0.1", int(port)), upstream, RelaySessions(opening, tell))
    except OSError as error:
        raise UsageError(
            f"it is not possible to listen at {options.listen}: {error.strerror}"
        ) from None
    tell(f"listening at http://{host or '127.0.0.1'}:{gateway.server_port}/")
    with gateway:
        gateway.serve_forever()
    return 0


def headers_of(given: Sequence[str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return headers by name, variables filled in, so that no token has to stand on a command line;
    raises ``ValueError``.
    """
    found = {}
    for line in given:
        name, colon, text = line.partition(":")
        first, *rest = text.split("${")
        value = first
        for piece in rest:
            variable, end, after = piece.partition("}")
            if end and variable not in variables:
                raise ValueError(f"the variable {variable} of the header {name} is not set")
            value += variables[variable] + after if end else "${" + piece
        value = value.strip()
        if (
            not colon
            or not name.strip()
            or not (name + value).isascii()
            or not (name + value).isprintable()
        ):
            raise ValueError(f"a header is written 'NAME: VALUE' in ASCII, not {name[:40]!r}")
        found[name.strip()] = value
    return found


def _refuse(why: str) -> int:
    complain(f"interlock mcp: {why}\n")
    stdio.refuse(why)
    return 1


def name_of(command: Sequence[str]) -> str:
    """Return a name for a server by its command: the package or program, no version or folder."""
    word = next(
        (
            word
            for word in command
            if os.path.basename(word) not in RUNNERS and not word.startswith("-")
        ),
        command[0],
    )
    return (
        word.rstrip("/")
        .rpartition("/")[2]
        .partition("@")[0]
        .removesuffix(".py")
        .removesuffix(".js")
        or "server"
    )


def prepare_judge(
    name: str,
    told: str,
    folder: str = "",
    variables: Mapping[str, str] = os.environ,
    *,
    shares: bool = True,
) -> tuple[ServerJudge, Callable[[], Listing], Callable[[str], None]]:
    """Return what judges one server with the real guard, what makes the lists of a connection, and
    what warnings are told to.

    ``told``: the command or address; ``shares``: the client started this process, so its hook may
    have decided on a call already.
    """
    where = os.path.abspath(folder or os.getcwd())
    guard = build.guard(variables, folder=where)
    tell = _telling(name)
    store = guard.store or build.store(variables)
    judge = ServerJudge(
        guard,
        name,
        where,
        build.sharing(store) if shares else None,
        lambda session: build.policy(variables, where, session),
    )
    for notice in (
        guard.began(ToolCall(OTHER, "session", {}, cwd=where, session=judge.session, agent="mcp"))
        if shares
        else ()
    ):
        tell(notice)
    return judge, lambda: Listing(build.pins(store, name, told), tell), tell


def _telling(name: str) -> Callable[[str], None]:
    def tell(text: str) -> None:
        complain(f"interlock mcp ({name}): {text}\n")
        sys.stderr.flush()

    return tell
