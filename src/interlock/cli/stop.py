"""``interlock stop``: stop a session, a client, a project, a tenant or everything, now: no call of
it runs any more, and its processes are ended.

From then on every process of interlock denies its calls, after a restart too, until a person runs
`interlock resume`. The agent itself is not ended, nor is anything that it did not start. Exit
codes: 0 stopped, 1 not stopped, 4 stopped, but something survived or failed.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.approvals.user import me
from interlock.audit.query import find_decisions
from interlock.cli import build, machine
from interlock.cli.colors import Painter, complain, visible
from interlock.guard.stopping import StopCommand, StopResult
from interlock.model.codec import encode
from interlock.stop import StopError
from interlock.stop.flags import ALL, KINDS, argument, read_flags

NAME = "stop"
SUMMARY = "stop agents now, until a person resumes them"
PARTLY = 4


SCOPES = """\
--session ID | --agent NAME | --project FOLDER |
                       --tenant NAME | --user NAME | --all"""
OPTIONS = """
                      [--reason REASON] [--no-kill] [--json]"""
"""The command line as it is shown: argparse breaks no line within a choice."""


def add_scopes(parser: argparse.ArgumentParser, verb: str) -> argparse._MutuallyExclusiveGroup:
    """Declare whom it is about."""
    scopes = parser.add_mutually_exclusive_group()
    scopes.add_argument("--session", metavar="ID", help=f"{verb} one session, with its sub-agents")
    scopes.add_argument(
        "--agent",
        metavar="NAME",
        help=f"{verb} every session of a client (claude-code), or one sub-agent (SESSION/AGENT)",
    )
    scopes.add_argument("--project", metavar="FOLDER", help=f"{verb} whoever works in a folder")
    scopes.add_argument("--tenant", metavar="NAME", help=f"{verb} whoever works for a tenant")
    scopes.add_argument("--user", metavar="NAME", help=f"{verb} whoever works for a user")
    scopes.add_argument("--all", action="store_true", help=f"{verb} every agent of this user")
    return scopes


def scope_of(options: argparse.Namespace) -> str:
    """Return the scope that was named; ``""`` for none."""
    if options.all:
        return ALL
    for kind in KINDS:
        name = getattr(options, kind)
        if name:
            return f"{kind}:{os.path.realpath(name) if kind == 'project' else name}"
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare whom to stop, and why."""
    parser.usage = f"%(prog)s [{SCOPES} |\n{'':22} --call DECISION | --drill]{OPTIONS}"
    scopes = add_scopes(parser, "stop")
    scopes.add_argument(
        "--call",
        metavar="DECISION",
        help="only end what one call started, where that can be told (docs/stop.md)",
    )
    scopes.add_argument(
        "--drill", action="store_true", help="prove on a harmless session that a stop works"
    )
    parser.add_argument(
        "--reason",
        default="",
        help="why, for the record and for the agent (default: who stopped it)",
    )
    parser.add_argument("--by", default="", help=argparse.SUPPRESS)
    parser.add_argument("--no-kill", action="store_true", help="only deny calls; end no process")
    machine.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Stop, or say what is stopped."""
    try:
        if options.drill:
            from interlock.cli.drill import drill

            return drill()
        scope = scope_of(options)
        if not scope and not options.call:
            return _list(plain=options.json)
        if options.call and not find_decisions(build.store(os.environ), options.call):
            complain(
                f"interlock stop: no decision {options.call!r} is recorded; `interlock log` shows"
                " them\n"
            )
            return 1
        done = build.execute_stop(
            os.environ,
            StopCommand(
                scope or ALL,
                options.reason.strip() or f"stopped by {options.by or me()}",
                options.by or me(),
            ),
            call=options.call or "",
            kill=not options.no_kill,
        )
    except (StopError, build.StoreError) as problem:
        complain(f"interlock stop: {problem}\n")
        return 1
    if options.json:
        machine.tell(_to_dict(done, options.call or ""))
    else:
        print("\n".join(lines(done, options.call or "")))
    return PARTLY if done.killed.survivors or done.problems else 0


def _to_dict(done: StopResult, call: str) -> dict[str, object]:
    return {
        "call": call, "scope": "" if call else done.scope, "ended": done.killed.count,
        "survivors": [list(one) for one in done.killed.survivors],
        "checkpoints": list(done.checkpoints), "problems": list(done.problems),
    }  # fmt: skip


def lines(done: StopResult, call: str = "", *, colour: bool | None = None) -> list[str]:
    """Say what a stop did; ``colour``: painted or not, else as the terminal wants it."""
    paint = Painter(sys.stdout, colour=colour)
    said = (
        []
        if call
        else [
            (
                f"{paint('stopped', 'bold')} {visible(done.scope)} after {done.flagged * 1000:.0f} ms:"
                " its calls are denied from now on"
            )
        ]
    )
    killed = done.killed
    many = (
        f"{killed.count} process{'' if killed.count == 1 else 'es'} ended (by {killed.how}),"
        f" {len(killed.survivors)} survived"
    )
    ended = many if killed.met else "no running process was found"
    said.append(f"{ended}; {done.ended * 1000:.0f} ms in all")
    said += [
        f"checkpoint {name}: interlock undo {name} goes back to it" for name in done.checkpoints
    ]
    said += [paint(visible(problem), "amber") for problem in done.problems]
    return said if call else [*said, f"to resume: interlock resume{visible(argument(done.scope))}"]


def _list(*, plain: bool) -> int:
    flags = read_flags(build.store(os.environ).folder)
    if plain:
        machine.tell([encode(flag) for flag in flags])
        return 0
    for flag in flags:
        there = "at your team's service" if flag.epoch else ""
        how = there or f"interlock resume{visible(argument(flag.scope))}"
        print(f"{visible(flag.scope)}  by {visible(flag.by)}: {visible(flag.why)}  ({how})")
    if not flags:
        print(
            "nothing is stopped; name what to stop: --session ID, --agent NAME, --project FOLDER,"
            " --tenant NAME, --user NAME or --all"
        )
    return 0
