"""Windows: what a job object, its token and its first process are asked for, as the bytes that
Windows takes (64 bits, winnt.h, winbase.h).

Pure, and the same on every machine; ``windows`` hands it over. A job holds how long, how much and
with which rights a process and all that it starts run. It holds **no file and no host**, so it is
no wall (``Walls``): whoever requires the kernel's does not run here.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Mapping, Sequence

from interlock.model.record import Record
from interlock.sandbox.bounds import Bounds


class JobInformation(Record):
    """What ``SetInformationJobObject`` is asked for: the information's number and bytes."""

    number: int
    data: bytes


LIMITS, INTERFACE = 9, 4
"""``JobObjectExtendedLimitInformation``, ``JobObjectBasicUIRestrictions``."""
ENDS_WITH_ITS_HANDLE, NO_ERROR_BOX, MEMORY_OF_EACH, PROCESSES = 0x2000, 0x400, 0x100, 0x8
"""``KILL_ON_JOB_CLOSE``, ``DIE_ON_UNHANDLED_EXCEPTION``, ``PROCESS_MEMORY``, ``ACTIVE_PROCESS``.
Neither ``BREAKAWAY_OK`` nor ``SILENT_BREAKAWAY_OK``: nothing leaves it.
"""
HELD = ENDS_WITH_ITS_HANDLE | NO_ERROR_BOX | MEMORY_OF_EACH | PROCESSES
NO_DESKTOP = 0xFF
"""Windows of others, the clipboard, the system's and the screen's settings, the table of atoms,
other desktops, logging off: none of it.
"""

FEWER_RIGHTS = 0x1 | 0x4
"""``DISABLE_MAX_PRIVILEGE``, ``LUA_TOKEN``: no privileges, and an administrator's groups count only
where they deny.
"""
KEPT_PRIVILEGE = struct.pack("<q", 23)
"""``SeChangeNotifyPrivilege``, without which no path below a closed folder is found: the one that
every token has.
"""

CREATION = 0x4 | 0x200 | 0x400 | 0x80000 | 0x8000000
"""``CREATE_SUSPENDED``, ``NEW_PROCESS_GROUP``, ``UNICODE_ENVIRONMENT``,
``EXTENDED_STARTUPINFO_PRESENT``, ``NO_WINDOW``.
"""
HANDLE_LIST = 0x20002
"""``PROC_THREAD_ATTRIBUTE_HANDLE_LIST``: what is inherited, and nothing else."""
_STREAMS_GIVEN = 0x100
NO_WALLS = (
    "a job of Windows bounds time, memory, processes and rights, and holds no file and no host"
)
LINE = ("/d", "/s", "/c")
"""cmd.exe: no commands from the registry first; what stands between the first and the last quote is
the line, then end (``cmd /?``).
"""

MAX_LINE = 8000
"""Of the 8191 characters that cmd.exe reads (learn.microsoft.com: command line string limitation),
less its own name.
"""


def build_requests(bounds: Bounds, *, nested: bool) -> tuple[JobInformation, ...]:
    """Return what a job is asked for. ``JOBOBJECT_EXTENDED_LIMIT_INFORMATION`` has 144 bytes: 64 of
    basic limits, 48 of counters, 4 sizes.

    ``nested``: it will lie in a job that interlock is in itself; then it may say nothing of the
    desktop (AssignProcessToJobObject).
    """
    basic = struct.pack("<qqI4xQQI4xQII", 0, 0, HELD, 0, 0, bounds.processes, 0, 0, 0)
    limits = JobInformation(LIMITS, basic + bytes(48) + struct.pack("<4Q", bounds.memory, 0, 0, 0))
    return (
        (limits,) if nested else (limits, JobInformation(INTERFACE, struct.pack("<I", NO_DESKTOP)))
    )


def startup(streams: Sequence[int], attributes: int) -> bytes:
    """Return a ``STARTUPINFOEXW`` (112 bytes): the handles of the three streams, the address of the
    list that says what is inherited.
    """
    return struct.pack(
        "<I4x3Q8I2H4x5Q", 112, 0, 0, 0, *[0] * 7, _STREAMS_GIVEN, 0, 0, 0, *streams, attributes
    )


def privileges(data: bytes) -> list[bytes]:
    """Return the ``LUID_AND_ATTRIBUTES`` (12 bytes each) of a ``TOKEN_PRIVILEGES``."""
    count = int.from_bytes(data[:4], "little")
    return [data[4 + 12 * at : 16 + 12 * at] for at in range(count)]


def lost_privileges(held: Sequence[bytes]) -> list[bytes]:
    """Return the privileges that a token loses."""
    return [one for one in held if one[:8] != KEPT_PRIVILEGE]


def block(environment: Mapping[str, str]) -> str:
    """Return variables as ``CreateProcess`` takes them: sorted without regard to case, each ended
    by NUL, and all by another.
    """
    rows = [f"{name}={environment[name]}" for name in sorted(environment, key=str.upper)]
    if any("\0" in row for row in rows):
        raise ValueError("a variable with a NUL cannot be handed over")
    return "\0".join([*rows, "", ""])


def command_line(argv: Sequence[str]) -> str:
    """Return words as one line. Behind ``LINE`` cmd.exe reads the last one as it stands; others
    take theirs apart as the C library does.

    Raises ``ValueError`` for a line of which cmd.exe would run the beginning only.
    """
    *front, last = argv
    if tuple(front[-len(LINE) :]) == LINE:
        if len(last) > MAX_LINE or "\n" in last:
            raise ValueError(
                f"cmd.exe takes one line of at most {MAX_LINE} characters; put it into a .cmd file"
            )
        return f'{subprocess.list2cmdline(front)} "{last}"'
    return subprocess.list2cmdline(argv)
