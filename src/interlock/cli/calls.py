"""The call that a command line describes: a shell command, or ``--tool`` with ``--input``."""

from __future__ import annotations

import argparse
import json
import os
import sys

from interlock.cli.build import home_folder
from interlock.guard.workspace import may_be_root
from interlock.integrations.claude_code import tool_of
from interlock.model.call import OTHER, SHELL, TOOLS, ToolCall
from interlock.shell.quoting import quote

NAMES = {"sh": "Bash", "powershell": "PowerShell", "cmd": "cmd"}
"""Who may read a command, and what a client calls such a tool."""
WINDOWS_SHELLS = ("powershell", "cmd")
MAX_INPUT = 8 * 1024 * 1024


class InputError(ValueError):
    """What the person gave cannot be a call; the message says what was expected."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how a call is given."""
    parser.add_argument(
        "--tool",
        metavar="NAME",
        help=(
            "the tool instead of a shell command: Write, Edit, Read, WebFetch,"
            " mcp__server__tool ..."
        ),
    )
    parser.add_argument(
        "--input", metavar="JSON", help="the tool's input, as the agent would send it"
    )
    parser.add_argument(
        "--cwd",
        default=None,
        metavar="FOLDER",
        help="the folder the call is made in (default: this one)",
    )
    parser.add_argument(
        "--root", default=None, metavar="FOLDER", help="the workspace (default: the folder)"
    )
    parser.add_argument(
        "--shell",
        choices=tuple(NAMES),
        default="",
        help="the shell that reads the command (default: sh)",
    )
    parser.add_argument(
        "--platform",
        choices=("linux", "darwin", "windows"),
        default=None,
        help="how paths are read (default: linux; windows for powershell and cmd)",
    )
    parser.add_argument(
        "--prompt",
        action="append",
        default=[],
        metavar="WORDS",
        help="what the person said before; once for each prompt",
    )
    parser.set_defaults(words=True)
    parser.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND",
        help="the shell command; read from standard input if missing",
    )


def call_of(options: argparse.Namespace) -> ToolCall:
    """Return the call, with what the person asked for if given; raises ``InputError``."""
    call = _call(options)
    if not options.prompt:
        return call
    from interlock.intent.classify import classify  # only prompts need the table of cues
    from interlock.intent.prompt_history import after
    from interlock.intent.request import SessionIntent

    stood = SessionIntent()
    for words in options.prompt:
        stood = after(stood, classify(words))
    return call.replace(intent=stood.intent, scope=stood.scope)


def _call(options: argparse.Namespace) -> ToolCall:
    cwd = _folder(options.cwd or os.getcwd(), "--cwd")
    root = _folder(options.root or cwd, "--root")
    platform = options.platform or ("windows" if options.shell in WINDOWS_SHELLS else "linux")
    around = ToolCall(
        OTHER, "", {}, cwd, (root,), platform, session="cli", agent="cli", shell=options.shell
    )
    if not may_be_root(root, home_folder(os.environ)):
        around = around.replace(roots=())
    if options.tool is None:
        return around.replace(
            tool=SHELL, name=NAMES.get(options.shell, "Bash"), input={"command": _command(options)}
        )
    if options.shell:
        raise InputError("--shell says who reads a command; a tool's input needs none")
    tool = options.tool if options.tool in TOOLS else tool_of(options.tool)
    return around.replace(tool=tool, name=options.tool, input=_input(options))


def _folder(path: str, option: str) -> str:
    """Return a folder's absolute path; one of Windows stays as it is."""
    if path[1:2] == ":" or path.startswith("\\\\"):
        return path
    if not os.path.isdir(path):
        raise InputError(f"{option} is {path!r}, which is no folder here")
    return os.path.abspath(path)


def _command(options: argparse.Namespace) -> str:
    if options.input is not None:
        raise InputError("--input goes with --tool; a shell command is written as it is")
    words = options.command
    if not words:
        if sys.stdin.isatty():
            raise InputError("expected a command, for example: interlock check rm -rf build")
        text = sys.stdin.read(MAX_INPUT + 1)
        if len(text) > MAX_INPUT:
            raise InputError("the command on standard input is longer than 8 MiB")
        if not text.strip():
            raise InputError("expected a command, and there is none on standard input either")
        return text
    if not any(word.strip() for word in words):
        raise InputError("the command is empty; for example: interlock check rm -rf build")
    return (
        str(words[0])
        if len(words) == 1
        else " ".join([quote_word(word, options.shell) for word in words])
    )


def quote_word(word: str, shell: str = "") -> str:
    """Quote a word that a shell has taken apart, so that it is read as one word again."""
    if shell in WINDOWS_SHELLS:
        mark, odd = ("'", " ") if shell == "powershell" else ('"', ' "&|<>^()')
        return (
            mark + word.replace(mark, mark * 2) + mark
            if any(char in odd for char in word) or not word
            else word
        )
    return word if word[:1] == "~" and quote(word[1:]) == word[1:] else quote(word)


def _input(options: argparse.Namespace) -> dict[str, object]:
    text = (
        options.input
        if options.input is not None
        else (sys.stdin.read(MAX_INPUT) if not sys.stdin.isatty() else "")
    )
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise InputError(
            f'--input is no JSON ({problem}); expected an object such as \'{{"file_path":'
            ' "a.txt"}\''
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            f'--input is a JSON {type(found).__name__}; expected an object such as \'{{"file_path":'
            ' "a.txt"}\''
        )
    return found
