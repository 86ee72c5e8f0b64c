"""``interlock log``: the last decisions, newest last, with filters."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from interlock.audit.query import Filter, last
from interlock.cli import build
from interlock.cli.paint import VERDICTS, Painter, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

NAME = "log"
SUMMARY = "show the last decisions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the filters."""
    parser.add_argument("--session", default="", help="only this session")
    parser.add_argument("--verdict", default="", choices=("allow", "ask", "deny"), help="only this verdict")
    parser.add_argument("--rule", default="", help="only decisions in which this rule spoke")
    parser.add_argument("--since", default="", metavar="TIME", help="only from this UTC time on, such as 2026-01-31 or 2026-01-31T09:00")
    parser.add_argument("-n", "--limit", type=int, default=20, help="how many at most (default 20)")
    parser.add_argument("--json", action="store_true", help="print whole rows as JSON lines")


def run(options: argparse.Namespace) -> int:
    """Print the rows."""
    wanted = Filter(options.session, options.verdict, options.rule, options.since, options.limit)
    try:
        rows = last(build.store(os.environ), wanted)
    except build.StoreError as problem:
        sys.stderr.write(f"interlock log: {problem}\n")
        return 1
    if not rows and not options.json:
        print("no decisions yet" if wanted == Filter() else "no decision fits")
    paint = Painter(sys.stdout)
    for row in reversed(rows):
        print(json.dumps(row) if options.json else _line(row, paint))
    return 0


def _line(row: Mapping[str, object], paint: Painter) -> str:
    verdict = str(row["verdict"])
    colour, mark, _ = VERDICTS[verdict]
    time = str(row["timestamp"])[:19].replace("T", " ")
    what = _subject(str(row["parameters"] or ""))
    rule = paint(f"  {row['rule_id']}", "grey") if row["rule_id"] else ""
    return f"{paint(time, 'grey')}  {paint(mark + ' ' + verdict.ljust(5), colour)}  {str(row['action']).ljust(9)} {visible(what)}{rule}"


def _subject(parameters: str) -> str:
    """Return what the call was about: its command, path or URL."""
    try:
        given = json.loads(parameters)
    except ValueError:
        return parameters[:80]
    if not isinstance(given, dict):
        return parameters[:80]
    for key in ("command", "file_path", "path", "url", "pattern"):
        if isinstance(given.get(key), str):
            text = " ".join(given[key].split())
            return text if len(text) <= 80 else text[:79] + "…"
    return parameters[:80]
