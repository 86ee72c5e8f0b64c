"""The folder that holds all state: ``~/.local/state/interlock``, for its owner only.

``XDG_STATE_HOME`` is not asked: a cloned repository can set it for the hooks of some clients, and
would move the audit.

======================  =====================================================================
``interlock.db``        the audit and the ledger (with ``-wal`` and ``-shm`` beside it)
``spool.jsonl``         records that could not be written; the next writer takes them in
``spool.bad.jsonl``     lines of the spool that were not readable ``redaction.key``       the key of
the marks that stand for secrets ``audit.key``           the key that signs the audit's head
``enrolled.json``       the service that this store's record is sent to, and ``shipped.json``: how
far ``fleet/``              which stops of that service were resumed, one small file each
``service/``            what `interlock serve` keeps ``resident-*``          where the resident
guard listens and which process it is; ``resident.log``: what it has to say ``relay-*``
the program that asks it ``*.corrupt-*``         a database that was found damaged and moved aside
======================  =====================================================================
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


class StoreError(Exception):
    """State could not be read or written; the text is one sentence that says what and where."""


def home_folder(environment: Mapping[str, str]) -> str:
    """Return the user's home, by Windows' name for it where there is no other, or ``""``."""
    return environment.get("HOME") or environment.get("USERPROFILE") or ""


def state_folder(environment: Mapping[str, str]) -> str:
    """Return the folder's path; raises ``StoreError`` where the environment names no home."""
    home = home_folder(environment)
    if not home:
        raise StoreError("HOME is not set, so there is no place for the audit")
    return home.rstrip("/\\") + "/.local/state/interlock"


def prepare(folder: str) -> None:
    """Make the folder and those above it, the last one for its owner only; raises
    ``StoreError``.
    """
    try:
        system.stat(folder)
    except FileNotFoundError:
        _make(folder)
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {error.strerror}") from error


def _make(folder: str) -> None:
    missing = [folder]
    while True:
        above = missing[-1].rpartition("/")[0]
        if not above or above == missing[-1] or _exists(above):
            break
        missing.append(above)
    for path in reversed(missing):
        try:
            system.mkdir(path, 0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise StoreError(f"{path} cannot be made: {error.strerror}") from error


def _exists(path: str) -> bool:
    try:
        system.stat(path)
    except OSError:
        return False
    return True
