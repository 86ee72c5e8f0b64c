"""What comes down from the service: one stream that stays open, in a thread of its own. Whatever it
says, the sidecar asks for what stands; so nothing hangs on a hint that was lost.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import uniform
from threading import Event, Thread
from time import monotonic
from typing import Any

from interlock.model.jsontext import object_of
from interlock.sidecar.client import SidecarClient, UnreachableError, number, why
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.stops import Stops
from interlock.store.elsewhere import EnrolmentState
from interlock.store.place import StoreError

QUIET_SECONDS = 40.0
"""Without a word, a beat included, after which a stream counts as dead."""
FIRST_SECONDS, MOST_SECONDS = 1.0, 30.0
"""Between which a wait is drawn before the stream is begun anew, at most twice as long each
time.
"""
REFUSED_SECONDS = 60.0
AWAY_SECONDS = 5.0
LONGEST = 1 << 20
"""Bytes of a line that are read."""


class ServiceStream:
    """One service's stream. ``drawn`` draws the length of a wait; ``hinted`` hears that there may
    be another policy.
    """

    def __init__(
        self,
        where: EnrolmentState,
        stops: Stops,
        asks: SidecarRequests,
        ended: Event,
        drawn: Callable[[float, float], float] = uniform,
        hinted: Callable[[], None] = lambda: None,
    ) -> None:
        self._where, self._stops, self._asks = where, stops, asks
        self._ended, self._drawn, self._hinted = ended, drawn, hinted
        self._open: SidecarClient | None = None
        self._asking = SidecarClient(where.url, where.pin, where.credential)
        self._away = 0.0
        self.greeted = Event()
        """Set by each stream that opens."""

    def begin(self) -> None:
        """Listen from now on."""
        Thread(target=self.run, daemon=True).start()

    def fetch(self) -> bool:
        """Ask for what stands, from the thread that sends; tell whether the service answered."""
        try:
            return self._stops.fetch(self._asking).status == 200
        except UnreachableError:
            return False

    def heard(self, epoch: int) -> None:
        """Learn from any answer which stop or resumption is the newest. Where the stream should
        have said so, it is dead.
        """
        if epoch > self._stops.epoch:
            self.fetch()
            self.cut()

    def cut(self) -> None:
        """End the stream that is open, if one is."""
        opened = self._open
        if opened is not None:
            opened.cut()

    def close(self) -> None:
        """Let go of the connection of the thread that sends."""
        self._asking.close()

    def run(self) -> None:
        """Listen, and begin anew whenever that ends."""
        failed = 0
        while not self._ended.is_set():
            try:
                most = self._listen()
                failed = 0 if most is None else failed
            except UnreachableError:
                most = None
            failed += 1
            self._ended.wait(
                self._drawn(0.0, most or min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(failed, 9)))
            )

    def _listen(self) -> float | None:
        """Do what one stream says until it ends; return how long to wait at most where it was
        refused. Raises ``UnreachableError``.
        """
        client = SidecarClient(
            self._where.url, self._where.pin, self._where.credential, QUIET_SECONDS
        )
        self._open = client
        try:
            answer = client.begun("/v1/stream")
            if answer.status != 200:
                return REFUSED_SECONDS
            for kind, given in events(answer):
                self._take(kind, given)
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise UnreachableError(f"{self._where.url}: {why(error)}") from error
        finally:
            self._open = None
            client.close()
        return None

    def _take(self, kind: str, given: dict[str, Any]) -> None:
        if kind == "stop":
            self._stops.take_stop(given)
        elif kind == "resume":
            self._stops.take_resume(given)
        elif kind == "hello":
            self.greeted.set()
        everything = kind in ("hello", "check")
        if everything or kind == "bundle":
            self._hinted()
        stops = number(given, "now") > self._stops.epoch or self._stops.owes
        self._look(stops=everything or stops, asks=everything or kind == "approval")

    def _look(self, *, stops: bool, asks: bool) -> None:
        client = SidecarClient(self._where.url, self._where.pin, self._where.credential)
        # where it fails the stream ends, too, or the next word on it tries again
        with suppress(UnreachableError, StoreError):
            if stops:
                self._stops.fetch(client)
            if asks or self._asks.owes:
                self._asks.fetch(client)
        client.close()

    def asked(self) -> None:
        """Send the requests that are new, from the thread that looks at the store."""
        if monotonic() < self._away:
            return
        try:
            self._asks.look(self._asking)
        except (UnreachableError, StoreError):
            # the stream that comes back sends them, or the next look that is not too soon
            self._away = monotonic() + AWAY_SECONDS


def events(lines: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return a stream's events, as they come: kind and body."""
    kind = ""
    while line := lines.readline(LONGEST):
        name, _, text = line.decode("utf-8", "replace").rstrip("\r\n").partition(": ")
        if name == "event":
            kind = text
        elif name == "data":
            yield kind, object_of(text)
