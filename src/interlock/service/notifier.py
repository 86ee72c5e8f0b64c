"""The bell: what wakes the streams of machines. What it says is only a hint; the truth is in the
database, and each stream begins with a look there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from threading import Lock

from interlock.model.jsontext import dumps
from interlock.model.record import Record

EARS = 3
"""Streams that one machine may hold: a connection that died is not always noticed at once."""
PENDING = 50
"""Hints that wait for one stream; where more would, it is told to look at everything."""


class Hint(Record):
    """``kind``: what a stream calls the event; ``body``: plain data."""

    kind: str
    body: Mapping[str, object]


EVERYTHING = Hint("check", {"what": "all"})


class StreamListener:
    """One stream that listens; it belongs to the loop that made it."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self.loop = asyncio.get_running_loop()
        self._waiting: deque[Hint] = deque()
        self._woken = asyncio.Event()
        self._ended = False

    def hear(self, hint: Hint) -> None:
        """Take a hint, within the loop."""
        if len(self._waiting) >= PENDING:
            self._waiting.clear()
            hint = EVERYTHING
        self._waiting.append(hint)
        self._woken.set()

    def end(self) -> None:
        """Listen no more, within the loop."""
        self._ended = True
        self._woken.set()

    async def wait(self, seconds: float) -> list[Hint] | None:
        """Return what was heard, nothing after so many seconds; None once it is ended."""
        try:
            async with asyncio.timeout(seconds):  # `wait_for` makes a task for each of thousands
                await self._woken.wait()
        except TimeoutError:
            return []
        self._woken.clear()
        found = list(self._waiting)
        self._waiting.clear()
        return None if self._ended else found


class Notifier:
    """All streams. ``epoch``: the newest that is known here, said with every answer to a machine;
    ``answered``: when people's newest answer was given of which machines were told.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self.answered = ""
        self._lock = Lock()
        self._ears: dict[str, list[StreamListener]] = {}
        self._written = (EVERYTHING, -1, "")

    def written(self, hint: Hint) -> str:
        """Return a hint as its event, written once for all streams that it is for; within the
        loop.
        """
        known, epoch, text = self._written
        if known is not hint or epoch != self.epoch:
            data = dumps({"now": self.epoch, **hint.body})
            text = f"event: {hint.kind}\ndata: {data}\n\n"
            self._written = (hint, self.epoch, text)
        return text

    def listen(self, machine: str) -> StreamListener:
        """Return a new ear, within its loop."""
        ear = StreamListener(machine)
        with self._lock:
            mine = self._ears.setdefault(machine, [])
            mine.append(ear)
            old = mine.pop(0) if len(mine) > EARS else None
        if old is not None:
            old.end()
        return ear

    def leave(self, ear: StreamListener) -> None:
        """Let go of an ear."""
        with self._lock:
            mine = [one for one in self._ears.get(ear.machine, ()) if one is not ear]
            self._ears[ear.machine] = mine
            if not mine:
                del self._ears[ear.machine]

    def list_machines(self) -> frozenset[str]:
        """Return the machines that listen."""
        with self._lock:
            return frozenset(self._ears)

    def ring(self, hint: Hint, meant: Callable[[str], bool] | None = None) -> None:
        """Say something to the machines that are meant, all where that is left open; from any
        thread.
        """
        self._each(meant, lambda ear: ear.hear(hint))

    def end(self, meant: Callable[[str], bool] | None = None) -> None:
        """End streams; from any thread."""
        self._each(meant, StreamListener.end)

    def _each(
        self, meant: Callable[[str], bool] | None, work: Callable[[StreamListener], None]
    ) -> None:
        with self._lock:
            ears = [
                ear
                for machine, mine in self._ears.items()
                if meant is None or meant(machine)
                for ear in mine
            ]
        for loop in {ear.loop for ear in ears}:
            some = [ear for ear in ears if ear.loop is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(_all, work, some)


def _all(work: Callable[[StreamListener], None], ears: list[StreamListener]) -> None:
    for ear in ears:
        work(ear)
