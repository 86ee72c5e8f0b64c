"""What a team's service resumed stays resumed here: one small file for each of its stops, in
``fleet/`` of the state folder.

A stop that comes once more, or comes behind its own resumption, stops nothing then. The file comes
before the flag goes, so that whatever is ended in between is finished by the next look.
"""

from __future__ import annotations

import json
import os
import time

from interlock.model.record import Record
from interlock.stop import StopError
from interlock.stop.flags import lift_fleet

SERVICE, HERE = "service", "here"
"""Who let it go: the service, by its signature, or root on this machine without it."""


class LiftedStop(Record):
    """A stop that was let go. ``at``: Unix seconds."""

    epoch: int
    how: str
    by: str
    at: float


def folder(state: str) -> str:
    """Return where they lie: not beside the flags, where every call would meet them."""
    return f"{state}/fleet"


def free(state: str, epoch: int, how: str, by: str) -> bool:
    """Let go what a stop of the service stopped, now and whenever it comes again; tell whether it
    stopped anything. Raises ``StopError``.
    """
    path = f"{folder(state)}/{epoch}"
    try:
        os.makedirs(folder(state), mode=0o700, exist_ok=True)
        if not os.path.exists(path):
            said = {"epoch": epoch, "how": how, "by": by, "at": time.time()}
            with open(f"{path}.new", "w", encoding="ascii") as file:
                json.dump(said, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(f"{path}.new", path)
    except OSError as error:
        raise StopError(f"{path} cannot be written: {error.strerror}") from error
    return lift_fleet(state, epoch)


def read_freed(state: str, epoch: int) -> LiftedStop | None:
    """Return by whom a stop was let go, None where it was not. What cannot be read was let go: the
    file is there.
    """
    path = f"{folder(state)}/{epoch}"
    try:
        with open(path, encoding="ascii") as file:
            return LiftedStop(**json.load(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError):
        return LiftedStop(epoch, SERVICE, "", 0.0)
