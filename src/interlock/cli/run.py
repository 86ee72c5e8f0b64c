"""``interlock run -- COMMAND``: run a command in a sandbox, judged first as an agent's tool call
is.

Nothing inside a command asks, so what would be asked about is asked before it starts, or it does
not start. Without walls nothing runs, unless `--require none` says so. Exit codes as for `interlock
code`.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.cli import permitted
from interlock.cli.calls import quoted
from interlock.cli.paint import complain
from interlock.codemode.program import KERNEL
from interlock.integrations.protocol import PLATFORM
from interlock.model.call import SHELL, ToolCall
from interlock.policy.problem import PolicyError

NAME = "run"
SUMMARY = "run a command in a sandbox"
BAD_INPUT = 2
MAX_STDIN = 64 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command and what it may do."""
    parser.set_defaults(words=True)
    parser.add_argument(
        "command",
        nargs="+",
        metavar="COMMAND",
        help="the command; one word is a line for the shell",
    )
    permitted.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run it; the exit code is the command's own."""
    words = options.command
    shell = "cmd" if sys.platform == "win32" else ""
    text = words[0] if len(words) == 1 else " ".join([quoted(word, shell) for word in words])
    try:
        allowed, notices = permitted.permits(options)
        made = ToolCall(
            SHELL,
            shell or "bash",
            {"command": text},
            os.getcwd(),
            (),
            PLATFORM,
            f"run-{os.getpid()}",
            "run",
            shell=shell,
        )
        call = permitted.placed(made, options.root, allowed)
        require = {None: KERNEL, "none": ""}.get(options.require, options.require)
        scene = permitted.scene(call, allowed, options, require)
    except (OSError, ValueError, PolicyError) as problem:
        complain(f"interlock run: {permitted.sentence(problem)}\n")
        return BAD_INPUT
    from interlock.codemode.command import run_command  # other commands need none of it

    result = run_command(
        text, scene, b"" if sys.stdin.isatty() else sys.stdin.buffer.read(MAX_STDIN)
    )
    permitted.show(result.replace(notices=(*notices, *result.notices)), plain=options.json)
    return permitted.code_of(result)
