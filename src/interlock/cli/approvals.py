"""``interlock approvals [list|watch|token]``: the calls that wait for a person.

`watch` shows them live and takes y and n for the one that is marked; `token` makes the word by
which you prove, where no terminal can be told, that you are no agent.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError
from interlock.approvals.requests import ApprovalRequest
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain
from interlock.cli.request_view import render_request
from interlock.model.codec import encode
from interlock.store.database import Store

NAME = "approvals"
SUMMARY = "show requests that wait for your approval"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done."""
    _add_forms(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    parser.set_defaults(action="list")
    _add_forms(actions.add_parser("list", help="show the requests that wait"), argparse.SUPPRESS)
    watched = actions.add_parser("watch", help="show them live, and answer with one key")
    person_check.add_token(watched)
    actions.add_parser("token", help="make your token, once, at a terminal")


def _add_forms(parser: argparse.ArgumentParser, default: object = False) -> None:
    """Declare what is listed and how; ``default``: where the command above has said it already."""
    parser.add_argument(
        "--all", action="store_true", default=default, help="answered and expired ones too"
    )
    parser.add_argument("--json", action="store_true", default=default, help="print JSON lines")


def run(options: argparse.Namespace) -> int:
    """List, watch or make a token. 0 done, 1 refused."""
    try:
        store = build.store(os.environ)
        if options.action == "list":
            found = answers.list_requests(store, every=options.all)
            build.tell(store)
            return _list(found, plain=options.json)
        if options.action == "token":
            print("\n".join(person_check.token_lines(store)))
            return 0
        person_check.needs_person(store, given=options.token)
        return _watch(store)
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock approvals: {problem}\n")
        return 1


def _watch(store: Store) -> int:
    try:
        from interlock.cli import approvals_watch
    except ImportError:
        raise AnswerError(
            "the live view needs a terminal of Unix: use `interlock approvals list` and `interlock"
            " approve ID`"
        ) from None
    return approvals_watch.watch(store)


def _list(found: list[ApprovalRequest], *, plain: bool) -> int:
    paint = Painter(sys.stdout)
    if not found and not plain:
        print("nothing waits for an answer")
    for request in reversed(found):
        if plain:
            print(json.dumps(encode(request)))
        else:
            print("\n".join(render_request(request, paint)))
    return 0
