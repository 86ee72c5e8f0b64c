"""The relay in Python, for where none in C could be built: it asks the resident guard before
anything of the house is imported.

``resident/relay_protocol.py`` tells what is said. Whatever is amiss, nothing was written, and the
call is judged in this very process with what was read.
"""

from __future__ import annotations

import sys
from time import monotonic

from interlock.resident.relay_protocol import (
    LONGEST,
    MAX_ANSWER,
    MAX_BODY,
    PATIENCE,
    TAKEN,
    VERSION,
    is_private,
    name_of,
)

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

BEGUN = 3
"""Where the first part of the event is, if the relay found it too long for one message."""
OUTSIDE = b"INTERLOCK_OUTSIDE"
"""The variable of a client that runs behind walls: the port at which the guard outside is asked,
for its state is not to be had in there.
"""
read: list[bytes] = []
"""What was read of standard input."""


def ask_guard(package: str, words: list[str]) -> int | None:
    """Ask the resident guard, and write its answer; return the exit code, None where there was no
    answer. ``words``: the client and the mode.
    """
    home = (system.environ.get(b"HOME") or b"").rstrip(b"/")
    if sys.platform != "linux" or not home or "direct" in words:
        return None
    folder, name = (
        f"{home.decode('utf-8', 'surrogateescape')}/.local/state/interlock",
        name_of(sys.executable, package),
    )
    port = system.environ.get(OUTSIDE)
    if port is not None and not _is_there(folder):
        _take()
        return _write_answer(words, _outside(int(port), words, b"".join(read)))
    try:
        system.stat(f"{folder}/{name}")
    except OSError:
        return None
    if not is_private(folder):
        return None
    _take()
    body = b"".join(read)
    return _answer(folder, name, words, body) if len(body) <= MAX_BODY else None


def _take() -> None:
    while sum(map(len, read)) <= MAX_BODY and (chunk := system.read(0, 1 << 16)):
        read.append(chunk)


def _answer(folder: str, name: str, words: list[str], body: bytes) -> int | None:
    mode = words[1].encode() if len(words) > 1 else b"-"
    try:
        connection = connect(folder, name)
        try:
            send_request(connection, pack_request(words[0].encode(), mode, body))
            return _write_answer(words, receive(connection, MAX_ANSWER, LONGEST))
        finally:
            connection.close()
    except (OSError, ValueError):
        return None


def pack_request(client: bytes, mode: bytes, body: bytes) -> bytes:
    """Return a request, with this process's environment."""
    variables = b"".join([key + b"=" + value + b"\0" for key, value in system.environ.items()])
    head = b"%b %b %b %d %d\n" % (VERSION, client, mode, len(variables), len(body))
    return head + variables + body


def _is_there(path: str) -> bool:
    try:
        system.stat(path)
    except OSError:
        return False
    return True


def _outside(port: int, words: list[str], body: bytes) -> bytes:
    """Return the answer of the guard outside of the walls in which this client runs
    (``interlock.codemode.http_proxy``); raises ``OSError``: then the call is refused.
    """
    import _socket

    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", port))
        connection.settimeout(LONGEST)
        mode = words[1] if len(words) > 1 else "-"
        connection.sendall(b"HOOK %b %d\r\n\r\n" % (mode.encode(), len(body)))
        connection.sendall(body)
        told = receive(connection, MAX_ANSWER, LONGEST)
    finally:
        connection.close()
    if not told:
        raise OSError("the guard outside of these walls did not answer")
    return told


def _write_answer(words: list[str], told: bytes) -> int | None:
    """Write an answer; return its exit code, None for what is no answer. Raises ``ValueError``."""
    answer = parse_answer(told)
    if answer is None:
        return None
    whole = _write(1, answer[1]) and _write(2, answer[2])
    return answer[0] if whole else 1 if "note" in words[1:2] else 2


def parse_answer(told: bytes) -> tuple[int, bytes, bytes] | None:
    """Return exit code, output and errors; None for what is no answer. Raises ``ValueError``."""
    line, _, rest = told.partition(b"\n")
    code, out, err = map(int, line.split(b" "))
    if (
        not told.endswith(b"\n", 0, len(line) + 1)
        or out + err != len(rest)
        or not 0 <= code <= 255
        or min(out, err) < 0
    ):
        return None
    return code, rest[:out], rest[out:]


def connect(folder: str, name: str) -> _socket.socket:
    """Return a connection to the resident guard; raises ``OSError``."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        here, at = (
            system.open(".", system.O_RDONLY),
            system.open(folder, system.O_RDONLY | system.O_DIRECTORY | system.O_NOFOLLOW),
        )
        try:
            connection.settimeout(PATIENCE)
            system.fchdir(at)  # the path of a socket is short (unix(7)), and a home may not be
            connection.connect(name)
        finally:
            system.fchdir(here)
            system.close(here)
            system.close(at)
    except OSError:
        connection.close()
        raise
    return connection


def send_request(connection: _socket.socket, request: bytes) -> None:
    """Send a request; raises ``OSError`` where nobody says that it was taken."""
    connection.sendall(request)
    if receive(connection, len(TAKEN), PATIENCE) != TAKEN:
        raise OSError("no answer")


def receive(connection: _socket.socket, most: int, seconds: float) -> bytes:
    """Return what comes until the end, or until there is enough; raises ``OSError``, also where
    that is not there in so many seconds.
    """
    found, until = b"", monotonic() + seconds
    while len(found) < most:
        connection.settimeout(max(until - monotonic(), 0.001))
        chunk = connection.recv(most - len(found))
        if not chunk or monotonic() > until:
            break
        found += chunk
    return found


def _write(descriptor: int, rest: bytes) -> bool:
    try:
        while rest:
            rest = rest[system.write(descriptor, rest) :]
    except OSError:
        return False
    return True
