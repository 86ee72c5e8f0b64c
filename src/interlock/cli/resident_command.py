"""A command that only looks, run in the resident guard for a process that asks
(``resident.command_relay``): what it prints is the answer.

There is an answer only where this process can tell what the other one would have done: it ran to
its end, wanted nothing of standard input or the person, and said nothing on standard error.
Everything else is done where it was asked for.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from interlock.cli import build, check
from interlock.cli.parsing import CliParser, make_parser, parse_options
from interlock.resident.message import HookRequest, HookResponse


class OutOfReachError(Exception):
    """Only the process that asks could go on here."""


class _NoStream:
    """Standard input of a process that has none of who asks."""

    def __getattr__(self, name: str) -> NoReturn:
        raise OutOfReachError(name)


def answer_command(request: HookRequest, send: Callable[[HookResponse], object]) -> None:
    """Run a command and send what came of it; nothing where it is to be run where it was asked
    for.
    """
    kept = io.BytesIO()
    try:
        told = [os.fsdecode(one) for one in request.body.split(b"\0")[:-1]]
        cwd, encoding, errors, *words = told
        said = io.TextIOWrapper(kept, encoding, errors)
        with _standing_in(cwd, said) as complaints:
            options = parse_options(_parser(), words)
            code = check.run(options)
            said.flush()
    except (Exception, SystemExit):  # noqa: BLE001 - whatever it is, the other process will say it
        return
    if code in check.EXIT_CODES.values() and not complaints.getvalue():
        send(HookResponse(code, kept.getvalue()))


def _parser() -> CliParser:
    return make_parser([check], _parser)


@contextlib.contextmanager
def _standing_in(cwd: str, said: io.TextIOWrapper) -> Iterator[io.StringIO]:
    """Work in a folder and print to ``said``, and nothing else; yields what standard error gets."""
    held, complaints = sys.stdin, io.StringIO()
    os.chdir(cwd)
    sys.stdin = _NoStream()
    build.take_compiled(only=True)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaints):
            yield complaints
    finally:
        build.take_compiled(only=False)
        sys.stdin = held
        os.chdir("/")
