"""What of the store's chain is to be sent next."""

from __future__ import annotations

from itertools import islice

from interlock.audit.export import as_json
from interlock.audit.query import STOPS
from interlock.audit.source import ROW, ChainEvent, StoreChain
from interlock.model.record import Record
from interlock.store.chain import GENESIS, head
from interlock.store.protocol import Connection, Storage
from interlock.wire.batch import MOST_LINES

MOST_TEXT = 12 << 20
"""Bytes of a batch before it is packed: with these it stays below what a service takes."""
_BEFORE = "SELECT seq, hash FROM audit_event WHERE seq < ? ORDER BY seq DESC LIMIT 1"
_HASH = "SELECT hash FROM audit_event WHERE seq = ?"
_FIRST = "SELECT min(seq) FROM audit_event"
_VERDICT, _SESSION = ROW.index("verdict"), 4


class Portion(Record):
    """A run of events. ``after``, ``previous``: number and hash of the event before the first, in
    this store; ``head``: the store's last event; ``urgent``: whether a person may be waiting for
    one of them (asked, denied, stopped).
    """

    lines: tuple[str, ...]
    first: int
    last: int
    after: int
    previous: str
    head: int
    urgent: bool


def portion(store: Storage, after: int) -> Portion | None:
    """Return what comes behind an event, a batch at most; None where nothing does. Raises
    ``StoreError``.
    """
    return store.view(lambda connection: _portion(connection, after))


def _portion(connection: Connection, after: int) -> Portion | None:
    lines: list[str] = []
    last, size, urgent = 0, 0, False
    store = StoreChain(connection)
    for event in islice(store.events(after), MOST_LINES):
        line = as_json(_own(store, event))
        size += len(line)
        if last and (event.seq != last + 1 or size > MOST_TEXT):
            break  # a batch is a run, and what follows a hole is the next one's
        lines.append(line)
        last, urgent = event.seq, urgent or _urgent(event)
    if not lines:
        return None
    first = last - len(lines) + 1
    known, previous = _before(connection, first)
    return Portion(tuple(lines), first, last, known, previous, head(connection)[0], urgent)


def _own(store: StoreChain, event: ChainEvent) -> ChainEvent:
    """Return an event with what its own judgement's row says: of two ends of a call the row says
    the newer one, and the record of the older one stands alone.
    """
    older = (
        event.kind == "outcome"
        and event.became not in ("", event.body.get("digest"))
        and store.followed(event)
    )
    return event.replace(row=None) if older else event


def _before(connection: Connection, first: int) -> tuple[int, str]:
    """Return the event before one: of the chain, or the signed base that retention left."""
    found = connection.execute(_BEFORE, (first,)).fetchone()
    if found is not None:
        return int(found[0]), str(found[1])
    said = StoreChain(connection).retention() or {}
    through = said.get("through")
    return (through, str(said.get("hash"))) if isinstance(through, int) else (0, GENESIS)


def _urgent(event: ChainEvent) -> bool:
    if event.kind == "decision" and event.row is not None:
        return event.row[_VERDICT] in ("ask", "deny")
    return event.kind in STOPS


def hash_of(store: Storage, seq: int) -> str:
    """Return the hash of an event, empty where it is not there."""
    found = store.query(_HASH, (seq,))
    return str(found[0][0]) if found else ""


def ends(store: Storage) -> tuple[int, int]:
    """Return the first and the last event's numbers, zeros where there is none."""
    first = store.query(_FIRST)[0][0]
    return int(first or 0), store.view(head)[0]
