"""The sidecar's loop: it looks four times a second whether the store has changed, which costs one
word of SQLite and no turn at the database, and sends what is new: at once where a person may be
waiting for it, else at the pace that the service sets.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Event
from time import monotonic

from interlock.sidecar.guard_health import GuardHealth
from interlock.sidecar.reading import Portion, ends
from interlock.sidecar.ship import LONG_SECONDS, Shipper, ShipResult
from interlock.sidecar.stream import ServiceStream
from interlock.store.elsewhere import EnrolmentState, load_enrolment
from interlock.store.lock import acquire
from interlock.store.place import StoreError
from interlock.store.protocol import Storage
from interlock.wire.batch import MOST_LINES

LOOK_SECONDS = 0.25
WHOLE_SECONDS = 5.0
"""How often it looks all the same: a file that was moved away and begun anew may count alike."""
BEAT_SECONDS = 30.0
"""How often it says that it is there, where it has nothing to send."""
LOCK = "sidecar.lock"
GLANCE_SECONDS = 0.5
"""Whoever looks whether a sidecar runs holds its lock for less than that."""


class RunningError(Exception):
    """Another sidecar sends this store already."""


class SidecarLock:
    """The lock that one sidecar a store holds; raises ``RunningError`` or ``StoreError``. ``wait``:
    seconds in which it is tried for.
    """

    def __init__(self, folder: str, wait: float = 0.0) -> None:
        path = f"{folder}/{LOCK}"
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error.strerror}") from error
        if not acquire(self._descriptor, wait):
            self.let_go()
            raise RunningError("another sidecar sends this store already")

    def let_go(self) -> None:
        """Let another one take its place."""
        os.close(self._descriptor)


def is_running(folder: str) -> bool:
    """Tell whether a sidecar sends this store now."""
    try:
        SidecarLock(folder).let_go()
    except RunningError:
        return True
    except StoreError:
        return False
    return False


class Loop:
    """Sends until it is ended, or until this machine is enrolled no more, or elsewhere."""

    def __init__(
        self,
        store: Storage,
        where: EnrolmentState,
        ended: Event,
        checks: GuardHealth | None = None,
        down: ServiceStream | None = None,
    ) -> None:
        self._store, self._where, self._ended, self._down = store, where, ended, down
        self._shipper = Shipper(store, where, heard=down.heard if down is not None else None)
        self._away, self._asked, self._again = True, -1, 0.0
        self._gone = False
        self._checks = GuardHealth(where) if checks is None else checks
        self._version = -1
        self._until = self._sent = self._whole = 0.0

    def run(self) -> None:
        """Do so; raises ``StoreError`` where the store's folder is gone."""
        try:
            if self._down is not None:
                self._back(self._down)
                self._down.begin()
            while not self._ended.is_set() and self._ours():
                if not self._step():
                    self._ended.wait(LOOK_SECONDS)
        finally:
            self._shipper.close()
            if self._down is not None:
                self._down.close()

    def _ours(self) -> bool:
        found = load_enrolment(self._store.folder)
        return found is not None and found.credential == self._where.credential

    def _step(self) -> bool:
        """Send a batch, if it is time for one; tell whether there may be more at once."""
        try:
            version = int(self._store.query("PRAGMA data_version")[0][0])
            self._ask(version)
            if monotonic() < self._until and not self._is_back():
                return False
            if version == self._version and monotonic() < self._whole:
                return False
            some = self._next()
            if some is None:
                self._version, self._whole = version, monotonic() + WHOLE_SECONDS
                self._beat()
                return False
            if not self._due(some):
                return False
            if self._away and self._down is not None:
                self._back(self._down)
            sent = self._send(some)
        except StoreError:
            # held by others, or being moved aside: the next look tries again
            self._until = monotonic() + 1.0
            return False
        self._sent = monotonic()
        self._until = self._sent + sent.wait
        return not sent.wait

    def _is_back(self) -> bool:
        """Tell whether a service that gave no answer has opened its stream since: a pause of
        minutes is not waited out then.
        """
        return self._gone and self._down is not None and self._down.greeted.is_set()

    def _send(self, some: Portion) -> ShipResult:
        if self._down is not None:
            self._down.greeted.clear()
        sent = self._shipper.send(some)
        self._away, self._gone = bool(self._shipper.state.failing), sent.gone
        return sent

    def _ask(self, version: int) -> None:
        """Send the requests of people's answers that are new: they wait for no batch."""
        if self._down is None or (version == self._asked and monotonic() < self._again):
            return
        self._asked, self._again = version, monotonic() + WHOLE_SECONDS
        self._down.asked()

    def _back(self, down: ServiceStream) -> None:
        """Do what was ordered meanwhile before anything is sent: it was away, or has just begun."""
        self._away = not down.fetch()

    def _beat(self) -> None:
        """Say now and then that this machine is there."""
        self._checks.begin()
        if monotonic() >= self._sent + BEAT_SECONDS:
            sent = self._shipper.beat(ends(self._store)[1])
            self._sent = monotonic()
            self._until = self._sent + sent.wait

    def _next(self) -> Portion | None:
        if self._store.waiting():
            self._store.commit(())  # what waits in the spool joins the chain
        return self._shipper.waiting()

    def _due(self, some: Portion) -> bool:
        full = len(some.lines) >= MOST_LINES or self._shipper.behind
        return some.urgent or full or monotonic() >= self._sent + self._shipper.pace


def _short(least: float, most: float) -> float:
    return least + min(most, LONG_SECONDS) / 4


def drain(
    store: Storage, where: EnrolmentState, seconds: float, tried: Callable[[str], None]
) -> int:
    """Send all that waits, for so many seconds at most; return how many events still wait. Raises
    ``StoreError``.
    """
    shipper = Shipper(store, where, _short)
    pause, until = Event(), monotonic() + seconds
    try:
        while (some := shipper.waiting()) is not None:
            sent = shipper.send(some)
            if sent.wait:
                tried(shipper.state.why)
                if monotonic() + sent.wait > until:
                    return some.head - shipper.state.seq
                pause.wait(sent.wait)
    finally:
        shipper.close()
    return 0
