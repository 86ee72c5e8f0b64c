"""``interlock uninstall CLIENT``: take out of a client's settings exactly what ``install`` put there."""

from __future__ import annotations

import sys

from interlock.cli.install import add_arguments
from interlock.integrations import changes
from interlock.integrations.clients import DOCUMENTED, adapter_of
from interlock.integrations.install import SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["NAME", "SUMMARY", "add_arguments", "run"]

NAME = "uninstall"
SUMMARY = "take the guard out of an agent client's settings"


def run(options: Namespace) -> int:
    """Uninstall, or show what would change. 0 done or nothing to do, 1 refused."""
    if options.client in DOCUMENTED:
        from interlock.integrations.documented import CLIENTS as ROWS

        print(f"interlock writes nothing for {ROWS[options.client].title}: take the line that names interlock out of {ROWS[options.client].file}")
        return 1
    settings = adapter_of(options.client).SETTINGS
    try:
        todo = changes.removing(settings, options.client, options.project)
        if options.dry_run or all(change.after == change.before for change in todo):
            sys.stdout.write("".join([change.diff() for change in todo]) or f"interlock is not in {todo[-1].path}\n")
            return 0
        for change in todo:
            change.make()
    except SettingsError as error:
        sys.stderr.write(f"interlock uninstall: {error}\nNothing was changed. Mend the file and try again, or take the hooks out by hand.\n")
        return 1
    print(f"{options.client} no longer asks interlock ({todo[-1].path})")
    return 0
