"""What is remembered of a caller's sessions, in a store of its own beside the service's database:
marks, repeats, limits. It is no record. The record is written to the tenant's chain, so what the
guard would write of it is only collected here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from interlock.ledger import FORGOTTEN
from interlock.ledger.sessions import Ledger, SessionState
from interlock.model.call import ToolCall
from interlock.store.chain import now
from interlock.store.database import Store
from interlock.store.place import StoreError
from interlock.store.schema import Value, Write

RECORDED = "decision"
TOLD = ("outcome", "outcome-of-like")
"""Writes that the record has in its own words."""


class CallerMemory(Store):
    """The store of one caller. ``counting``: the policy counts decisions, so they are kept here,
    too; ``failed``: why something could not be remembered, empty where all could.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(folder, tidied=True)
        self.counting = False
        self.failed = ""
        self._judged: list[tuple[Value, ...]] = []

    def commit(self, writes: Sequence[Write]) -> None:
        """Remember what a session's later calls are to know; raises ``StoreError``."""
        self._judged += [values for name, values in writes if name == RECORDED]
        rest = [one for one in writes if self._is_ours(one[0])]
        try:
            super().commit(rest)
        except StoreError as error:
            self.failed = str(error)
            raise

    def _is_ours(self, name: str) -> bool:
        return self.counting or name not in (RECORDED, *TOLD)

    def spool(self, writes: Sequence[Write]) -> None:
        """Keep what could not be written for later, but for the record: that is elsewhere."""
        super().spool([one for one in writes if self._is_ours(one[0])])

    def forget(self, sessions: Iterable[str]) -> None:
        """Remember that not all is known of some sessions; raises ``StoreError``."""
        writes = [one for session in sessions for one in _forget(session)]
        if writes:
            super().commit(writes)

    def take_judged(self) -> list[tuple[Value, ...]]:
        """Return the rows of what was judged since the last time."""
        found, self._judged = self._judged, []
        return found


class CallerLedger(Ledger):
    """The sessions of a caller. One that the record knows and this memory does not (it was another
    node's, or the memory is gone) is one of which not all is known.
    """

    def __init__(self, memory: CallerMemory, in_record: Callable[[str], bool]) -> None:
        super().__init__(memory)
        self._in_record = in_record

    def session(self, session: str) -> SessionState:
        """Return what is remembered of a session; raises ``StoreError``."""
        found = super().session(session)
        if found.known or not session or not self._in_record(session):
            return found
        return found.replace(forgotten=True, older=True)

    @staticmethod
    def begun(call: ToolCall, remembered: SessionState) -> list[Write]:
        """Return the writes of a session's first call here."""
        writes = Ledger.begun(call, remembered.replace(older=False))
        if remembered.older and call.session:
            writes += _forget(call.session)
        return writes


def _forget(session: str) -> Iterable[Write]:
    """Yield the writes that remember that something came before which is not known."""
    yield "label", (session, "", FORGOTTEN, now())
    yield "marked", (1, 0, session)
