"""``interlock check -- COMMAND``: what the guard would say of a call. Nothing is run and nothing is
recorded.

Exit codes, kept for ever: 0 allow (also with a warning), 10 ask, 11 deny, 2 the input was no call.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from interlock.cli import build, calls, show
from interlock.cli.colors import Painter, complain, visible
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.engine.refusal import refusal
from interlock.guard.blast_radius import with_radius
from interlock.guard.factcache import FactCache
from interlock.guard.intent_stage import misfits
from interlock.guard.review_stage import run_review
from interlock.guard.undo_stage import announce_undo
from interlock.guard.walk import CallWalk
from interlock.guard.workspace import widen_roots
from interlock.model.action import REVIEW, VERDICT_ASK
from interlock.model.call import ToolCall
from interlock.model.codec import encode
from interlock.model.decision import Decision
from interlock.model.effect import Reading
from interlock.policy.builtin import builtin
from interlock.policy.schema import PROFILES
from interlock.validator.review import Review

NAME = "check"
SUMMARY = "show what the guard would answer to a command or tool call"
EXIT_CODES = {"allow": 0, "ask": 10, "deny": 11}
BAD_INPUT = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole decision as JSON")
    form.add_argument("--sarif", action="store_true", help="print the findings as SARIF 2.1.0")
    parser.add_argument(
        "--review",
        action="store_true",
        help="have the policy's validator, a language model, look at what is to be reviewed",
    )
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        help="judge by this profile alone, instead of the policy that holds here",
    )
    calls.add_arguments(parser)


def judge(
    call: ToolCall, profile: str | None = None, took: list[Review] | None = None
) -> tuple[Reading, Decision]:
    """Read and decide a call with what the disk says and the policy of its workspace; where it
    would be asked about, find out what would be lost.

    ``took``: ask the policy's validator where rules want that, and add what it took.
    """
    disk = build.disk(os.environ)
    policy = (
        builtin(profile)
        if profile
        else build.policy(os.environ, call.roots[0] if call.roots else "")
    )
    call = call.replace(roots=widen_roots(call.roots, policy.roots, disk.home()))
    reading = read(call, disk, policy.programs)
    decision = decide(call, reading, policy, "check").with_findings(
        *misfits(call, reading, policy.intent)
    )
    if took is not None and decision.action == REVIEW and policy.reviewing is not None:
        decision = run_review(
            build.trying(os.environ, policy, call, took.append), call, reading, decision, policy
        )
    if decision.verdict != VERDICT_ASK:
        return reading, decision
    walk = CallWalk(call, FactCache(disk), with_radius(decision, reading.effects, disk), reading)
    return reading, announce_undo(walk, policy)


def run(options: argparse.Namespace) -> int:
    """Print the answer; the exit code says it too."""
    try:
        call = calls.call_of(options)
    except calls.InputError as problem:
        complain(f"interlock check: {problem}\n")
        return BAD_INPUT
    took: list[Review] = []
    reading, decision = judge(call, options.profile, took if options.review else None)
    policy = (
        builtin(options.profile)
        if options.profile
        else build.policy(os.environ, call.roots[0] if call.roots else "")
    )
    if options.sarif:
        from interlock.cli.reports import sarif  # only who asks for it needs it

        print(sarif(reading, decision, {rule.id: rule for rule in policy.rules}), end="")
    elif options.json:
        refused = refusal(decision)
        told = {
            "verdict": str(decision.verdict),
            **({"refusal": refused} if refused else {}),
            **({"reviews": encode(took)} if took else {}),
        }
        print(
            json.dumps({**told, "decision": encode(decision), "reading": encode(reading)}, indent=2)
        )
    else:
        if options.prompt:
            print(
                f"asked for: {call.intent or 'nothing that is understood'}"
                + (f"; limits: {call.scope}" if call.scope else "")
            )
        for line in show.lines(reading, decision, Painter(sys.stdout)):
            print(line)
        if took:
            from interlock.cli.reviewer_setup import (
                describe_review as judged_by,  # asks over the network
            )

            for one in took:
                print(f"  judge: {visible(judged_by(one, policy))}")
    if options.review and policy.reviewing is None:
        complain(
            "interlock check: no validator was asked: the policy that holds here names none; see:"
            " interlock policy show\n"
        )
    return EXIT_CODES[str(decision.verdict)]
