"""Files without a name: what a process is given without anybody having to feed a pipe."""

from __future__ import annotations

import os

_NEVER_RUN = 0x8
"""``MFD_NOEXEC_SEAL`` (linux/memfd.h, Linux 6.3): it can never be made a program."""


def empty_file() -> int:
    """Return a descriptor of a new file, to be read and written; it is inherited by nobody."""
    if not hasattr(os, "memfd_create"):
        import tempfile

        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())
    try:
        return os.memfd_create("interlock", os.MFD_CLOEXEC | _NEVER_RUN)
    except OSError:  # an older kernel knows no such flag
        return os.memfd_create("interlock", os.MFD_CLOEXEC)


def memory_file(data: bytes) -> int:
    """Return a descriptor from which these bytes can be read."""
    number = empty_file()
    with open(number, "wb", closefd=False) as held:
        held.write(data)
    os.lseek(number, 0, os.SEEK_SET)
    return number
