"""``interlock audit verify | anchor | prune | export | prove``: check the audit log, anchor it
outside, prune or export it; prove a decision of a service's record.

Exit codes of ``verify``: 0 whole, 1 not as it was written, 4 whole but not anchored, or a sink
could not be read, where ``--anchored`` demands it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator

from interlock.audit.anchor import Anchor, anchors, line, record_anchor
from interlock.audit.export import FORMATS, JSONL, export
from interlock.audit.query import newest
from interlock.audit.retention import prune
from interlock.audit.sinks import FILE, GIT, SYSLOG, SinkError, read, write
from interlock.audit.source import ExportChain, ExportError
from interlock.audit.verify import VerifyReport, sinks, verify, verify_store
from interlock.cli import build, prove
from interlock.cli.colors import Painter, complain, visible
from interlock.integrations.writing import name_errors
from interlock.model.codec import encode
from interlock.sidecar.enrol import state, where
from interlock.store.database import Store

NAME = "audit"
SUMMARY = "verify, anchor, prune, export or prove the audit log"
WHOLE, BROKEN, FAILED, NOT_ANCHORED = 0, 1, 1, 4
DAY = 86400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    commands = parser.add_subparsers(
        dest="what", metavar="verify/anchor/prune/export/prove/evidence", required=True
    )
    one = commands.add_parser(
        "verify", help="say whether any record was changed, removed, added or moved"
    )
    _add_sinks(one)
    one.add_argument(
        "--export",
        default="",
        metavar="PATH",
        help="verify this export in JSON lines instead of the store (`-`: standard input)",
    )
    one.add_argument(
        "--anchored",
        action="store_true",
        help="exit 4 if no anchor vouches for the log, or a place could not be read",
    )
    one.add_argument("--json", action="store_true", help="print the report as JSON")
    one.set_defaults(work=_verify)
    one = commands.add_parser(
        "anchor",
        help=(
            "write the signed head of the audit log to a place outside, which nobody who can change"
            " the log can change"
        ),
    )
    _add_sinks(one)
    one.add_argument("--syslog", action="store_true", help="the system's log")
    one.set_defaults(work=_anchor)
    one = commands.add_parser(
        "prune", help="delete the oldest records; the rest can still be verified"
    )
    one.add_argument(
        "--older-than",
        default="",
        metavar="DAYS",
        help="how old they are at least, such as 90d (default: what the policy says)",
    )
    one.add_argument(
        "--even-if-broken",
        action="store_true",
        help="even if `verify` finds changed records",
    )
    one.set_defaults(work=_prune)
    one = commands.add_parser("export", help="write every record, oldest first")
    one.add_argument(
        "--format",
        choices=FORMATS,
        default=JSONL,
        help="JSON lines, which `verify --export` reads, or CSV (default jsonl)",
    )
    one.add_argument(
        "-o", "--output", default="-", metavar="PATH", help="a new file (default: standard output)"
    )
    one.set_defaults(work=_export)
    _add_prove(commands)


def _add_prove(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = commands.add_parser(
        "prove", help="write the proof that a decision stood in a service's record, for an auditor"
    )
    one.add_argument("name", nargs="?", default="", metavar="ID", help="the decision, or CHAIN/ID")
    one.add_argument(
        "--against",
        default="",
        metavar="FILE",
        help="lead to a root that `interlock serve --anchor` wrote there (`-`: standard input)",
    )
    one.add_argument("--tenant", default="", metavar="NAME", help="of this organisation")
    one.add_argument(
        "--verifier", action="store_true", help="write the script that checks proofs instead"
    )
    one.add_argument(
        "-o", "--output", default="-", metavar="PATH", help="a new file (default: standard output)"
    )
    one.set_defaults(work=_prove)
    one = commands.add_parser(
        "evidence", help="write all that a service keeps of a session, with proofs, as a ZIP file"
    )
    one.add_argument("name", metavar="SESSION", help="its name, or CHAIN/SESSION")
    one.add_argument(
        "--against", default="", metavar="FILE", help="the anchors that proofs lead to"
    )
    one.add_argument("--tenant", default="", metavar="NAME", help="of this organisation")
    one.add_argument("-o", "--output", default="evidence.zip", metavar="PATH", help="a new file")
    one.set_defaults(work=_evidence)


def _add_sinks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="PATH",
        help="a file of anchors (`-`: standard input or output)",
    )
    parser.add_argument(
        "--git",
        action="append",
        default=[],
        metavar="REPO",
        help="a git repository, whose branch interlock-audit holds anchors",
    )


def run(options: argparse.Namespace) -> int:
    """Do one of them; a failure is one sentence."""
    work: Callable[[argparse.Namespace], int] = options.work
    try:
        return work(options)
    except (build.StoreError, SinkError, ExportError, ValueError, OverflowError) as problem:
        complain(f"interlock audit {options.what}: {problem}\n")
        return FAILED


def _get_sinks(options: argparse.Namespace) -> list[str]:
    """Return the sinks that the person named."""
    files = [f"{FILE}:{os.path.abspath(path) if path != '-' else path}" for path in options.file]
    return files + [f"{GIT}:{os.path.abspath(path)}" for path in options.git]


# -- prove -----------------------------------------------------------------------------------------


def _prove(options: argparse.Namespace) -> int:
    if options.verifier:
        return prove.print_verifier(options.output)
    if not options.name:
        raise ValueError("name the decision: interlock audit prove ID")
    return prove.prove_decision(_folder(options), options.name, options.against, options.output)


def _evidence(options: argparse.Namespace) -> int:
    return prove.write_evidence(_folder(options), options.name, options.against, options.output)


def _folder(options: argparse.Namespace) -> str:
    """Return where the service keeps its data, or a tenant of it."""
    state = build.state_folder(os.environ)
    return f"{state}/service/tenants/{options.tenant}" if options.tenant else f"{state}/service"


# -- verify ----------------------------------------------------------------------------------------


def _verify(options: argparse.Namespace) -> int:
    store = build.store(os.environ)
    recorded = {} if options.export else sinks(store)
    wanted = list(dict.fromkeys([*_get_sinks(options), *recorded]))
    found: list[tuple[str, Anchor]] = []
    notes: list[str] = []
    for sink in wanted:
        try:
            kept, bad = anchors(read(sink))
        except SinkError as problem:
            if sink in _get_sinks(options):
                raise
            notes.append(f"not compared: {problem}")
            continue
        found += [(sink, anchor) for anchor in kept]
        last = max([anchor.seq for anchor in kept], default=0)
        notes += (
            [f"{sink} holds {bad} lines that say to be anchors and cannot be read"] if bad else []
        )
        notes += (
            [
                (
                    f"{sink} lacks the anchor of record {recorded[sink]}, which the audit says to have"
                    " written"
                )
            ]
            if recorded.get(sink, 0) > last
            else []
        )
    if options.export:
        report = verify(ExportChain(_lines(options.export)), found, b"")
        notes.append("signatures were not checked: that takes the key of the store itself")
    else:
        report = verify_store(store, found)
    if options.json:
        print(
            json.dumps(
                {**encode(report), "unanchored": report.unanchored, "notes": notes}, indent=2
            )
        )
    else:
        for text in _lines_of(report, notes, Painter(sys.stdout)):
            print(text)
    if report.found:
        return BROKEN
    unproven = not report.anchored or report.foreign or (notes and not options.export)
    return NOT_ANCHORED if options.anchored and unproven else WHOLE


def _lines(path: str) -> list[str]:
    return read(f"{FILE}:{path}")


def _lines_of(report: VerifyReport, notes: list[str], paint: Painter) -> Iterator[str]:
    records = f"records {report.first} to {report.last}" if report.first else "no record"
    if report.found:
        yield (
            f"{paint('✗ NOT AS IT WAS WRITTEN', 'red', 'bold')}  {records}, {report.found}"
            f" {'problem' if report.found == 1 else 'problems'}"
        )
        yield from [
            f"  {paint(problem.kind.ljust(12), 'red')} {visible(problem.what)}"
            for problem in report.problems
        ]
        if report.found > len(report.problems):
            yield f"  and {report.found - len(report.problems)} more"
    else:
        yield f"{paint('✓ intact', 'green', 'bold')}  {records}"
    yield from _anchoring(report, paint)
    if report.base:
        yield (
            f"  retention took the records through {report.base}; what they held is no longer"
            " proven by this file"
        )
    if report.older:
        yield (
            f"  {report.older} judgements are older than the chain: that they were changed would"
            " not be found"
        )
    yield from [f"  {paint('!', 'amber')} {visible(note)}" for note in notes]
    for path in report.set_aside:
        yield (
            f"  {paint('!', 'amber')} this file goes on from one that was found damaged,"
            f" {visible(path)}: only anchors tell what that one held"
        )


def _anchoring(report: VerifyReport, paint: Painter) -> Iterator[str]:
    if report.anchored:
        yield (
            f"  {paint('anchored', 'green')} through record {report.anchored}, by {report.anchors}"
            f" {'anchor' if report.anchors == 1 else 'anchors'}"
        )
    if report.unanchored > 0:
        since = " since then" if report.anchored else " yet"
        yield (f"  {paint('not anchored', 'amber')}{since}: the newest {report.unanchored} records")
        yield (
            "             someone who can write the store could have changed them; run:"
            " interlock audit anchor"
        )
    if report.foreign:
        why = "are another store's, or this store's key was replaced and its records with it"
        yield (
            f"  {paint('!', 'amber')} {report.foreign} anchors match no record and are not signed"
            f" by this store's key: they {why}"
        )
    if report.pruned:
        yield f"  {report.pruned} anchors are of records that retention took away"


# -- anchor, prune, export -------------------------------------------------------------------------


def _anchor(options: argparse.Namespace) -> int:
    wanted = _get_sinks(options) + ([f"{SYSLOG}:"] if options.syslog else [])
    if not wanted:
        raise ValueError("name a place outside: --file PATH, --git REPO or --syslog")
    store = build.store(os.environ)
    for sink in wanted:
        anchor = record_anchor(store, sink)
        write(sink, line(anchor))
        complain(f"anchored record {anchor.seq} ({anchor.hash[:12]}…) in {sink}\n")
    return WHOLE


def _prune(options: argparse.Namespace) -> int:
    days = build.policy(os.environ).retention_days
    if not options.older_than and not days:
        raise ValueError(
            "say how old records may get: --older-than 90d (the policy says nothing of it)"
        )
    before = _before(options.older_than or f"{days}d")
    store = build.store(os.environ)
    report = verify_store(store, [])
    if report.found and not options.even_if_broken:
        raise ValueError(
            "the audit is not as it was written, and this would take the traces away: see"
            " `interlock audit verify`, or --even-if-broken"
        )
    kept = _prune_limit(store)
    events, rows = prune(store, before, kept)
    print(
        f"took away {events} records and {rows} judgements from before {before}"
        if events
        else f"no record is older than {before}"
    )
    if kept is not None:
        print(f"records past {kept} stay: the service has not acknowledged them yet")
    return WHOLE


def _prune_limit(store: Store) -> int | None:
    """Return the last record that may go where this machine's record is sent to a service and not
    all of it is there.
    """
    if where(store.folder) is None:
        return None
    acknowledged = state(store.folder).seq
    return acknowledged if acknowledged < newest(store) else None


def _before(text: str) -> str:
    import time

    days = text.removesuffix("d")
    if not days.isdecimal():
        raise ValueError(f"--older-than is {text!r}; expected days, such as 90d")
    whole, part = divmod(time.time() - DAY * int(days), 1)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int(1000 * part):03d}Z"


def _export(options: argparse.Namespace) -> int:
    store = build.store(os.environ)
    if options.output == "-":
        export(store, options.format, sys.stdout.write)
        return WHOLE
    descriptor = os.open(options.output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with (
            name_errors(options.output),
            open(descriptor, "w", encoding="utf-8", newline="") as file,
        ):
            count = export(store, options.format, file.write)
    except BaseException:
        os.unlink(options.output)  # half a record would pass for all of it
        raise
    print(f"wrote {count} records to {options.output}")
    return WHOLE
