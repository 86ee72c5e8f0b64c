"""``interlock statusline``: one line for an agent's status bar: whether the guard is on, and what
it did in this session.

Claude Code writes what it knows of the session to standard input and shows the first line of the
answer; `interlock statusline --setup` prints what goes into its settings. It reads the record and
changes nothing, and always ends with 0: a status bar is no place for an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping

from interlock.audit.query import Counts, count_calls
from interlock.cli import build
from interlock.cli.colors import Painter, visible
from interlock.doctor import settings_check
from interlock.doctor.client_packages import has_package
from interlock.integrations.clients import adapter_of
from interlock.stop.flags import read_flags

NAME = "statusline"
SUMMARY = "print one line for an agent's status bar"
CLIENT = "claude-code"
LIMIT = 1 << 20
SETUP = """\
Put this into the settings of Claude Code (~/.claude/settings.json):

  "statusLine": {"type": "command", "command": "interlock statusline"}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the help."""
    parser.add_argument(
        "--setup", action="store_true", help="print what goes into the agent's settings"
    )


def run(options: argparse.Namespace) -> int:
    """Print the line."""
    if options.setup:
        print(SETUP)
        return 0
    told = _read_session()
    folder = told.get("cwd")
    paint = Painter(sys.stdout, colour=True)
    print(
        paint("interlock:", "bold")
        + " "
        + " · ".join(_parts(str(told.get("session_id", "")), str(folder or os.getcwd()), paint))
    )
    return 0


def _read_session() -> Mapping[str, object]:
    """Return what the agent says of its session; nothing where it says nothing that can be read."""
    if sys.stdin.isatty():
        return {}
    try:
        told = json.loads(sys.stdin.read(LIMIT) or "{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _parts(session: str, folder: str, paint: Painter) -> Iterator[str]:
    """Yield what is to be said, the gravest first."""
    settings = adapter_of(CLIENT).SETTINGS
    found, _ = settings_check.entries(settings_check.files(settings, folder), settings, CLIENT)
    if not found and not has_package(CLIENT):
        yield paint("off, no hook is installed; run interlock init", "red")
        return
    try:
        store = build.store(os.environ)
        stopped = [
            flag.scope
            for flag in read_flags(store.folder)
            if flag.scope in ("all", f"session:{session}")
        ]
        counts = count_calls(store, session) if session else Counts()
    except build.StoreError as problem:
        yield paint(f"on, but its record cannot be read: {visible(str(problem))[:60]}", "amber")
        return
    yield (
        paint("stopped; interlock resume lets it go on", "red") if stopped else paint("on", "green")
    )
    for number, word, colour in (
        (counts.answered, "answered", ""),
        (counts.asked, "asked", "amber"),
        (counts.refused, "refused", "red"),
    ):
        if number:
            yield paint(f"{number} {word}", colour) if colour else f"{number} {word}"
