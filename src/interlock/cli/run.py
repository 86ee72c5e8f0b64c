"""``interlock run -- COMMAND``: run a command in a sandbox, judged first as an agent's tool call
is.

Nothing inside a command asks, so what would be asked about is asked before it starts, or it does
not start. An agent client (`claude`, `codex`, `gemini`, `opencode`) runs whole, at the terminal,
with what it needs itself. Without walls nothing runs, unless `--require none` says so. Exit codes
as for `interlock code`.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.cli import run_options
from interlock.cli.calls import quote_word
from interlock.cli.colors import complain
from interlock.codemode import clients
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import KERNEL
from interlock.integrations.protocol import PLATFORM
from interlock.model.call import SHELL, ToolCall
from interlock.policy.problem import PolicyError
from interlock.sandbox.bounds import Bounds

NAME = "run"
SUMMARY = "run a command in a sandbox"
BAD_INPUT = 2
MAX_STDIN = 64 << 20
FOREVER = float("inf")
AGENT = Bounds(FOREVER, memory=-1, processes=1024, file_size=4 << 30)
"""A session lasts as long as its person wants; runtimes reserve more memory than there is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command and what it may do."""
    parser.set_defaults(words=True)
    parser.add_argument(
        "command",
        nargs="+",
        metavar="COMMAND",
        help="the command; one word is a line for the shell",
    )
    run_options.add_arguments(parser)


def _add_hosts(name: str, allowed: RunPermissions) -> RunPermissions:
    """Return what is allowed, with the hosts of a client."""
    hosts = clients.hosts(clients.CLIENTS[name], os.environ)
    return allowed.replace(allow_hosts=(*allowed.allow_hosts, *hosts))


def run(options: argparse.Namespace) -> int:
    """Run it; the exit code is the command's own."""
    words = options.command
    shell = "cmd" if sys.platform == "win32" else ""
    text = words[0] if len(words) == 1 else " ".join([quote_word(word, shell) for word in words])
    client, whole = clients.match_client(words) if sys.platform == "linux" else ("", words)
    try:
        allowed, notices = run_options.permits(options)
        if client:
            allowed = _add_hosts(client, allowed)
        made = ToolCall(
            SHELL,
            shell or "bash",
            {"command": client or text},
            os.getcwd(),
            (),
            PLATFORM,
            f"run-{os.getpid()}",
            "run",
            shell=shell,
        )
        call = run_options.place_call(made, options.root, allowed)
        require = {None: KERNEL, "none": ""}.get(options.require, options.require)
        scene = run_options.scene(call, allowed, options, require)
    except (OSError, ValueError, PolicyError) as problem:
        complain(f"interlock run: {run_options.sentence(problem)}\n")
        return BAD_INPUT
    if client:
        from interlock.codemode.client import run_client  # other commands need none of it

        scene.bounds = AGENT.replace(seconds=scene.bounds.seconds if options.seconds else FOREVER)
        result = run_client(client, whole, scene)
        run_options.show(result.replace(notices=(*notices, *result.notices)), plain=options.json)
        return run_options.code_of(result)
    from interlock.codemode.command import run_command  # as above

    result = run_command(
        text, scene, b"" if sys.stdin.isatty() else sys.stdin.buffer.read(MAX_STDIN)
    )
    run_options.show(result.replace(notices=(*notices, *result.notices)), plain=options.json)
    return run_options.code_of(result)
