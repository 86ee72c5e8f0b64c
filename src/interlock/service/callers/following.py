"""What other nodes wrote of a caller: of a session that they judged calls of, not all is known
here from then on.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from interlock.service.callers.memory import CallerMemory
from interlock.service.callers.record import Caller
from interlock.service.store.protocol import ServiceReader, ServiceStore
from interlock.service.store.rows import MAIN, EventRow

FILE = "known"
"""In a memory's folder: up to which record of its chain it is this node's own knowledge."""
MOST_MISSED = 500
"""Records of others that are looked through; past that the whole memory is given up."""
_SESSION = 4


class RecordFollower:
    """Follows the chains of callers, one look for each group of calls. Raises
    ``ServiceStoreError``.
    """

    def __init__(self, keeping: ServiceStore) -> None:
        self._keeping = keeping
        self._known: dict[str, int] = {}
        self._looked: set[str] = set()

    def begin(self) -> None:
        """Look anew from now on."""
        self._looked.clear()

    def catch_up(self, caller: Caller, memory: CallerMemory) -> None:
        """Have a memory know of which sessions it does not know everything."""
        if caller.id in self._looked:
            return
        known = self._known.get(caller.id)
        known = _read(memory.folder) if known is None else known
        end, missed = self._keeping.read(lambda store: _find_missed(store, caller.chain, known))
        if len(missed) > MOST_MISSED or end < known:
            _give_up(memory)
        else:
            memory.forget({str(one.fields[_SESSION]) for one in missed} - {""})
        self._keep(caller, memory.folder, end)
        self._looked.add(caller.id)

    def note_written(self, caller: Caller, folder: str, before: int, after: int) -> None:
        """Note that this node added records; where others did just before, the next look finds
        theirs.
        """
        if self._known.get(caller.id) == before:
            self._keep(caller, folder, after)

    def _keep(self, caller: Caller, folder: str, known: int) -> None:
        if self._known.get(caller.id) == known:
            return
        self._known[caller.id] = known
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(f"{folder}/{FILE}", "w", encoding="ascii") as file:
            file.write(str(known))


def _find_missed(known: ServiceReader, chain: str, after: int) -> tuple[int, list[EventRow]]:
    """Return where a chain ends, and what of it lies behind a record."""
    end = next((one.seq for one in known.branches(chain)), 0)
    return end, known.events(chain, MAIN, after, MOST_MISSED + 1) if end > after else []


def _read(folder: str) -> int:
    """Return up to which record a memory knows everything; none where it does not say."""
    try:
        with open(f"{folder}/{FILE}", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def _give_up(memory: CallerMemory) -> None:
    """Begin a memory anew: what the record knows of sessions is all that is left of them."""
    memory.close()
    with suppress(FileNotFoundError):
        shutil.rmtree(memory.folder)
