"""``interlock deny ID``: say no to a call that an agent asked for, or revoke an approval that was
not used yet.
"""

from __future__ import annotations

import argparse
import os

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError
from interlock.approvals.user import me
from interlock.cli import build, person_check
from interlock.cli.colors import complain

NAME = "deny"
SUMMARY = "deny an agent's request"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request and the reason."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="the request, as `interlock approvals list` shows it; its first characters are enough",
    )
    parser.add_argument("--reason", default="", help="why, for the audit")
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Deny. 0 done, 1 refused."""
    try:
        store = build.store(os.environ)
        person_check.needs_person(store, given=options.token)
        request = answers.deny(store, options.id, me(), build.redact_text(store, options.reason))
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock deny: {problem}\n")
        return 1
    print(f"refused {request.id}")
    return 0
