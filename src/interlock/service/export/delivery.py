"""Sending the record on: each destination in a thread of its own, so that a slow one delays nobody
else, from where it is to the end, batch by batch.

A batch is fixed in the database before it is sent, in the transaction that notes that the one
before was taken: whatever dies in between, the same batch is sent again under the same name. What
is not taken is tried again for ever; nothing is passed over but by a person.
"""

from __future__ import annotations

from collections.abc import Callable
from random import uniform
from secrets import token_hex
from threading import Event, Thread

from interlock.model.record import Record
from interlock.service.export.encoding import ExportBatch
from interlock.service.export.facts import describe_event, read_origins
from interlock.service.export.transport import (
    BatchSender,
    Credentials,
    EventRefusedError,
    NotTakenError,
    build_sender,
)
from interlock.service.keys import ServiceKeys
from interlock.service.secrets import later
from interlock.service.signing import Signer
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStore,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import REFUSED, Destination, ExportCursor
from interlock.store.chain import now

AT_ONCE = 500
LOOK_SECONDS = 1.0
"""How often it is looked whether something came."""
HELD_SECONDS = 120.0
"""How long a node that sends is waited for, before another one does: longer than a batch takes."""
FIRST_WAIT, MOST_WAIT = 1.0, 300.0
"""Seconds until it is tried again: at most twice as long each time."""
END_SECONDS = 5.0
MOST_SAID = 300


class ExportTools(Record):
    """What sending takes. ``fail``: is told what kept it from the database."""

    keeping: ServiceStore
    signer: Signer
    keys: ServiceKeys
    fail: Callable[[str], None]


class Exporter:
    """All destinations of a tenant."""

    def __init__(self, tools: ExportTools) -> None:
        self._tools = tools
        self._running: dict[str, ExportThread] = {}

    def look(self) -> None:
        """Begin to send to what was added, and end what was taken away."""
        found = {one.id: one for one in self._tools.keeping.read(lambda at: at.destinations())}
        for name in self._running.keys() - found.keys():
            self._running.pop(name).end()
        for name in found.keys() - self._running.keys():
            self._running[name] = made = ExportThread(self._tools, found[name])
            made.start()

    def close(self) -> None:
        """End all."""
        for one in self._running.values():
            one.end()
        for one in self._running.values():
            one.join(END_SECONDS)
        self._running.clear()


