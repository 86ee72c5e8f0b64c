"""What a relay and the resident guard say to one another, and where they meet. A relay imports no
more of the house.

A relay sends one line, ``interlock 1 CLIENT MODE VARIABLES BODY``, the last two being lengths in
bytes, then its environment (each ``NAME=VALUE`` ended by NUL) and the client's event. The guard
says ``interlock 1`` and a new line when it has read all of it, so that a relay knows that somebody
is at work; then ``CODE OUT ERR``, a new line, and what is to be written on standard output and
standard error, and closes. Whatever is shorter, longer, later or other than that is no answer, and
the relay has the call judged in a process of its own. ``relay.c`` says the same in C.

A command is asked for in the same way, with ``command`` as the client, and a folder, two words
about the output and the words of the command as the event (``resident.command_relay``).
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = b"interlock 1"
"""How both begin; the number counts up with every change of what is written above."""
TAKEN = VERSION + b"\n"
"""What the guard says when it has read a request."""
COMMAND = b"command"
"""The client that is none: a command is asked for."""
SWITCH = "INTERLOCK_RESIDENT"
"""A variable: ``off`` where no resident guard is to be started or asked, which costs time and
loosens nothing; ``on`` where one is to be started, in any home.
"""
MAX_VARIABLES = 256 * 1024
"""Bytes of the environment."""
MAX_BODY = 256 * 1024
"""Bytes of an event: longer ones are judged in a process of their own, and delay nobody."""
MAX_ANSWER = 1 << 20
"""Bytes of an answer."""
PATIENCE = 1.0
"""Seconds within which a request has to be there and noted, and an answer taken."""
LONGEST = 20.0
"""Seconds within which an answer has to be there: the deadline of the one who judges is at 15."""
_KIND, _FOLDER = 0o170000, 0o040000


def name_of(python: str, package: str) -> str:
    """Return the name for an installation, this interpreter and this package folder: another one's
    hooks never come here.
    """
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found]  # without what `hashlib` imports
    else:
        from _sha256 import sha256  # type: ignore[import-not-found]
    return f"resident-{sha256(f'{python} {package}'.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}.sock"


def is_off(environment: Mapping[str, str]) -> bool:
    """Whether there is to be no resident guard."""
    return environment.get(SWITCH, "").lower() in ("off", "0", "no", "false")


def is_private(folder: str) -> bool:
    """Whether a folder is one, and its owner's alone: nobody else puts a socket there."""
    try:
        found = system.lstat(folder)
    except OSError:
        return False
    return (
        found.st_mode & _KIND == _FOLDER
        and found.st_uid == system.getuid()
        and not found.st_mode & 0o077
    )
