"""``interlock install CLIENT``: make an agent client ask the guard before every tool call."""

from __future__ import annotations

import compileall
import contextlib
import os
import sys
from argparse import ArgumentParser, Namespace

from interlock.cli import bundle_writer, installed, machine
from interlock.cli.colors import complain
from interlock.cli.folders import add_project
from interlock.data import programs
from interlock.integrations import changes, install
from interlock.integrations.changes import Change
from interlock.integrations.clients import CLIENTS, DOCUMENTED, adapter_of
from interlock.integrations.install import SettingsError, UnwrittenError, line_for
from interlock.integrations.protocol import Settings
from interlock.resident import building

NAME = "install"
SUMMARY = "add the guard to an agent client"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client, whose settings, and the dry run; ``uninstall`` takes the same."""
    parser.add_argument("client", choices=sorted((*CLIENTS, *DOCUMENTED)), help="the agent client")
    add_project(parser, "the settings of one project (default: the current folder), not the user's")
    parser.add_argument("--dry-run", action="store_true", help="show the change and make none")
    machine.add_json(parser, machine.HELP)
    parser.add_argument(
        "--trust",
        action="store_true",
        help="where the client runs only hooks that were trusted: trust interlock's on your behalf",
    )


def run(options: Namespace) -> int:
    """Install, or show what would change. 0 done or nothing to do, 1 refused."""
    told: dict[str, object] = {"client": options.client, "files": [], "backups": []}
    with machine.aside(wanted=options.json):
        code = _install(options, told)
    if options.json:
        machine.tell({**told, "done": code == 0 and not options.dry_run})
    return code


def _install(options: Namespace, told: dict[str, object]) -> int:
    if options.client in DOCUMENTED:
        return _print_setup(options.client)
    if not options.dry_run:
        compile_package()
    settings, line = adapter_of(options.client).SETTINGS, line_for(options.client)
    try:
        with changes.alone():
            todo, refused = plan_changes(options.client, options.project)
            told["files"] = machine.files(todo)
            backups = [] if options.dry_run else [change.make() for change in todo]
            told["backups"] = [backup for backup in backups if backup]
            unnoted = (
                ""
                if options.dry_run
                else installed.remember(os.environ, [options.client], options.project)
            )
    except SettingsError as error:
        complain(f"interlock install: {error}\n")
        if settings.plugin is None and not isinstance(error, UnwrittenError):
            complain(
                "\nNothing was changed. Mend the file, or put this into it"
                f" yourself:\n\n{install.snippet(settings, line)}"
            )
        return 1
    if options.dry_run:
        sys.stdout.write(
            "".join([change.diff() for change in todo]) or f"nothing to change in {todo[0].path}\n"
        )
        return 0
    report_unrecorded(unnoted, "install")
    path = todo[0].path
    fresh = any(change.after != change.before for change in todo)
    print(
        f"{options.client} asks interlock before every tool call ({path})"
        if fresh
        else f"already installed in {path}"
    )
    for backup in filter(None, backups):
        print(f"the file as it was: {backup}")
    if refused:
        print(refused)
    if settings.trusting and not ensure_trusted(
        settings, options.client, os.path.abspath(options.project or "."), consent=options.trust
    ):
        return 1
    print(
        "sessions that run already may have to be restarted; check it with: interlock doctor"
        f" {options.client}"
    )
    return 0


def report_unrecorded(problem: str, name: str) -> None:
    """Say why what was installed could not be written down, where it could not."""
    if problem:
        complain(
            f"interlock {name}: what was installed could not be written down, so nobody notices"
            f" when it goes: {problem}\n"
        )


def plan_changes(client: str, project: str | None) -> tuple[list[Change], str]:
    """Return the changes of installing, and why what holds where a plugin is not loaded cannot be
    written, or ``""``. Raises ``SettingsError``.
    """
    settings = adapter_of(client).SETTINGS
    todo = changes.installing(settings, line_for(client), project)
    try:
        return todo + changes.second(settings, project), ""
    except SettingsError as error:
        key, name, value = settings.plugin.line if settings.plugin else ("", "", "")
        why = (
            "so nothing guards where the plugin is not loaded; to mend it, put this last into"
            f' {key} yourself: "{name}": "{value}"'
        )
        return todo, f"{error}\n{why}"


def _print_setup(client: str) -> int:
    """Print what a person writes into an untried client's settings; nothing is written."""
    from interlock.integrations.documented import CLIENTS as ROWS

    compile_package()
    row, line = ROWS[client], line_for(client)
    print(
        f"{row.title} was not tried with interlock: this is made from its page ({row.page}), and"
        " nothing was written."
    )
    print(f"Put this into {row.file}:\n\n{row.written(line.command(note=False))}\n")
    print(
        f"If the hook fails, {row.title} says: {row.closed}. Try it with a harmless command that is"
        " refused: interlock check -- git push --force"
    )
    return 0


def ensure_trusted(settings: Settings, client: str, folder: str, *, consent: bool) -> bool:
    """See to it that the client runs our hooks, with the user's consent; tell whether they are
    trusted or the user was told how to.
    """
    from interlock.integrations import trust

    try:
        found = (
            trust.trust(settings, client, folder)
            if consent
            else trust.hooks(settings, client, folder)
        )
    except trust.TrustError as error:
        print(
            f"whether {client} trusts these hooks could not be seen ({error}); it runs none that is"
            f" not trusted: interlock doctor {client}"
        )
        return not consent
    waiting = [hook.event for hook in found if not hook.trusted]
    if not waiting and found:
        print(f"{client} trusts these hooks")
    elif consent:
        print(
            f"{client} still does not trust {', '.join(waiting) or 'its hooks'}: start"
            f" {settings.program} in {folder} and review them there"
        )
        return False
    else:
        print(
            f"NOT GUARDED YET: {client} runs no hook before you trusted it. To trust interlock's:"
            f" interlock install {client} --trust"
        )
    return True


def compile_package() -> None:
    """Compile the package, bundle it and build the relay: a hook that must compile or open ninety
    files first is slow.

    A package that may only be read stays as it is.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    compileall.compile_dir(package, quiet=2)
    try:
        bundle_writer.write(package)
        programs.write_index()
    except OSError as problem:
        print(
            f"the hook will start more slowly: its bundle could not be written ({problem.strerror}:"
            f" {problem.filename})"
        )
    build_relay()


def build_relay() -> None:
    """Build the relay that clients start; where that cannot be, the hook asks the resident guard by
    itself, some milliseconds slower.
    """
    with contextlib.suppress(OSError):  # `doctor` tells which way holds
        building.ensure_relay(os.environ)
