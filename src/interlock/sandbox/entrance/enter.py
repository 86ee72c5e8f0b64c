"""``python -I -S -c BOOT FOLDER DESCRIPTOR`` calls this: read what to do from a descriptor, put up
the walls, become the program.

Where that fails nothing runs: one sentence on standard error, exit code 125.
"""

from __future__ import annotations

import marshal
import os
import sys

from .walls import put_up

FAILED = 125


def main() -> None:
    """Read, wall in, run."""
    with os.fdopen(int(sys.argv[2]), "rb") as file:
        spec = marshal.load(file)  # noqa: S302 - written by the process that started this one
    try:
        put_up(spec)
        os.execve(spec["argv"][0], spec["argv"], spec["environment"])  # noqa: S606 - this is what it is for
    except OSError as error:
        os.write(
            2,
            f"interlock: the program was not started: {error.strerror or error}"
            f" {error.filename or ''}\n".encode(),
        )
    os._exit(FAILED)
