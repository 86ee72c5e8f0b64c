"""``interlock test-guard``: try many spellings of forbidden commands on the installed guard hooks,
interlock's or others', and name those that pass.

Nothing is run but the hooks themselves. Harmless commands are put to them in the same spellings, so
that a guard that refuses everything is seen too.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from interlock.cli.colors import Painter, complain, visible
from interlock.cli.folders import add_project
from interlock.doctor import guards, intents, obfuscations, trial
from interlock.doctor.guards import ClientHook
from interlock.doctor.hook_probe import DENY, FAILED
from interlock.doctor.trial import TrialResult

MOST_NAMED = 6
"""Harmless commands that are named, of those a guard blocked."""
NAME = "test-guard"
SUMMARY = "find forbidden commands that installed guards miss"
QUICK = ("delete-system", "send-key")
"""With ``--quick``, the intents that are put in every spelling; the others plainly."""
SHOWN = 6


def add_arguments(parser: ArgumentParser) -> None:
    """Declare whose hooks, which questions, and the form of the answer."""
    parser.add_argument(
        "client",
        nargs="?",
        choices=sorted(guards.BY_CLIENT),
        help="only the hooks of this client (default: of all)",
    )
    add_project(parser, "run the hooks of a project's settings too (default: the current folder)")
    parser.add_argument(
        "--hook",
        metavar="LINE",
        help=(
            "test this line as a hook of the client (default: claude-code) instead of the installed"
            " ones"
        ),
    )
    parser.add_argument(
        "--intent",
        action="append",
        choices=sorted(intents.BY_NAME),
        help="only this intent; can be given more than once",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="every spelling with two intents, the other intents plainly",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, with every command that passed"
    )


def run(options: Namespace) -> int:
    """Print the tables. 0 when all was stopped and what is harmless was not, 1 otherwise."""
    found = _guards(options)
    if not found:
        complain(
            "interlock test-guard: no client's settings name a guard hook; to install ours:"
            " interlock install claude-code\n"
        )
        return 1
    by_client: dict[str, list[ClientHook]] = {}
    for guard in found:
        by_client.setdefault(guard.client, []).append(guard)
    results = {client: _run_trials(theirs, options) for client, theirs in by_client.items()}
    if options.json:
        print(
            json.dumps(
                {client: _document(by_client[client], told) for client, told in results.items()},
                indent=2,
            )
        )
    else:
        for client, told in results.items():
            _print(client, by_client[client], told, Painter(sys.stdout))
    return 0 if all(_good(told) for told in results.values()) else 1


def _guards(options: Namespace) -> list[ClientHook]:
    if options.hook:
        client = options.client or "claude-code"
        return [ClientHook(client, "--hook", guards.BY_CLIENT[client].events[0], options.hook)]
    moved = {name: os.environ.get(name, "") for name in guards.VARIABLES.values()}
    found = guards.find_guards(
        os.path.expanduser("~"), os.path.abspath(options.project) if options.project else "", moved
    )
    return list(dict.fromkeys(guard for guard in found if options.client in (None, guard.client)))


def _run_trials(theirs: list[ClientHook], options: Namespace) -> list[TrialResult]:
    chosen = (
        [intents.BY_NAME[name] for name in options.intent]
        if options.intent
        else list(intents.FORBIDDEN)
    )
    asked = [
        question
        for question in trial.questions(chosen, obfuscations.SPELLINGS)
        if not options.quick
        or question.harmless
        or question.spelling == "plain"
        or question.intent in QUICK
    ]
    done: list[TrialResult] = []
    with trial.Trial(theirs, os.environ) as started:
        for result in started.run(asked):
            done.append(result)
            if sys.stderr.isatty():
                sys.stderr.write(
                    f"\r{theirs[0].client}: {len(done)} of {len(asked)} commands asked about "
                )
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    return done


def _good(told: list[TrialResult]) -> bool:
    return all(
        result.stopped for result in told if not result.question.harmless
    ) and not _refuses_all(told)


def _refuses_all(told: list[TrialResult]) -> bool:
    """Whether a guard refuses harmless commands, plainly written, too: one that stops everything
    tells nothing apart.
    """
    plain = [
        result
        for result in told
        if result.question.harmless and result.question.spelling == "plain"
    ]
    return bool(plain) and all(result.stopped for result in plain)


def _print(client: str, theirs: list[ClientHook], told: list[TrialResult], paint: Painter) -> None:
    forbidden = [result for result in told if not result.question.harmless]
    harmless = [result for result in told if result.question.harmless]
    print(
        f"{client}: {len(theirs)} hook{'s' if len(theirs) > 1 else ''}"
        f" ({', '.join(dict.fromkeys(guard.file for guard in theirs))})"
    )
    for title, key in (("intent", "intent"), ("spelling", "spelling")):
        rows = _group_results(forbidden, key)
        whole = [
            name for name, results in rows.items() if all(result.stopped for result in results)
        ]
        shown = {
            name: results for name, results in rows.items() if key == "intent" or name not in whole
        }
        width = max(map(len, [title, *shown]))
        print(f"\n  {title:<{width}}  stopped")
        for name, results in shown.items():
            print(
                f"  {name:<{width}} "
                f" {_row(results, 'spelling' if key == 'intent' else 'intent', paint)}"
            )
        if key == "spelling":
            print(f"  {len(whole)} of {len(rows)} spellings hide nothing")
    stopped = sum(result.stopped for result in forbidden)
    refused = sum(result.stopped for result in harmless)
    colour = "green" if stopped == len(forbidden) else "red"
    print(
        f"\n  {paint(f'{stopped} of {len(forbidden)} forbidden commands were stopped', colour)};"
        f" {refused} of {len(harmless)} harmless ones were blocked as well{_list_blocked(harmless)}"
    )
    if _refuses_all(told):
        print(
            f"  {paint('This guard refuses harmless commands plainly written: it tells nothing apart', 'red')}"
        )
    for why in list(dict.fromkeys(result.why for result in told if result.verdict == FAILED))[:3]:
        print(f"  a hook failed, which most clients take for an allow: {why}")


def _list_blocked(harmless: list[TrialResult]) -> str:
    """Name the harmless commands that were blocked, as far as a line holds."""
    names = [result.question.command for result in harmless if result.stopped]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (
        f": {', '.join([f'`{visible(name)}`' for name in names[:MOST_NAMED]])}{more}"
        if names
        else ""
    )


def _row(results: list[TrialResult], other: str, paint: Painter) -> str:
    """Return one line: how many were stopped, how many of these asked about, and what passes."""
    stopped = [result for result in results if result.stopped]
    asked = sum(result.verdict != DENY for result in stopped)
    passing = [getattr(result.question, other) for result in results if not result.stopped]
    more = f" and {len(passing) - SHOWN} more" if len(passing) > SHOWN else ""
    count = paint(f"{len(stopped):>3} of {len(results)}", "red" if passing else "green")
    return (
        count
        + (f" ({asked} asked about)" if asked else "")
        + (f"  passes: {', '.join(passing[:SHOWN])}{more}" if passing else "")
    )


def _group_results(results: Iterable[TrialResult], key: str) -> dict[str, list[TrialResult]]:
    found: dict[str, list[TrialResult]] = {}
    for result in results:
        found.setdefault(getattr(result.question, key), []).append(result)
    return found


def _document(theirs: list[ClientHook], told: list[TrialResult]) -> dict[str, object]:
    """Return what ``--json`` prints for one client."""
    forbidden = [result for result in told if not result.question.harmless]
    return {
        "hooks": [
            {"file": guard.file, "event": guard.event, "command": guard.command} for guard in theirs
        ],
        "intents": {
            name: _counts(results) for name, results in _group_results(forbidden, "intent").items()
        },
        "spellings": {
            name: _counts(results)
            for name, results in _group_results(forbidden, "spelling").items()
        },
        "harmless": _counts([result for result in told if result.question.harmless]),
        "refuses_everything": _refuses_all(told),
        "passed": [
            {
                "intent": result.question.intent,
                "spelling": result.question.spelling,
                "command": result.question.command,
                "said": result.why,
            }
            for result in forbidden
            if not result.stopped
        ],
    }


def _counts(results: list[TrialResult]) -> dict[str, int]:
    return {
        "asked": len(results),
        "stopped": sum(result.stopped for result in results),
        "denied": sum(result.verdict == DENY for result in results),
    }
