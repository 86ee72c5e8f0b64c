"""``interlock code FILE``: run a program that an agent wrote in a sandbox, and judge each of its
sensitive operations.

Unless told otherwise it may read what is no secret, change the workspace and temporary files, start
nothing and reach no host. Exit codes: the program's own; 124 out of time, 126 refused before it
started, 128 and the number of a signal, 2 bad usage.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.cli import run_options
from interlock.cli.colors import complain
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import ENDINGS, GO, LANGUAGES, PYTHON, RunContext
from interlock.integrations.protocol import PLATFORM
from interlock.model.call import OTHER, ToolCall
from interlock.model.call import PYTHON as PYTHON_TOOL
from interlock.policy.problem import PolicyError

NAME = "code"
SUMMARY = "run an agent-written program in a sandbox"
BAD_INPUT = 2
MAX_SOURCE = 8 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the program and what it may do."""
    parser.add_argument("file", metavar="FILE", help="the program; `-` for standard input")
    parser.add_argument(
        "arguments", nargs="*", metavar="ARGUMENT", help="after `--`: the program's own arguments"
    )
    parser.add_argument(
        "--language",
        choices=LANGUAGES,
        help="what it is written in (default: as the file's name ends)",
    )
    parser.add_argument(
        "--python", metavar="PATH", help="the interpreter (default: the one of interlock)"
    )
    run_options.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run it; the exit code is the program's own."""
    try:
        source, name = _source(options.file)
        language = _language(options)
        allowed, notices = run_options.permits(options)
        scene = _scene(_call(source, language), allowed, options)
    except (OSError, ValueError, PolicyError) as problem:
        complain(f"interlock code: {run_options.sentence(problem)}\n")
        return BAD_INPUT
    from interlock.codemode.run import run as run_program  # other commands need none of it

    while True:
        result = run_program(source, language, scene, tuple(options.arguments), name)
        run_options.show(result.replace(notices=(*notices, *result.notices)), plain=options.json)
        wider = run_options.again(result, allowed, options)
        if wider is None:
            return run_options.code_of(result)
        allowed, scene = wider, _scene(_call(source, language), wider, options)


def _scene(call: ToolCall, allowed: RunPermissions, options: argparse.Namespace) -> RunContext:
    """Return where the program runs; raises as ``permitted.scene``."""
    require = {None: "", "none": ""}.get(options.require, options.require)
    scene = run_options.scene(
        run_options.place_call(call, options.root, allowed), allowed, options, require
    )
    scene.python = options.python or ""
    scene.report = lambda said: complain(f"interlock code: {said}\n")
    return scene


def _source(file: str) -> tuple[str, str]:
    """Return a program's text and its absolute path, ``""`` where it came on standard input; raises
    ``OSError`` or ``ValueError``.
    """
    if file == "-":
        text = sys.stdin.buffer.read(MAX_SOURCE + 1)
    else:
        with open(file, "rb") as opened:
            text = opened.read(MAX_SOURCE + 1)
    if len(text) > MAX_SOURCE:
        raise ValueError(f"{file}: a program has at most {MAX_SOURCE >> 20} MiB")
    return text.decode("utf-8"), "" if file == "-" else os.path.realpath(file)


def _language(options: argparse.Namespace) -> str:
    """Return what a program is written in; raises ``ValueError``."""
    found: str = options.language or ENDINGS.get(
        os.path.splitext(options.file)[1], PYTHON if options.file == "-" else ""
    )
    if not found:
        raise ValueError(
            f"{options.file}: expected a name that ends in {' or '.join(ENDINGS)}, or --language"
        )
    return found


def _call(source: str, language: str) -> ToolCall:
    tool = OTHER if language == GO else PYTHON_TOOL
    return ToolCall(
        tool,
        f"execute_{language}",
        {"code": source},
        os.getcwd(),
        (),
        PLATFORM,
        f"code-{os.getpid()}",
        "code",
    )
