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
    print("sessions that run already may have to be restarted; check it with: interlock doctor")
    return 0


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
