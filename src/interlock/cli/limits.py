"""``interlock limits``: what the policy limits and what was used up; ``interlock limits resume
SESSION`` sets a paused session free.

A resumed session begins to count anew. Resuming is for people: it refuses in a process that an
agent started.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from interlock.approvals.answers import AnswerError
from interlock.approvals.user import me
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain, visible
from interlock.limits import report
from interlock.limits.report import ScopeUsage
from interlock.model.codec import encode
from interlock.store.database import Store

NAME = "limits"
SUMMARY = "show limits and usage, or resume what a limit paused"
SCOPES = ("session:", "agent:", "guard:", "user:", "tenant:")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done."""
    parser.add_argument("--json", action="store_true", help="print what was used up as JSON lines")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    shown = actions.add_parser(
        "show", help="show one session with its agents, or one user or tenant"
    )
    shown.add_argument(
        "scope",
        metavar="SESSION",
        help="a session's id, or agent:SESSION/AGENT, user:NAME, tenant:NAME",
    )
    shown.add_argument("--json", action="store_true", help="print JSON lines")
    resumed = actions.add_parser("resume", help="set a paused session free; its budgets begin anew")
    resumed.add_argument(
        "scope",
        metavar="SESSION",
        help="a session's id, or agent:SESSION/AGENT, user:NAME, tenant:NAME",
    )
    person_check.add_token(resumed)


def run(options: argparse.Namespace) -> int:
    """Show or resume. 0 done, 1 refused."""
    try:
        if options.action == "resume":
            return _resume(_scope(options.scope), given=options.token)
        return _show(_scope(getattr(options, "scope", "")), plain=options.json)
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock limits: {problem}\n")
        return 1


def _scope(name: str) -> str:
    return name if not name or name.startswith(SCOPES) else f"session:{name}"


def _resume(scope: str, *, given: bool) -> int:
    store = build.store(os.environ)
    person_check.needs_person(store, given=given)
    if not report.read_usage(store, scope):
        complain(
            f"interlock limits: nothing was counted for {visible(scope)}; `interlock limits` shows"
            " what was\n"
        )
        return 1
    freed = build.meter(store).resume(scope, me())
    print(
        f"resumed {visible(scope)}"
        if freed
        else f"{visible(scope)} was not paused; its budgets begin anew"
    )
    return 0


def _show(scope: str, *, plain: bool) -> int:
    store = build.store(os.environ)
    found, rates = report.read_usage(store, scope), report.read_rates(store, time.time(), scope)
    build.tell(store)
    if plain:
        for row in (*found, *rates):
            print(json.dumps(encode(row)))
        return 0
    paint = Painter(sys.stdout)
    if not scope:
        configured = list(report.render_limits(build.policy(os.environ, os.getcwd()).limits))
        print(paint("limits of the policy", "bold"))
        for sentence in configured or ["none: the built-in policy limits nothing"]:
            print(f"  {sentence}")
        _show_shared(store, paint)
    print(paint("used up", "bold"))
    for one in found:
        print(_line(one, paint))
    for rate in rates:
        print(
            f"  {visible(rate.scope)}  {visible(rate.tools)}: {rate.taken} of {rate.burst} at"
            f" {rate.rate}"
        )
    if not found and not rates:
        print(
            "  nothing was counted yet"
            if not scope
            else f"  nothing was counted for {visible(scope)}"
        )
    return 0


def _show_shared(store: Store, paint: Painter) -> None:
    found = list(report.render_shared(store))
    if found:
        print(paint("shared with other machines", "bold"))
    for one in found:
        late = "; calls wait, and the team's service says nothing" if one.lacking else ""
        print(f"  {visible(one.said)}{late}")


def _line(one: ScopeUsage, paint: Painter) -> str:
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.since)) if one.since else "?"
    tokens = one.input + one.output + one.cached + one.written
    price = f"${one.cost:.2f}" + (
        f" and {visible(one.unpriced)}, which has no price" if one.unpriced else ""
    )
    before = (
        f"; before that {one.tokens_before:,} tokens, ${one.cost_before:.2f}"
        if one.tokens_before
        else ""
    )
    counted = (
        f"{tokens:,} tokens ({one.input:,} in, {one.output:,} out, {one.cached:,} cached,"
        f" {one.written:,} written), {price}"
    )
    line = f"  {visible(one.scope)}  since {since}: {counted}, {one.running} running{before}"
    return line + (paint(f"\n    paused: {visible(one.stopped)}", "red") if one.stopped else "")
