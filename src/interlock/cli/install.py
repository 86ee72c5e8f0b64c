"""``interlock install CLIENT``: make an agent client ask the guard before every tool call."""

from __future__ import annotations

import compileall
import os
import sys

from interlock.cli import bundle
from interlock.integrations import install
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.install import Line, SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from interlock.integrations.protocol import Settings

NAME = "install"
SUMMARY = "make an agent client ask the guard before every tool call"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client, whose settings are meant, and the dry run; ``uninstall`` takes the same."""
    parser.add_argument("client", choices=sorted(CLIENTS), help="the agent client")
    parser.add_argument(
        "--project", nargs="?", const=".", metavar="FOLDER", help="the settings of one project (default: the current folder), not the user's"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change and make none")
    parser.add_argument("--trust", action="store_true", help="where the client runs only hooks that were trusted: trust interlock's on your behalf")


def run(options: Namespace) -> int:
    """Install, or show what would change. 0 done or nothing to do, 1 refused."""
    settings = adapter_of(options.client).SETTINGS
    path, line = settings_path(settings, options.project), line_for(options.client)
    try:
        before = install.content(path)
        after = install.installed(before, settings, line, path)
        if options.dry_run:
            sys.stdout.write(install.diff(path, before, after) or f"nothing to change in {path}\n")
            return 0
        backup = install.write(path, after) if after != before else ""
    except SettingsError as error:
        sys.stderr.write(f"interlock install: {error}\n\nNothing was changed. Mend the file, or put this into it yourself:\n\n")
        sys.stderr.write(install.snippet(settings, line))
        return 1
    _compile(os.path.dirname(line.file))
    print(f"{options.client} asks interlock before every tool call ({path})" if after != before else f"already installed in {path}")
    if backup:
        print(f"the file as it was: {backup}")
    if settings.trusting and not _trusted(settings, options.client, os.path.abspath(options.project or "."), consent=options.trust):
        return 1
    print("sessions that run already may have to be restarted; check it with: interlock doctor")
    return 0


def _trusted(settings: Settings, client: str, folder: str, *, consent: bool) -> bool:
    """See to it that the client runs our hooks, with the user's consent; tell whether they are trusted or the user was told how to."""
    from interlock.integrations import trust

    try:
        found = trust.trust(settings, client, folder) if consent else trust.hooks(settings, client, folder)
    except trust.TrustError as error:
        print(f"whether {client} trusts these hooks could not be seen ({error}); it runs none that is not trusted: interlock doctor {client}")
        return not consent
    waiting = [hook.event for hook in found if not hook.trusted]
    if not waiting and found:
        print(f"{client} trusts these hooks")
    elif consent:
        print(f"{client} still does not trust {', '.join(waiting) or 'its hooks'}: start {settings.program} in {folder} and review them there")
        return False
    else:
        print(f"NOT GUARDED YET: {client} runs no hook before you trusted it. To trust interlock's: interlock install {client} --trust")
    return True


def _compile(package: str) -> None:
    """Compile the package and bundle it: a hook that must compile or open ninety files first is slow. A read-only package stays as it is."""
    compileall.compile_dir(package, quiet=2)
    try:
        bundle.write(package)
    except OSError as problem:
        print(f"the hook will start more slowly: its bundle could not be written ({problem.strerror}: {problem.filename})")


def settings_path(settings: Settings, project: str | None) -> str:
    """Return the file that is written: the user's, or a project's."""
    return os.path.join(install.folder_of(settings, project), settings.file)


def line_for(client: str) -> Line:
    """Return the line that this installation of interlock is started by."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return Line(os.path.abspath(sys.executable), os.path.join(package, "hook.py"), client)
