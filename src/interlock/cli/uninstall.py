"""``interlock uninstall [CLIENT]``: remove from a client's settings exactly what interlock put
there; without a client, undo all of `interlock init`.

Where nothing else changed since, a file is afterwards what it was before, byte for byte. What was
recorded stays.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from interlock.approvals.answers import AnswerError
from interlock.cli import build, installed, person_check, profile, setup_plan
from interlock.cli.colors import complain
from interlock.cli.folders import add_project
from interlock.integrations import changes
from interlock.integrations.changes import Change
from interlock.integrations.clients import CLIENTS, DOCUMENTED, adapter_of
from interlock.integrations.install import SettingsError, UnwrittenError
from interlock.integrations.servers import ServerEntry, list_servers
from interlock.policy.files import places
from interlock.policy.installation import remove_command

NAME = "uninstall"
SUMMARY = "remove the guard from an agent client"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client, whose settings are meant, and the dry run."""
    parser.add_argument(
        "client",
        nargs="?",
        choices=sorted((*CLIENTS, *DOCUMENTED)),
        help="the agent client (default: all, and `init`'s profile)",
    )
    add_project(parser, "the settings of one project (default: the current folder), not the user's")
    parser.add_argument("--dry-run", action="store_true", help="show the change and make none")
    person_check.add_token(parser)


def run(options: Namespace) -> int:
    """Uninstall, or show what would change. 0 done or nothing to do, 1 refused."""
    if options.client in DOCUMENTED:
        from interlock.integrations.documented import CLIENTS as ROWS

        print(
            f"interlock writes nothing for {ROWS[options.client].title}: take the line that names"
            f" interlock out of {ROWS[options.client].file}"
        )
        return 1
    try:
        if not options.dry_run:
            person_check.refuses_agents("take the guard away", given=options.token)
        with changes.alone():
            done = [
                _remove_client(client, options)
                for client in ([options.client] if options.client else CLIENTS)
            ]
            if options.client is None and options.project is None:
                done.append(_policy(dry=options.dry_run))
                if all(done):
                    _forget_client(options, None)
    except (UnwrittenError, AnswerError) as error:
        complain(f"interlock uninstall: {error}\n")
        return 1
    if options.client is None:
        _print_remaining(dry=options.dry_run)
    return 0 if all(done) else 1


def _remove_client(client: str, options: Namespace) -> bool:
    """Take one client's out; tell whether that could be done. Of all clients, those are passed over
    in silence that do not ask interlock.
    """
    try:
        todo = changes.removing(adapter_of(client).SETTINGS, client, options.project)
        nothing = all(change.after == change.before for change in todo)
        if options.client is None and nothing:
            return True
        if nothing:
            _forget_client(options, client)
        if nothing:
            print(f"interlock is not in {todo[-1].path}")
            return True
        if options.dry_run:
            print(f"{client} would no longer ask interlock")
            print("\n".join(setup_plan.render_removal(client, todo)))
            return True
        for change in todo:
            change.make()
        _forget_client(options, client)
    except UnwrittenError as error:
        complain(
            f"interlock uninstall: {error}\n{client} may still ask interlock; try again, or take"
            " the hooks out by hand.\n"
        )
        return False
    except SettingsError as error:
        complain(
            f"interlock uninstall: {error}\nNothing was changed. Mend the file and try again, or"
            " take the hooks out by hand.\n"
        )
        return False
    print(f"{client} no longer asks interlock ({todo[-1].path})")
    if adapter_of(client).SETTINGS.trusting:
        print(
            f"  what {client} itself noted of your trust stays in its own settings, and holds for"
            " no other hooks"
        )
    _print_wrapped(client, options.project)
    return True


def _forget_client(options: Namespace, client: str | None) -> None:
    """Have what went not be missed; until this is done nobody else compares."""
    try:
        if not options.dry_run:
            installed.forget(os.environ, client, options.project)
    except (build.StoreError, OSError) as problem:
        complain(
            "interlock uninstall: that this is wanted could not be written down"
            f" ({installed.sentence(problem)}), so it may be told as a loss\n"
        )


def _print_wrapped(client: str, project: str | None) -> None:
    """Say which of a client's MCP servers still need interlock to start."""
    found = list_servers(adapter_of(client).SETTINGS, project or os.getcwd())
    count = len([server for server in found if isinstance(server, ServerEntry) and server.behind])
    if count:
        print(
            f"{count} of its MCP servers still {'goes' if count == 1 else 'go'} through interlock"
            f" mcp: interlock servers unwrap {client}"
        )


def _policy(*, dry: bool) -> bool:
    """Put the policy file back as it was before `init`; tell whether that could be done."""
    try:
        change: Change | None = profile.plan_restore(places(os.environ))
        if change is None:
            return True
        if dry:
            sys.stdout.write(change.diff())
            return True
        change.make()
    except SettingsError as error:
        complain(f"interlock uninstall: {error}\n")
        return False
    print(f"{change.path} is as it was before")
    return True


def _print_remaining(*, dry: bool) -> None:
    """Say what stays."""
    try:
        folder = build.store(os.environ).folder
    except build.StoreError:
        return
    if os.path.isdir(folder):
        print(f"what was recorded {'would stay' if dry else 'stays'}: {folder}")
        print(f"To remove the program too: {remove_command()}")
