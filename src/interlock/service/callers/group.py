"""Group commit: steps are done one after the other in a thread of their own, and what those record
that came together is one transaction. Each is answered once that is on the disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Condition, Thread, current_thread
from typing import Any, Protocol, TypeVar

from interlock.model.record import Record
from interlock.service.callers.record import Caller, RecordEntry, append
from interlock.service.store.protocol import ServiceStore, ServiceStoreError, ServiceWriter
from interlock.store.chain import now

T = TypeVar("T")
MOST_WAITING = 1000
"""Steps that wait; whoever comes then is told to come again."""
MOST_AT_ONCE = 64
IDLE_SECONDS = 10.0
"""After so long without a step the thread ends; the next one begins another."""


class CrowdError(Exception):
    """So many steps wait that no more are taken."""


class StepOutcome(Record):
    """What a step found, and what of it is recorded of whom."""

    found: object
    caller: Caller
    entries: tuple[RecordEntry, ...]


class _Waiting:
    """A step, and who waits for it."""

    __slots__ = ("future", "loop", "outcome", "recorded", "step", "wrong")

    def __init__(self, step: Callable[[], StepOutcome]) -> None:
        self.step = step
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[object] = self.loop.create_future()
        self.outcome: StepOutcome | None = None
        self.wrong: Exception | None = None
        self.recorded = False

    def do(self) -> None:
        """Do it; what fails is told to whoever waits, and to nobody else."""
        try:
            self.outcome = self.step()
        except Exception as error:  # noqa: BLE001 - the thread goes on for the others
            self.wrong = error

    def settle(self) -> None:
        """Say what came of it, within the loop."""
        if self.future.done():
            return  # who asked has gone
        if self.wrong is None and self.outcome is not None and self.recorded:
            self.future.set_result(self.outcome.found)
        else:
            self.future.set_exception(self.wrong or ServiceStoreError("nothing was recorded"))


class GroupWatcher(Protocol):
    """What is told of each group."""

    def begin_group(self) -> None:
        """One begins."""

    def end_group(self, written: Mapping[Caller, tuple[int, int]]) -> None:
        """One was recorded: of whom, behind which record and up to which."""

    def tidy(self) -> None:
        """One was answered, and nobody waits."""


class GroupWriter:
    """``watcher``: told of each group; ``sizes``: of how many steps it was."""

    def __init__(self, keeping: ServiceStore, watcher: GroupWatcher) -> None:
        self._keeping, self._watcher = keeping, watcher
        self.sizes: Callable[[int], None] = lambda _: None
        self._queue: deque[_Waiting] = deque()
        self._turn = Condition()
        self._thread: Thread | None = None
        self._ended = False

    @property
    def waiting(self) -> int:
        """How many steps wait for their turn."""
        return len(self._queue)

    async def do(self, step: Callable[[], StepOutcome]) -> Any:
        """Return what a step found, once what it records is on the disk. Raises what the step
        raises, ``ServiceStoreError`` where nothing could be recorded, and ``CrowdError``.
        """
        waiting = _Waiting(step)
        with self._turn:
            if len(self._queue) >= MOST_WAITING or self._ended:
                raise CrowdError
            self._queue.append(waiting)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="decide", daemon=True)
                self._thread.start()
            self._turn.notify()
        return await waiting.future

    def close(self) -> None:
        """End the thread, once what waits is done."""
        with self._turn:
            self._ended = True
            self._turn.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            while group := self._next():
                self._answer(group)
        finally:
            with self._turn:
                if self._thread is current_thread():
                    self._thread = None  # whatever ended it, the next step begins another

    def _answer(self, group: Sequence[_Waiting]) -> None:
        """Do the steps of a group, record them, and say what came of each."""
        try:
            self._watcher.begin_group()
            for one in group:
                one.do()
            self._record([one for one in group if one.outcome is not None])
        finally:
            for loop in {one.loop for one in group}:
                some = [one for one in group if one.loop is loop]
                with suppress(RuntimeError):  # it is closed: nobody waits any more
                    loop.call_soon_threadsafe(_settle_all, some)
        self.sizes(len(group))
        self._watcher.tidy()

    def _next(self) -> list[_Waiting]:
        """Return what came meanwhile; nothing once the thread is to end."""
        with self._turn:
            if not self._queue and not self._ended:
                self._turn.wait(IDLE_SECONDS)
            group = [self._queue.popleft() for _ in range(min(len(self._queue), MOST_AT_ONCE))]
            if not group:
                self._thread = None
            return group

    def _record(self, group: Sequence[_Waiting]) -> None:
        """Write all of a group; where that fails, nobody of it gets what was found."""
        entries: dict[Caller, list[RecordEntry]] = {}
        for one in group:
            if one.outcome is not None and one.outcome.entries:
                entries.setdefault(one.outcome.caller, []).extend(one.outcome.entries)
        try:
            if entries:
                self._watcher.end_group(self._write(entries))
        except Exception as error:  # noqa: BLE001 - each who waits is told
            for one in group:
                one.wrong = error
        for one in group:
            one.recorded = one.wrong is None

    def _write(
        self, entries: Mapping[Caller, Sequence[RecordEntry]]
    ) -> dict[Caller, tuple[int, int]]:
        """Write entries in one transaction; return behind which record each caller's are, and up to
        which.
        """
        at = now()

        def work(keeping: ServiceWriter) -> dict[Caller, tuple[int, int]]:
            return {one: append(keeping, one, some, at) for one, some in entries.items()}

        return self._keeping.write(work)


def _settle_all(some: Sequence[_Waiting]) -> None:
    for one in some:
        one.settle()
