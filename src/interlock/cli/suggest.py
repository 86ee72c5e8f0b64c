"""``interlock suggest``: suggest policy lines from your history, each with its evidence and effect;
nothing changes by itself.

What was asked and let run every time, programs that nobody described (with a section drafted from
their `--help`, which is run behind walls and nowhere else), and proofs that could answer your
agent's questions. `--write 2` puts one into your own policy, after you, a person at a terminal,
said so. Exit codes: 0 done, or nothing to suggest; 1 refused; 2 there is no such suggestion.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from interlock.approvals.answers import AnswerError
from interlock.audit.rejudge import CallFlip, HistoryCall, history
from interlock.audit.suggestions import Suggestion, suggestions
from interlock.cli import build, person_check, policy_replay, program_draft, show
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policies import load_policy
from interlock.cli.policy_edit import add_lines, candidate
from interlock.cli.profile import ProfileError
from interlock.integrations.install import SettingsError
from interlock.model.policy import APPROVE
from interlock.policy.files import PolicyLocations, places
from interlock.policy.problem import PolicyError
from interlock.store.database import Store

NAME = "suggest"
SUMMARY = "suggest policy lines from your history"
MOST = 20
"""Suggestions that are shown."""
NOT_THERE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how far back, and what to write."""
    parser.add_argument(
        "--days", type=int, default=30, metavar="N", help="look at the last N days (default 30)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.add_argument(
        "--write", type=int, metavar="NUMBER", help="put this suggestion into your own policy"
    )
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Suggest, or write."""
    where = places(os.environ, os.getcwd())
    try:
        store = build.store(os.environ)
        found = _find_suggestions(store, where, options.days)
        if options.write is not None:
            return _write(store, where, found, options)
        return _show(store, where, found, options)
    except (build.StoreError, AnswerError, ProfileError, SettingsError, PolicyError) as problem:
        complain(f"interlock suggest: {problem}\n")
        return 1


def _find_suggestions(store: Store, where: PolicyLocations, days: int) -> list[Suggestion]:
    """Return the suggestions that may stand in the person's policy, and change something there."""
    approves = build.policy(os.environ, where.project or "").proven == APPROVE
    some: list[Suggestion] = []
    rows = history(store, "0")
    for one in suggestions(store, where.home, days, approves=approves):
        drafted = one.replace(lines=one.lines + _section(one.program)) if one.program else one
        if candidate(where, drafted.key, drafted.lines) is not None and (
            one.key != "allow" or _changes(where, one, rows)
        ):
            some.append(drafted)
        if len(some) == MOST:
            break
    return some


def _section(program: str) -> tuple[str, ...]:
    """Return what a policy says of a program, as far as its own help tells."""
    says = list(program_draft.section(program_draft.help_of(program))) or ["-h --help"]
    return tuple([f"    - {json.dumps(line) if line[:1] in '-?' else line}" for line in says])


def _show(
    store: Store, where: PolicyLocations, found: list[Suggestion], options: argparse.Namespace
) -> int:
    paint = Painter(sys.stdout)
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - options.days * 86400))
    rows = history(store, since)
    for number, one in enumerate(found, 1):
        changed = _changes(where, one, rows)
        if options.json:
            told = {
                "number": number,
                "key": one.key,
                "said": one.said,
                "evidence": one.evidence,
                "lines": one.lines,
            }
            print(
                json.dumps(
                    {**told, "calls": sum(row.times for row in rows), "changes": _counts(changed)}
                )
            )
            continue
        print(f"{paint(str(number), 'bold')}  {visible(one.said)}")
        print("\n".join(show.wrap_text(f"{one.evidence}; {_describe_flips(changed, rows)}", 3, 3)))
        print(
            "\n".join(
                [
                    f"     {visible(line)}"
                    for line in ([f"{one.key}:"] if one.lines[0][:1] == "-" else [])
                    + list(one.lines)[:12]
                ]
            )
        )
        if len(one.lines) > 12:
            print(f"     ... {len(one.lines) - 12} lines more; interlock suggest --json has them")
    if not options.json:
        print(
            "\nTo put one into your policy: interlock suggest --write"
            f" {1 if len(found) == 1 else 'NUMBER'}"
            if found
            else "nothing to suggest yet"
        )
    return 0


def _changes(where: PolicyLocations, one: Suggestion, rows: list[HistoryCall]) -> list[CallFlip]:
    """Return the recorded calls that a suggestion, and nothing else, would answer otherwise."""
    merged = candidate(where, one.key, one.lines)
    if merged is None:
        raise ProfileError(f"{one.key} cannot be written into your policy")
    now = {
        (flip.decision, flip.new)
        for flip in policy_replay.in_processes(
            rows, load_policy(where).policy, lambda _: None
        ).flips
    }
    return [
        flip
        for flip in policy_replay.in_processes(rows, merged.policy, lambda _: None).flips
        if (flip.decision, flip.new) not in now
    ]


def _counts(changed: list[CallFlip]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for flip in changed:
        counts[f"{flip.old} -> {flip.new}"] = (
            counts.get(f"{flip.old} -> {flip.new}", 0) + flip.times
        )
    return counts


def _describe_flips(changed: list[CallFlip], rows: list[HistoryCall]) -> str:
    said = ", ".join([f"{count} go {what}" for what, count in _counts(changed).items()])
    return (
        f"of {sum(row.times for row in rows)} recorded calls {said or 'none is answered otherwise'}"
    )


def _write(
    store: Store, where: PolicyLocations, found: list[Suggestion], options: argparse.Namespace
) -> int:
    """Put a suggestion into the person's own policy, if they say so; nothing that would let a
    denied call run is ever written.
    """
    if not 0 < options.write <= len(found):
        complain(
            f"interlock suggest: there is no suggestion {options.write}; `interlock suggest` shows"
            " those there are\n"
        )
        return NOT_THERE
    one = found[options.write - 1]
    if any(flip.old == "deny" for flip in _changes(where, one, history(store, "0"))):
        raise AnswerError(
            "a call that was denied would run with this, so it is not written; write it yourself if"
            " you mean it"
        )
    person_check.needs_person(store, given=options.token)
    change = add_lines(where, one.key, one.lines)
    sys.stdout.write(change.diff())
    if sys.stdin.isatty() and input("Write this? [y/N] ").strip().lower() not in ("y", "yes"):
        print("nothing was changed")
        return 1
    backup = change.make()
    print(f"wrote {change.path}" + (f"; the file as it was: {backup}" if backup else ""))
    return 0
