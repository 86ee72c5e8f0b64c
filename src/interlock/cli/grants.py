"""``interlock grants [list|revoke]``: what runs without a question because a person granted it for
a session or a project.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from interlock.approvals import answers, screen
from interlock.approvals.answers import AnswerError
from interlock.approvals.grant_scope import EVERYWHERE
from interlock.approvals.service import Grant
from interlock.approvals.user import me
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain
from interlock.model.codec import encode

NAME = "grants"
SUMMARY = "show or revoke standing approvals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two things that can be done."""
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    parser.set_defaults(action="list")
    shown = actions.add_parser("list", help="show the grants that count")
    shown.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON lines"
    )
    taken = actions.add_parser("revoke", help="revoke a grant")
    taken.add_argument("id", metavar="ID", help="the grant; its first characters are enough")
    person_check.add_token(taken)


def run(options: argparse.Namespace) -> int:
    """List or revoke. 0 done, 1 refused."""
    try:
        store = build.store(os.environ)
        if options.action == "list":
            found = answers.grants(store)
            build.tell(store)
            return _list(found, plain=options.json)
        person_check.needs_person(store, given=options.token)
        grant = answers.revoke(store, options.id, me())
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock grants: {problem}\n")
        return 1
    print(f"revoked {grant.id}")
    return 0


def _list(found: list[Grant], *, plain: bool) -> int:
    paint = Painter(sys.stdout)
    if not found and not plain:
        print("no standing approvals")
    for grant in found:
        if plain:
            print(json.dumps(encode(grant)))
            continue
        if grant.owner == EVERYWHERE:
            print(
                f"{paint(grant.id, 'bold')}  questions are paused for"
                f" {screen.format_time_left(grant.expires - time.time())}"
                f"  by {screen.sanitize_line(grant.by)}"
            )
            continue
        whose = f"session {grant.owner}" if grant.scope == "session" else f"project {grant.owner}"
        print(
            f"{paint(grant.id, 'bold')}  {screen.sanitize_line(whose)}  {grant.uses} times, for"
            f" {screen.format_time_left(grant.expires - time.time())}  by {grant.by}"
        )
        for cover in grant.covers:
            print(f"    {screen.sanitize_line(cover.told())}")
    return 0
