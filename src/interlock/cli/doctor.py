"""``interlock doctor``: prove that the guard works, by running what the client would run, and look
for what switches it off.

With ``--live`` the client itself is started, with a copy of the hooks in a throw-away home, against
a made-up model on this machine.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping

from interlock.cli import build, bundle, doctor_report, installed, resident, setup_plan
from interlock.cli.colors import Painter
from interlock.cli.folders import folder
from interlock.cli.show import wrap_text
from interlock.doctor import client_context, hook_switches, proofs, serving, settings_check
from interlock.doctor.client_packages import has_package, package_row
from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.drift import AGENTS, MEND
from interlock.integrations.install import line_for
from interlock.presence.record import DamagedError
from interlock.resident import building
from interlock.resident.start import is_wanted

NAME = "doctor"
SUMMARY = "check that the guard works and that nothing disables it"

NOBODY = ReportRow(
    AMBER,
    "agents",
    "no agent that interlock can protect is here: no program on the PATH, no settings in your home",
    "interlock init",
)
_MARKS = {GREEN: "ok", AMBER: "look", RED: "BAD"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client and the form of the answer."""
    parser.add_argument(
        "client",
        nargs="?",
        choices=sorted(CLIENTS),
        help="the agent client (default: all that ask interlock, or else all that are here)",
    )
    parser.add_argument(
        "--project",
        type=folder,
        default=".",
        metavar="FOLDER",
        help="the project to look at (default: the current folder)",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="also start the client itself, in a throw-away home, against a made-up model",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument(
        "--report",
        action="store_true",
        help="print a page to send along with a report: no paths, names, commands or secrets",
    )


def run(options: Namespace) -> int:
    """Print the table. 0 when nothing is red, 1 otherwise."""
    project = os.path.abspath(options.project)
    clients = (
        [options.client]
        if options.client
        else sorted({*asking(project), *_list_installed()}) or setup_plan.find_agents()
    )
    tables = {client: list(examine(client, project, live=options.live)) for client in clients}
    if not clients:
        tables[""] = [
            NOBODY,
            client_context.workspace(project),
            client_context.walls(),
            *client_context.skills(os.environ, project),
        ]
    if options.json:
        print(
            json.dumps(
                [cells(client, row) for client, rows in tables.items() for row in rows],
                indent=2,
            )
        )
    elif options.report:
        print("\n".join(doctor_report.page(tables, project)))
    else:
        for client, rows in tables.items():
            if len(tables) > 1:
                print(f"{client}:")
            show(rows, Painter(sys.stdout))
    red = any(row.colour == RED for rows in tables.values() for row in rows)
    return 1 if red or not clients else 0


def asking(project: str) -> list[str]:
    """Return the clients whose settings name interlock."""
    found = []
    for client in sorted(CLIENTS):
        settings = adapter_of(client).SETTINGS
        if settings_check.entries(settings_check.files(settings, project), settings, client)[
            0
        ] or has_package(client):
            found.append(client)
    return found


def cells(client: str, row: ReportRow) -> dict[str, object]:
    """Return a row for a program."""
    return {
        "client": client,
        "colour": row.colour,
        "what": row.what,
        "seen": row.seen,
        "mend": row.mend,
    }


def show(rows: list[ReportRow], paint: Painter) -> None:
    """Print rows as a table."""
    width = max([len(row.what) for row in rows], default=0)
    for row in rows:
        first, *more = (
            wrap_text(row.seen, width + 8, width + 8)
            if row.seen and sys.stdout.isatty()
            else [row.seen]
        )
        print(
            f"{paint(f'{_MARKS[row.colour]:<4}', row.colour)}  {row.what:<{width}} "
            f" {first.lstrip()}"
        )
        print("".join([f"{line}\n" for line in more]), end="")
        if row.mend:
            print(f"{'':<{width + 6}}  -> {paint(row.mend, 'bold')}")


def examine(client: str, project: str, *, live: bool = False) -> Iterator[ReportRow]:
    """Yield every row for a client as it stands for a project."""
    settings = adapter_of(client).SETTINGS
    files = settings_check.files(settings, project)
    losses = list(_losses(client))  # what is put back now is there for all that follows
    found, rows = settings_check.entries(files, settings, client)
    yield from rows
    by_package = has_package(client)
    if by_package:
        yield package_row(client, twice=bool(found))
    if settings.plugin is None and (found or not by_package):
        yield from settings_check.installation(found, settings, client)
    runnable = settings_check.runnable(found, files, settings, client)
    yield from proofs.proofs(runnable, settings, client)
    if len(runnable) < len(found):
        foreign = "another line than this installation's, in a project's settings; it was not run"
        yield ReportRow(
            AMBER, "not run", foreign, f"look at it, then: interlock install {client} --project"
        )
    if settings.trusting and found:
        yield from proofs.check_trust(settings, client, project)
    yield from hook_switches.find_switches(files, settings, os.environ, os.path.expanduser("~"))
    yield client_context.version(settings)
    yield client_context.workspace(project)
    yield client_context.walls()
    yield from client_context.skills(os.environ, project)
    yield from serving.rows(settings, client, project)
    yield from check_pins(os.environ)
    yield from losses if found or not by_package else []  # a package is the client's to look after
    if found:
        yield _bundle(client)
        yield _relay(client)
    if live:
        from interlock.doctor import live_test as driven  # starts a server and the client

        yield from driven.rows(client, settings, project, os.environ)


def check_pins(environment: Mapping[str, str]) -> Iterator[ReportRow]:
    """Yield a row for each MCP server whose tools are described otherwise than when first seen."""
    from interlock.ledger import pins

    try:
        changed = [pin.server for pin in pins.every(build.store(environment), "") if pin.other]
    except (pins.PinsError, build.StoreError) as problem:
        yield ReportRow(AMBER, "MCP servers", str(problem))
        return
    for server in dict.fromkeys(changed):
        seen = (
            f"{server}: what it says of {changed.count(server)} of its tools changed since they"
            " were pinned, so their calls are asked about"
        )
        yield ReportRow(
            AMBER,
            "MCP servers",
            seen,
            f"interlock pins list {server}, then: interlock pins accept {server}",
        )


def _list_installed() -> list[str]:
    """Return the clients that interlock was installed for, whatever became of that."""
    try:
        made = installed.read_installed(os.environ)
    except (build.StoreError, DamagedError):
        return []
    return (
        [one.client for one in made.installs if one.client in CLIENTS] if made is not None else []
    )


def _losses(client: str) -> Iterator[ReportRow]:
    """Tell what of what was installed is gone, and whether that would be noticed at all."""
    try:
        said, troubles = installed.check_presence(os.environ)
        made = installed.read_installed(os.environ)
    except (build.StoreError, DamagedError) as problem:
        yield ReportRow(RED, "losses", str(problem), MEND)
        return
    for sentence in said:
        yield ReportRow(AMBER, "losses", sentence)
    mine = [trouble for trouble in troubles if trouble.item.client in ("", client)]
    for trouble in mine:
        if trouble.by == AGENTS:
            yield ReportRow(RED, "losses", f"{trouble.said}, while an agent was at work", MEND)
        else:
            yield ReportRow(
                AMBER,
                "losses",
                f"{trouble.said}; no agent was at work, so it stays so",
                f"interlock install {client}",
            )
    if made is None or client not in [one.client for one in made.installs]:
        why = "what was installed for it was not written down, so it is not noticed when it goes"
        yield ReportRow(AMBER, "losses", why, f"interlock install {client}")
    elif not mine and not said:
        fate = (
            "put back" if made.repair else "told, and not put back (`interlock init --self-repair`)"
        )
        yield ReportRow(GREEN, "losses", f"none; what an agent takes away is {fate}")


def _relay(client: str) -> ReportRow:
    """Say how calls are asked about: by a relay in C, shipped or built here, by the hook's own in
    Python, or each in a process of its own.
    """
    if not is_wanted(os.environ):
        return ReportRow(GREEN, "resident", "off: each call is judged in a process of its own")
    said = resident.describe_guard(resident.here(build.state_folder(os.environ)))
    relay = line_for(client).relay
    if relay:
        return ReportRow(
            GREEN,
            "resident",
            "asked by a relay in C that was"
            f" {'shipped' if building.is_shipped(relay) else 'built here'}; {said}",
        )
    why = (
        "it is asked in Python, some milliseconds slower for each call, since no relay in C was"
        " shipped and no C compiler was found to build one; once there is one (such as gcc):"
    )
    return ReportRow(AMBER, "resident", f"{said}; {why}", f"interlock install {client}")


def _bundle(client: str) -> ReportRow:
    if os.path.exists(bundle.path_of(os.path.dirname(line_for(client).file))):
        return ReportRow(GREEN, "start", "the modules are in one file")
    return ReportRow(
        AMBER,
        "start",
        "the modules are not in one file, so every call waits longer",
        f"interlock install {client}",
    )
