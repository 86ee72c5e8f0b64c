"""Writing down what the guard has to remember: in the store, where that fails in the spool, and
where that fails too it is lost, which is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.guard.failures import Failure, attempt
from interlock.model.record import Record
from interlock.store.protocol import Storage
from interlock.store.schema import Write


class PersistResult(Record):
    """What became of a record. ``failed``: why the store did not take it, or ``""``; ``lost``: why
    the spool did not take it either, or ``""``; ``notices``: what the store has to say.
    """

    failed: str = ""
    lost: str = ""
    notices: tuple[str, ...] = ()

    def sentence(self, what: str) -> str:
        """Say it of ``what``, in one sentence; ``""`` where it is in the store."""
        if not self.failed:
            return ""
        if not self.lost:
            return f"{what} could not be recorded ({self.failed}); it waits in the spool."
        also = "" if self.lost == self.failed else f"; {self.lost}"
        return f"{what} could not be recorded, and it is lost: {self.failed}{also}."


def keep(
    store: Storage,
    writes: Callable[[], Sequence[Write]],
    waiting: Callable[[str], Sequence[Write]] | None = None,
) -> PersistResult:
    """Write down what ``writes`` gives; ``waiting``: what is put into the spool in its place, for
    why the store did not take it. Total.
    """
    failure = attempt("audit", lambda: store.commit(writes()), type(None))
    if not isinstance(failure, Failure):
        notices, store.notices[:] = tuple(store.notices), ()
        return PersistResult(notices=notices)
    why = failure.why
    spooled = attempt(
        "spool", lambda: store.spool(waiting(why) if waiting else writes()), type(None)
    )
    return PersistResult(why, spooled.why if isinstance(spooled, Failure) else "")