class ExportThread(Thread):
    """Sends to one destination."""

    def __init__(self, tools: ExportTools, where: Destination) -> None:
        super().__init__(name=f"export {where.id}", daemon=True)
        self._tools, self._where = tools, where
        self._holder = token_hex(8)
        self._ended = Event()
        self._sender: BatchSender | None = None
        self._next: ExportCursor | None = None

    def end(self) -> None:
        """End it, whatever it waits for."""
        self._ended.set()
        if self._sender is not None:
            self._sender.interrupt()

    def run(self) -> None:
        """Send until it is ended."""
        pause = 0.0
        while not self._ended.wait(pause):
            try:
                pause = self.step()
            except ServiceStoreError as error:
                self._tools.fail(str(error))
                pause = LOOK_SECONDS
            except Exception as error:  # noqa: BLE001 - one that ends would end unseen, for good
                self._tools.fail(f"a bug in interlock, in the export {self._where.id}: {error!r}")
                pause = MOST_WAIT
        if self._sender is not None:
            self._sender.close()

    def step(self) -> float:
        """Send a batch, where there is one; return for how many seconds nothing is to be done.
        Where it cannot be noted, nothing is sent before something can be.
        """
        cursor, self._next = self._next or self._begin(), None
        if cursor is None or cursor.through == cursor.position:
            return LOOK_SECONDS
        after = send_once(self._tools, self._get_sender(), cursor)
        if self._ended.is_set() and after.said:
            return 0.0  # it was ended, and did not fail
        saved = self._save(after)
        self._next = saved if saved is not None and not saved.due else None
        return 0.0

    def _begin(self) -> ExportCursor | None:
        """Return what is under way, once nobody else sends; None where nothing is to be sent."""
        if not self._tools.keeping.read(self._is_due):
            return None
        cursor = self._hold()
        return self._fixed(cursor) if cursor is not None and cursor.due <= now() else None

    def _get_sender(self) -> BatchSender:
        """Return what sends; raises ``ServiceStoreError`` where what authorizes cannot be read."""
        if self._sender is None:
            known_by = find_credentials(self._tools, self._where)
            self._sender = build_sender(self._where, known_by)
        return self._sender

    def _is_due(self, known: ServiceReader) -> bool:
        cursor = known.export_cursor(self._where.id)
        if cursor is None or cursor.due > now():
            return False
        return known.newest_arrival() > cursor.position

    def _hold(self) -> ExportCursor | None:
        name, holder, at = self._where.id, self._holder, now()
        return self._tools.keeping.write(
            lambda steps: steps.hold_export(name, holder, at, later(HELD_SECONDS))
        )

    def _fixed(self, cursor: ExportCursor) -> ExportCursor | None:
        """Return the cursor with a batch under way that the database knows, None where another
        one holds it by now.
        """
        if cursor.through > cursor.position:
            return cursor
        return self._save(cursor)

    def _save(self, cursor: ExportCursor) -> ExportCursor | None:
        """Keep how far it is, and what is sent next."""

        def work(steps: ServiceWriter) -> ExportCursor | None:
            through = cursor.through
            if through == cursor.position:
                through = steps.find_arrival(cursor.position, AT_ONCE)
            fixed = cursor.replace(through=through, until=later(HELD_SECONDS))
            return fixed if steps.save_export(fixed) else None

        return self._tools.keeping.write(work)


def find_credentials(tools: ExportTools, where: Destination) -> Credentials:
    """Return what a destination knows us by."""
    header = tools.keys.opened(where.sealed, where.id) if where.sealed else ""
    return Credentials(derive_key(tools.signer, where), header)


def derive_key(signer: Signer, where: Destination) -> bytes:
    """Return what signs messages for a destination: made of the service's key, kept nowhere."""
    return signer.derive_secret(f"export {where.id}")


def send_once(tools: ExportTools, sender: BatchSender, cursor: ExportCursor) -> ExportCursor:
    """Try what is under way; return how far the destination is after that."""
    batch, last_of_half = tools.keeping.read(lambda known: read_batch(known, cursor))
    try:
        if batch.events:
            sender.send(batch)
    except NotTakenError as error:
        return put_off(cursor, str(error), error.after)
    except EventRefusedError as error:
        if len(batch.events) > 1:
            return cursor.replace(through=last_of_half)
        return put_off(cursor, f"{REFUSED}{batch.events[0]['id']}: {error}")
    return cursor.replace(
        position=cursor.through, sent=cursor.sent + len(batch.events), taken=now(), tries=0,
        said="", failing="", due="",
    )  # fmt: skip


def read_batch(known: ServiceReader, cursor: ExportCursor) -> tuple[ExportBatch, int]:
    """Return what is under way, and the number of the last event of its first half."""
    events = known.arrivals(cursor.position, cursor.through, AT_ONCE)
    whose = read_origins(known, events)
    said = tuple([describe_event(one, whose[one.chain]) for one in events])
    name = f"{cursor.destination}-{cursor.position}-{cursor.through}"
    half = events[(len(events) - 1) // 2].id if events else cursor.through
    return ExportBatch(name, said), half


def put_off(cursor: ExportCursor, said: str, after: float = 0) -> ExportCursor:
    """Return how far a destination is that did not take a batch: it is tried again later."""
    most = min(MOST_WAIT, FIRST_WAIT * 2.0 ** min(cursor.tries, 20))
    return cursor.replace(
        tries=cursor.tries + 1, said=said[:MOST_SAID], failing=cursor.failing or now(),
        due=later(1 + max(after, uniform(most / 2, most))),  # noqa: S311 - no secret; whole seconds
    )  # fmt: skip
