"""The command ``interlock`` as a process of its own: its modules come from the bundle, where one
was written and fits, as those of the hook do (``interlock.cli.bundle``); else from their files.
"""

from __future__ import annotations

import gc
import os
import sys

_VERSION = (["version"], ["--version"], ["-V"])
_LOOKING = ["check"]
"""The command that the resident guard answers where there is one (``resident.command_relay``)."""
_LOADING = ["resident"]
"""The command whose process is to have all of it loaded."""


def main() -> int:
    """Run the command line; return its exit code."""
    words = sys.argv[1:]
    if words in _VERSION and tell_version():
        return 0
    package = os.path.dirname(os.path.abspath(__file__))
    if words[:1] == _LOOKING:
        from interlock.resident.command_relay import run_elsewhere  # no other command is asked for

        code = run_elsewhere(package, words)
        if code is not None:
            return code
    gc.disable()  # what is loaded now stays, and to look through it for waste costs as much again
    if words[:1] != _LOADING:
        from interlock.cli.bundle import use  # a version needs no bundle

        use(package)
    from interlock.cli import main as command

    gc.freeze()
    gc.enable()
    return command.main()


def tell_version() -> bool:
    """Print the version; tell whether it went out, for else the command itself says why not."""
    from interlock.model.release import describe  # nothing else does

    try:
        sys.stdout.write(f"{describe(sys.version)}\n")
        sys.stdout.flush()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
