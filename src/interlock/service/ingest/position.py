"""Where a batch belongs: behind which event, and what it says is missing before it."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.model.record import Record
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import MAIN, Branch, Chain
from interlock.wire.batch import BatchLine


class Batch(Record):
    """What a machine sent. ``previous``: the hash of the event before the first line, by the
    machine's own store; ``after``: that event's number, which is smaller than the one before the
    first where the machine has lost what lies between.

    ``head``: the machine's last event.
    """

    chain: str
    previous: str
    after: int
    head: int
    lines: tuple[BatchLine, ...]

    @property
    def first(self) -> int:
        """The number of its first event."""
        return self.lines[0].seq


class ChainPosition(Record):
    """Behind the event ``seq`` of a branch (``None``: at the beginning of an empty chain)."""

    branch: int | None
    seq: int
    hash: str


class BatchRefusedError(Exception):
    """The batch does not fit. ``kind``: ``gap`` or ``fork``; ``said``: what the machine needs to
    send what does.
    """

    def __init__(self, kind: str, **said: object) -> None:
        super().__init__(kind)
        self.kind, self.said = kind, said


def place(known: ServiceReader, chain: Chain, batch: Batch) -> ChainPosition:
    """Return where a batch belongs; raises ``BatchRefusedError``."""
    branches = known.branches(chain.id)
    if not branches:
        return _beginning(chain, batch)
    found = _node(known, chain, branches, (batch.after, batch.previous))
    if found is not None:
        return ChainPosition(found, batch.after, batch.previous)
    main = branches[MAIN]
    if batch.after < batch.first - 1 and batch.after == main.seq:
        # what came between is gone from that machine, and so is the hash that would join them
        return ChainPosition(MAIN, main.seq, batch.previous)
    if batch.first < chain.first:
        raise BatchRefusedError("gap", expected=chain.first, hash=chain.base)
    if batch.first <= max(one.seq for one in branches) + 1:
        raise BatchRefusedError("fork", at=batch.first - 1)
    raise BatchRefusedError("gap", expected=main.seq + 1, hash=main.hash)


def _beginning(chain: Chain, batch: Batch) -> ChainPosition:
    if batch.first != chain.first:
        raise BatchRefusedError("gap", expected=chain.first, hash=chain.base)
    return ChainPosition(None, chain.first - 1, batch.previous)


def _node(
    known: ServiceReader, chain: Chain, branches: Sequence[Branch], event: tuple[int, str]
) -> int | None:
    """Return the branch of an event that is kept, or of the chain's beginning."""
    if event == (chain.first - 1, chain.base):
        return MAIN
    for one in branches:  # most batches go on where one ends, and nothing has to be looked up
        if event == (one.seq, one.hash) and one.seq > one.left:
            return one.number
    return known.nodes(chain.id, event[0], event[0]).get(event)


def tip(branches: Sequence[Branch], number: int) -> Branch:
    """Return a branch by its number."""
    return next(one for one in branches if one.number == number)
