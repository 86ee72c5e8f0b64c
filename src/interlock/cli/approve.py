"""``interlock approve ID``: say yes to a call that an agent asked for.

Once: the very same call runs once. For the session or the project: its effects on the same target
run without a question, so often and so long as the policy says. A decision that its client asked
about at its own prompt can be granted so too. For people only: it refuses what an agent started.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from interlock.approvals import answers, screen
from interlock.approvals.answers import AnswerError, AnswerOutcome, ApprovalAnswer
from interlock.approvals.grant_scope import SCOPES
from interlock.approvals.requests import ApprovalRequest
from interlock.approvals.service import ApprovalCase, Grant
from interlock.approvals.summary import ApprovalSummary
from interlock.approvals.terms import terms
from interlock.approvals.user import me
from interlock.audit.query import find_decisions
from interlock.audit.replay import decision, replay
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain
from interlock.cli.policy_replay import commands
from interlock.model.action import VERDICT_ASK
from interlock.model.call import SHELL
from interlock.model.codec import MalformedError
from interlock.model.decision import Decision
from interlock.store.database import Store

NAME = "approve"
SUMMARY = "approve an agent's request"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the request, and how far the yes goes."""
    parser.add_argument(
        "id",
        metavar="ID",
        help=(
            "the request, as `interlock approvals list` shows it, or a decision (d-...) that its"
            " client asked about"
        ),
    )
    parser.add_argument(
        "--for",
        dest="scope",
        choices=SCOPES,
        default="once",
        help="how long it counts (default: this very call, once)",
    )
    parser.add_argument(
        "--below",
        default="",
        metavar="FOLDER",
        help="with a session or project: all below this folder, not only the one path",
    )
    parser.add_argument(
        "--as",
        dest="role",
        default="",
        metavar="ROLE",
        help="the role in which you approve (default: every role that you hold)",
    )
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Approve. 0 done, 1 refused."""
    answer = ApprovalAnswer(
        me(), options.role, options.scope, os.path.abspath(options.below) if options.below else ""
    )
    try:
        store = build.store(os.environ)
        person_check.needs_person(store, given=options.token)
        if options.id.startswith("d-"):
            request = _rebuild_request(store, options.id)
            _tell_grant(
                request,
                answers.grant(
                    store,
                    request,
                    answer,
                    build.policy(os.environ, request.project, request.session),
                ),
            )
        else:
            request = answers.find(store, options.id)
            _tell(
                answers.approve(
                    store,
                    request.id,
                    answer,
                    build.policy(os.environ, request.project, request.session),
                )
            )
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock approve: {problem}\n")
        return 1
    return 0


def _rebuild_request(store: Store, name: str) -> ApprovalRequest:
    """Return the request that a recorded decision would have been, had its client not asked by
    itself; raises ``AnswerError``.
    """
    rows = find_decisions(store, answers.parse_short_id(name, "d-", "decision")[1])
    if len(rows) != 1:
        raise AnswerError(
            f"{'more than one decision begins' if rows else 'no decision begins'} with {name!r};"
            " `interlock log` shows them"
        )
    try:
        call, reading = replay(rows[0])
        decided = _strip_approval(decision(rows[0]))
    except MalformedError as problem:
        raise AnswerError(f"{name} cannot be read: {problem}") from None
    if decided.verdict != VERDICT_ASK:
        raise AnswerError(
            f"{decided.id} was not asked about: its answer was {decided.verdict}, which no"
            f" approval changes; see why: interlock explain {decided.id}"
        )
    policy = build.policy(os.environ, call.roots[0] if call.roots else "", call.session)
    if call.tool == SHELL and not reading.commands:
        # the row keeps them only where its own policy looked at them
        reading = reading.replace(commands=commands(call))
    matter = ApprovalCase(call, reading, decided, policy, build.disk(os.environ))
    request = (
        build.approvals(store, policy.redacted)
        .fresh(matter, terms(decided, policy))
        .replace(id=decided.id)
    )
    if any(_has_secret_mark(str(cover["target"])) for cover in request.covers):
        return request.replace(covers=(), no_grant="its target holds a secret")
    return request


def _strip_approval(decided: Decision) -> Decision:
    """Return a decision as it was before nobody could be asked about it."""
    if not any(finding.rule == "approval.nobody-to-ask" for finding in decided.findings):
        return decided
    return decided.replace(
        findings=tuple([finding for finding in decided.findings if finding.stage != "approval"])
    )


def _has_secret_mark(text: str) -> bool:
    """Tell whether a recorded text holds the mark of a secret, such as ``<token:1f2e>``."""
    marks = [part.partition(">") for part in text.split("<")[1:]]
    return any(end and mark.replace(":", "").replace("-", "").isalnum() for mark, end, _ in marks)


def _tell(said: AnswerOutcome) -> None:
    paint = Painter(sys.stdout)
    request = said.request
    for line in screen.lines(ApprovalSummary.of(request.shown), paint, colour=paint.on):
        print(line)
    if said.missing:
        print(f"{paint('! noted', 'amber')}: {request.id} still needs {said.missing}")
        return
    print(
        f"{paint('✓ approved', 'green')} {request.id}: let the agent retry the same call within"
        f" {screen.format_time_left(request.expires - time.time())}"
    )
    if said.grant is not None:
        _tell_grant(request, said.grant)


def _tell_grant(request: ApprovalRequest, grant: Grant) -> None:
    if request.id.startswith("d-"):
        print(f"{Painter(sys.stdout)('✓ granted', 'green')} what {request.id} asked about")
    print(
        f"  {answers.describe_grant(grant)}, for"
        f" {screen.format_time_left(grant.expires - time.time())}"
    )
    for cover in grant.covers:
        print(f"    {screen.sanitize_line(cover.told())}")
