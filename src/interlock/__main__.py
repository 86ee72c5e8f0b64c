"""The command ``interlock`` as a process of its own: its modules come from the bundle, where one
was written and fits, as those of the hook do (``interlock.cli.bundle``); else from their files.
"""

from __future__ import annotations

import gc
import os
import sys

from interlock.cli.bundle import use

_SMALL = frozenset({"version", "--version", "-V", "resident"})
"""Commands that need next to nothing of it, and one whose process is to have all of it loaded."""


def main() -> int:
    """Run the command line; return its exit code."""
    gc.disable()  # what is loaded now stays, and to look through it for waste costs as much again
    if not _SMALL.intersection(sys.argv[1:2]):
        use(os.path.dirname(os.path.abspath(__file__)))
    from interlock.cli import main as command

    gc.freeze()
    gc.enable()
    return command.main()


if __name__ == "__main__":
    raise SystemExit(main())
