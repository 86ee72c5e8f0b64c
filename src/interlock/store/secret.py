"""The keys of a store, one for the marks that stand for secrets, one to sign the audit's head:
random, made once, readable by their owner only.
"""

from __future__ import annotations

import sys

from interlock.store.place import StoreError, prepare

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

SIZE = 32
_BYTES = getattr(system, "O_BINARY", 0)
"""Elsewhere than on Unix a file is text, and changed so, unless this says otherwise."""
REDACTION, AUDIT = "redaction.key", "audit.key"


def key(folder: str, name: str = REDACTION) -> bytes:
    """Return one of the store's keys, making it at the first use; raises ``StoreError``.

    Two processes that make it at once end with the same one: it is linked into place whole, and
    only the first link succeeds.
    """
    path = f"{folder}/{name}"
    try:
        return _read(path)
    except FileNotFoundError:
        prepare(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    try:
        _make(path)
        return _read(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}") from error


def _read(path: str) -> bytes:
    descriptor = system.open(path, system.O_RDONLY | _BYTES)
    try:
        found = system.read(descriptor, SIZE + 1)
    finally:
        system.close(descriptor)
    if len(found) != SIZE:
        raise StoreError(
            f"{path} is not a key of {SIZE} bytes: move it away and a new one is made (what the old"
            " one marked or signed then compares with nothing)"
        )
    return found


def _make(path: str) -> None:
    fresh = f"{path}.{system.getpid()}"
    descriptor = system.open(
        fresh, system.O_WRONLY | system.O_CREAT | system.O_TRUNC | _BYTES, 0o600
    )
    try:
        system.write(descriptor, system.urandom(SIZE))
    finally:
        system.close(descriptor)
    try:
        system.link(fresh, path)
    except FileExistsError:
        return
    finally:
        system.unlink(fresh)
