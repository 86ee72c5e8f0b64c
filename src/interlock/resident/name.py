"""The name of the resident guard's socket, and whether the folder that it lies in is its owner's alone. A relay imports no more of the house."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

_KIND, _FOLDER = 0o170000, 0o040000


def name_of(python: str, package: str) -> str:
    """Return the name for an installation, this interpreter and this package folder: another one's hooks never come here."""
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found]  # without what `hashlib` imports
    else:
        from _sha256 import sha256  # type: ignore[import-not-found]
    return f"resident-{sha256(f'{python} {package}'.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}.sock"


def is_private(folder: str) -> bool:
    """Whether a folder is one, and its owner's alone: nobody else puts a socket there."""
    try:
        found = system.lstat(folder)
    except OSError:
        return False
    return found.st_mode & _KIND == _FOLDER and found.st_uid == system.getuid() and not found.st_mode & 0o077
