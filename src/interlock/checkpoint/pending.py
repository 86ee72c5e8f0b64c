"""Calls whose end is waited for, each a mark: all that a report of an ended call looks for."""

from __future__ import annotations

import sys
from binascii import crc32, hexlify

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


def mark_of(session: str, call: str) -> str:
    """Return the name of a call's mark."""
    data = f"{session}\0{call}".encode("utf-8", "surrogatepass")
    return f"{crc32(data):08x}-{hexlify(data[-40:]).decode('ascii')}"


def waits(state: str, session: str, call: str) -> bool:
    """Tell whether the end of a call is waited for."""
    try:
        system.stat(f"{state}/checkpoints/open/{mark_of(session, call)}")
    except OSError:
        return False
    return True
