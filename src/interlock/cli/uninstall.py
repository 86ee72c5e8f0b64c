"""``interlock uninstall CLIENT``: take out of a client's settings exactly what ``install`` put there."""

from __future__ import annotations

import sys

from interlock.cli.install import add_arguments, settings_path
from interlock.integrations import install
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["NAME", "SUMMARY", "add_arguments", "run"]

NAME = "uninstall"
SUMMARY = "take the guard out of an agent client's settings"


def run(options: Namespace) -> int:
    """Uninstall, or show what would change. 0 done or nothing to do, 1 refused."""
    settings = adapter_of(options.client).SETTINGS
    path = settings_path(settings, options.project)
    try:
        before = install.content(path)
        after = install.uninstalled(before, settings, options.client, path)
        if options.dry_run or after == before:
            sys.stdout.write(install.diff(path, before, after) or f"interlock is not in {path}\n")
            return 0
        if after.strip() == "{}" and not any(install.backups(path)):
            install.remove(path)
        else:
            install.write(path, after)
    except SettingsError as error:
        sys.stderr.write(f"interlock uninstall: {error}\nNothing was changed. Mend the file and try again, or take the hooks out by hand.\n")
        return 1
    print(f"{options.client} no longer asks interlock ({path})")
    return 0
