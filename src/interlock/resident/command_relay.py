"""Has a command that only looks answered by the resident guard, in which all that it needs is
loaded: it says what this process would print and how it would end.

Where nobody answers, or the other process cannot know what this one would do (a terminal, words on
standard input, a policy that is to be read anew), the command is run in this very process.
"""

from __future__ import annotations

import os
import sys

from interlock.resident import relay
from interlock.resident.relay_protocol import (
    COMMAND,
    LONGEST,
    MAX_ANSWER,
    MAX_BODY,
    is_off,
    is_private,
    name_of,
)

_SWITCHES = "debug inspect interactive optimize verbose bytes_warning dev_mode".split()
"""Of the interpreter: a process that is there already does not have them."""


def run_elsewhere(package: str, words: list[str]) -> int | None:
    """Have a command answered and print what it prints; return its exit code, None where it is to
    be run here.
    """
    folder = f"{os.environ.get('HOME', '').rstrip('/')}/.local/state/interlock"
    if sys.platform != "linux" or not folder.startswith("/") or not _is_plain():
        return None
    name = name_of(sys.executable, package)
    if not os.path.exists(f"{folder}/{name}") or not is_private(folder):
        return None
    try:
        answer = relay.parse_answer(_ask(folder, name, _pack(words)))
        if answer is None or answer[2]:
            return None
        sys.stdout.buffer.write(answer[1])
        sys.stdout.flush()
    except (OSError, ValueError):
        return None
    return answer[0]


def _is_plain() -> bool:
    """Whether this process is one as any other: no terminal, and nothing was asked of the
    interpreter that another one would not do.
    """
    odd = any(getattr(sys.flags, name) for name in _SWITCHES) or sys.warnoptions or sys._xoptions  # noqa: SLF001 - where the interpreter keeps them
    return (
        not odd
        and sys.stdout is not None
        and not sys.stdout.isatty()
        and sys.getfilesystemencoding() == "utf-8"
        and not is_off(os.environ)
    )


def _pack(words: list[str]) -> bytes:
    """Return what the other process has to know: the folder, how texts become bytes here, and the
    words, each ended by NUL. Raises ``OSError`` where the folder is gone.
    """
    told = [os.getcwd(), sys.stdout.encoding, sys.stdout.errors or "strict", *words]
    return b"".join([os.fsencode(one) + b"\0" for one in told])


def _ask(folder: str, name: str, body: bytes) -> bytes:
    """Return what is said to a request; raises ``OSError``, and ``ValueError`` for a long one."""
    if len(body) > MAX_BODY:
        raise ValueError("it is longer than may be")
    connection = relay.connect(folder, name)
    try:
        relay.send_request(connection, relay.pack_request(COMMAND, b"-", body))
        return relay.receive(connection, MAX_ANSWER, LONGEST)
    finally:
        connection.close()
