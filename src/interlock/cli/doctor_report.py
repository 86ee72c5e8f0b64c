"""A page about an installation that a person can send to others: what `interlock doctor` saw, which
system and versions, how much was judged; no path of the home, no name, no secret, no command.
"""

from __future__ import annotations

import getpass
import locale
import os
import platform
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping

from interlock.audit import statistics
from interlock.cli import build
from interlock.doctor.report_row import ReportRow
from interlock.model.release import __version__

PROGRAMS = ("git", "bwrap", "sandbox-exec", "cc", "node", "tmux", "uv", "pipx", "docker")
"""Programs on which parts of interlock hang: whether they are there is said."""
WEEK = 7 * 86400
SHORT = 3
"""Letters of a name that is replaced, at least: a shorter one would be found in any word."""
QUESTIONS = """\
## What happened

(What did you do, what did you expect, what came instead? Commands as you would show them to
anybody.)
"""


def page(tables: Mapping[str, list[ReportRow]], project: str) -> Iterator[str]:
    """Yield the page, in Markdown. ``tables``: what the doctor saw, by client."""
    for line in (*_system(), *_guard(), *_rows(tables)):
        yield anonymise(line, project)
    yield QUESTIONS


def anonymise(text: str, project: str) -> str:
    """Return a text without what says who and where somebody is: the home is ``~``, the project
    ``PROJECT``, names of the user and the machine ``USER`` and ``HOST``; secrets are taken out as
    the audit does it.
    """
    home = os.path.expanduser("~")
    for path, word in ((project, "PROJECT"), (home, "~")):
        for one in sorted({path, os.path.realpath(path)}, key=len, reverse=True):
            if len(one) > 1:
                text = text.replace(one, word)
    for name, word in ((_user(), "USER"), (os.path.basename(home), "USER"), (_host(), "HOST")):
        if len(name) >= SHORT and name != "root":
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", word, text)
    try:
        return build.redact_text(build.store(os.environ), text)
    except build.StoreError:
        return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def _host() -> str:
    return platform.node().partition(".")[0]


def _system() -> Iterator[str]:
    there = [name for name in PROGRAMS if shutil.which(name)]
    version = platform.mac_ver()[0] or platform.release()
    shell = os.path.basename(os.environ.get("SHELL", ""))
    yield "# interlock report"
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    yield f"| interlock | {__version__} |"
    yield f"| Python | {platform.python_implementation()} {platform.python_version()} |"
    yield f"| system | {platform.system()} {version}, {platform.machine()} |"
    yield f"| SQLite | {sqlite3.sqlite_version} |"
    yield f"| shell, terminal | {shell or '-'}, {os.environ.get('TERM', '-')} |"
    yield f"| encoding | {locale.getpreferredencoding(do_setlocale=False)}, {sys.stdout.encoding} |"
    yield f"| programs | {', '.join(there) or '-'} |"


def _guard() -> Iterator[str]:
    """Say which policy holds, and how much was judged in a week; numbers alone."""
    held = build.policy(os.environ, os.getcwd())
    yield f"| policy | {held.profile}, {len(held.rules)} rules, proven: {held.proven} |"
    try:
        since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - WEEK))
        found = statistics.totals(build.store(os.environ), since, "9999")
    except build.StoreError as problem:
        yield f"| record | {problem} |"
        return
    yield (
        f"| last 7 days | {found.calls} calls, {found.asked} asked, {found.refused} refused,"
        f" {found.proven} proven, {found.kept} checkpoints |"
    )


def _rows(tables: Mapping[str, list[ReportRow]]) -> Iterator[str]:
    for client, rows in tables.items():
        yield ""
        yield f"## {client}"
        yield ""
        yield "| | looked at | seen |"
        yield "| --- | --- | --- |"
        for row in rows:
            yield f"| {row.colour} | {row.what} | {row.seen.replace('|', '/')} |"
    yield ""
