"""The bell: what is said to the streams of machines. What it says is only a hint; the truth is in
the database, and each stream begins with a look there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

from interlock.model.record import Record
from interlock.service.open_stream import OpenStream, StreamMessage, encode_event

STREAMS = 3
"""Streams that one machine may hold: a connection that died is not always noticed at once."""
BEATS = 15
"""Parts of all streams, one after the other, that hear that the service is there."""


class Hint(Record):
    """``kind``: what a stream calls the event; ``body``: plain data."""

    kind: str
    body: Mapping[str, object]


EVERYTHING = Hint("check", {"what": "all"})


class Notifier:
    """All streams. ``epoch``: the newest that is known here, said with every answer to a machine;
    ``answered``: when people's newest answer was given of which machines were told; ``policy``: the
    newest of the team's policy that they were told of.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self.answered = self.policy = ""
        self._lock = Lock()
        self._streams: dict[str, list[OpenStream]] = {}
        self._opened = self._turn = 0

    def open(self, stream: OpenStream, hello: Hint) -> None:
        """Have a stream hear what is said from now on, and greet it; within its loop.

        Both in one step: what is said before is in the database by then, which it looks at once it
        is greeted.
        """
        with self._lock:
            self._opened += 1
            stream.turn = self._opened % BEATS
            mine = self._streams.setdefault(stream.machine, [])
            mine.append(stream)
            old = mine.pop(0) if len(mine) > STREAMS else None
        if old is not None:
            old.end()
        stream.write(self._encode(hello))

    def leave(self, stream: OpenStream) -> None:
        """Let go of a stream."""
        with self._lock:
            mine = [one for one in self._streams.get(stream.machine, ()) if one is not stream]
            self._streams[stream.machine] = mine
            if not mine:
                del self._streams[stream.machine]

    def list_machines(self) -> frozenset[str]:
        """Return the machines that listen."""
        with self._lock:
            return frozenset(self._streams)

    def ring(self, hint: Hint, meant: Callable[[OpenStream], bool] | None = None) -> None:
        """Say something to the machines that are meant, all where that is left open; from any
        thread.
        """
        message = self._encode(hint)
        self._each(self._select(meant), lambda stream: stream.write(message))

    def beat(self, hint: Hint) -> None:
        """Say to the next part of all streams that the service is there; from any thread."""
        self._turn = (self._turn + 1) % BEATS
        message = self._encode(hint)
        some = [stream for stream in self._select(None) if stream.turn == self._turn]
        self._each(some, lambda stream: stream.write(message))

    def end(self, meant: Callable[[OpenStream], bool] | None = None) -> None:
        """End streams; from any thread."""
        self._each(self._select(meant), OpenStream.end)

    def _encode(self, hint: Hint) -> StreamMessage:
        return encode_event(hint.kind, {"now": self.epoch, **hint.body})

    def _select(self, meant: Callable[[OpenStream], bool] | None) -> list[OpenStream]:
        with self._lock:
            return [
                stream
                for mine in self._streams.values()
                for stream in mine
                if meant is None or meant(stream)
            ]

    @staticmethod
    def _each(streams: list[OpenStream], work: Callable[[OpenStream], None]) -> None:
        for loop in {stream.loop for stream in streams}:
            some = [stream for stream in streams if stream.loop is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(_all, work, some)


def _all(work: Callable[[OpenStream], None], streams: list[OpenStream]) -> None:
    for stream in streams:
        work(stream)
