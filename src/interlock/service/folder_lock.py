"""One service a folder: a file that is locked while it runs."""

from __future__ import annotations

import os

from interlock.store.lock import acquire
from interlock.store.place import prepare

FILE = "serve.lock"


class FolderLock:
    """``had``: whether the lock was free, and is held now. Raises ``StoreError`` or ``OSError``."""

    def __init__(self, folder: str) -> None:
        prepare(folder)
        self._descriptor = os.open(f"{folder}/{FILE}", os.O_RDWR | os.O_CREAT, 0o600)
        self.had = acquire(self._descriptor, 0)

    def let_go(self) -> None:
        """Let another one run."""
        os.close(self._descriptor)
