"""``interlock approve ID``: say yes to a call that an agent asked for.

Once: the very same call runs once. For the session or the project: its effects on the same target run without a question, so often and so long as
the policy says. For people only: it refuses what an agent started.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from interlock.approvals import answers, screen
from interlock.approvals.answers import Answer, AnswerError
from interlock.approvals.asked import Asked
from interlock.approvals.covers import SCOPES
from interlock.approvals.person import me
from interlock.cli import build, sitting
from interlock.cli.paint import Painter
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    import argparse

    from interlock.approvals.answers import Said

NAME = "approve"
SUMMARY = "say yes to a call that an agent asked for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request, and how far the yes goes."""
    parser.add_argument("id", metavar="ID", help="the request, as `interlock approvals list` shows it; its first characters are enough")
    parser.add_argument("--for", dest="scope", choices=SCOPES, default="once", help="how long it counts (default: this very call, once)")
    parser.add_argument("--below", default="", metavar="FOLDER", help="with a session or project: all below this folder, not only the one path")
    parser.add_argument("--as", dest="role", default="", metavar="ROLE", help="the role in which you approve (default: every role that you hold)")
    sitting.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Approve. 0 done, 1 refused."""
    answer = Answer(me(), options.role, options.scope, os.path.abspath(options.below) if options.below else "")
    try:
        store = build.store(os.environ)
        sitting.needs_person(store, given=options.token)
        said = answers.approve(store, options.id, answer, builtin())
    except (AnswerError, build.StoreError) as problem:
        sys.stderr.write(f"interlock approve: {problem}\n")
        return 1
    _tell(said)
    return 0


def _tell(said: Said) -> None:
    paint = Painter(sys.stdout)
    request = said.request
    for line in screen.lines(Asked.of(request.shown), paint, colour=paint.on):
        print(line)
    if said.missing:
        print(f"{paint('! noted', 'amber')}: {request.id} still needs {said.missing}")
        return
    print(f"{paint('✓ approved', 'green')} {request.id}: let the agent retry the same call within {screen.left(request.expires - time.time())}")
    if said.grant is not None:
        print(f"  {answers.told(said.grant)}, for {screen.left(said.grant.expires - time.time())}")
        for cover in said.grant.covers:
            print(f"    {screen.shown(cover.told())}")
