"""Folders that a running sandbox lets be written: no policy file in one of them is believed as long
as it runs.

Each running sandbox holds the lock of a file among the guard's own, which says what it may write
and what of that it may not. A file whose lock is free is that of one that ended.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

Lent = tuple[tuple[str, ...], tuple[str, ...]]
"""What one sandbox may write and what there it may not: real paths, each with all below it."""

FOLDER = "sandboxes"
FRESH = ".new"
MAX_BYTES = 1 << 16
_ALL: Lent = (("/",), ())


class WritableLease:
    """A running sandbox's word of what it may write; a context manager. Raises ``OSError`` where it
    cannot be said.
    """

    def __init__(self, state: str, writes: Iterable[str], fixed: Iterable[str] = ()) -> None:
        self.folder = f"{state}/{FOLDER}"
        self.text = "\n".join([*[f"w{path}" for path in writes], *[f"f{path}" for path in fixed]])
        self.handle = -1
        self.path = ""

    def __enter__(self) -> None:
        from os import O_CREAT, O_EXCL, O_RDWR, makedirs, urandom  # no hook starts a sandbox

        makedirs(self.folder, mode=0o700, exist_ok=True)
        for name in system.listdir(self.folder):
            if not name.endswith(FRESH) and _of(f"{self.folder}/{name}") is None:
                _remove_file(f"{self.folder}/{name}")
        self.path = f"{self.folder}/{urandom(8).hex()}"
        self.handle = system.open(self.path + FRESH, O_RDWR | O_CREAT | O_EXCL, 0o600)
        _lock(self.handle, shared=False)
        try:
            _write_whole(self.handle, self.text.encode("utf-8", "surrogateescape"))
            system.rename(self.path + FRESH, self.path)
        except OSError:
            _remove_file(self.path + FRESH)
            system.close(self.handle)
            raise

    def __exit__(self, *_error: object) -> None:
        _remove_file(self.path)
        system.close(self.handle)


def _write_whole(handle: int, data: bytes) -> None:
    """Write all of it at once; raises ``OSError`` if there is no room: half a path is another."""
    if system.write(handle, data) < len(data):
        from errno import ENOSPC

        raise OSError(ENOSPC, "there is no room to say what a sandbox may write")


def _remove_file(path: str) -> bool:
    """Take a file away, and tell whether it was there: another process may have done so."""
    try:
        system.unlink(path)
    except FileNotFoundError:
        return False
    return True


def read_lent(state: str) -> tuple[Lent, ...]:
    """Return what each running sandbox may write. Total; an unreadable one may write anything."""
    try:
        names = system.listdir(f"{state}/{FOLDER}") if state else []
    except OSError:
        return ()
    found = [_of(f"{state}/{FOLDER}/{name}") for name in sorted(names)]
    return tuple([one for one in found if one is not None])


def _of(path: str) -> Lent | None:
    """Return a sandbox's word, or None where it does not run (any more, or yet)."""
    if path.endswith(FRESH):
        return None
    try:
        handle = system.open(
            path,
            system.O_RDONLY | getattr(system, "O_CLOEXEC", 0) | getattr(system, "O_NONBLOCK", 0),
        )
    except OSError as error:
        return None if isinstance(error, FileNotFoundError) else _ALL
    try:
        if _lock(handle, shared=True):
            return None
        said = system.read(handle, MAX_BYTES)
    except OSError:
        return _ALL
    finally:
        system.close(handle)
    if len(said) == MAX_BYTES:
        return _ALL
    lines = said.decode("utf-8", "surrogateescape").split("\n")
    return tuple([line[1:] for line in lines if line[:1] == "w"]), tuple(
        [line[1:] for line in lines if line[:1] == "f"]
    )


def _lock(handle: int, *, shared: bool) -> bool:
    """Take the lock of a file, and tell whether it was free; without such locks never."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return False
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def explain_refusal(path: str, some: tuple[Lent, ...]) -> str:
    """Return why a file is not believed while these sandboxes run, or ``""``."""
    from os.path import realpath  # only while one runs

    real = realpath(path)
    for writes, fixed in some:
        root = next((root for root in writes if _below(real, root)), "")
        if root and not any(_below(real, one) for one in fixed):
            return f"it lies in {root}, which a program in a sandbox may write just now"
    return ""


def _below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")
