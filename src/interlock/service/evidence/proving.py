"""The proof that a decision stood in the record: from its row by the chain to the head of its
minute, from there to the minute's root, and on to a root that was anchored elsewhere.

Of other machines it shows nothing: their heads are hashes in it. Of the decision's own chain it
shows the events between the decision and the head, without the rows of their judgements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record
from interlock.service.ingest.roots import MARK, summarize
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import EventRow, Root
from interlock.store.chain import GENESIS, now
from interlock.wire.receipt import Receipt
from interlock.wire.tree import find_path

FORMAT = "interlock-proof 1"
AT_ONCE = 500
Proof = dict[str, Any]


class ProofError(Exception):
    """There is no such proof; one sentence says why."""


class MinuteHead(Record):
    """A head in a root. ``number``: of the root; ``at``: of the head in it."""

    number: int
    at: int
    head: tuple[Any, ...]


class ChainProver:
    """Proves decisions of a chain: the roots are read once, however many there are."""

    def __init__(self, known: ServiceReader, chain: str, anchored: Iterable[str] = ()) -> None:
        self._known, self._anchored = known, _read_anchors(anchored)
        self._roots = known.roots()
        self._heads = _list_heads(self._roots, chain)
        self._said: dict[int, str | None] = {}

    def prove(self, event: EventRow, signer: Signer) -> Proof:
        """Return the proof of a decision, as far as the first anchored root that vouches for it,
        or the newest where none is named; raises ``ProofError``.
        """
        name, seq = str(event.fields[5]), int(event.fields[0] or 0)
        if event.row is None:
            raise ProofError("its judgement was not sent")
        found = self._find_head(event)
        if found is None:
            raise ProofError(f"{name} is in no root yet: one is taken a minute after it came")
        chain, number, end, hashed = found.head
        steps = self._list_steps(found.number, self._find_last(found.number))
        first = self._roots[found.number]
        old = steps[0]["heads"] == first.heads
        receipt = signer.signed(Receipt(chain, end, hashed, now()))
        last = self._roots[found.number + len(steps) - 1]
        return {
            "format": FORMAT, "decision": name, "chain": chain, "row": [*event.row],
            "previous": _hash_before(self._known, event, seq),
            "events": _between(self._known, event, end),
            "head": [chain, number, end, hashed],
            "before": self._hash_before(found.number), "roots": steps,
            "path": None if old else [list(one) for one in find_path(loads(first.heads), found.at)],
            "root": {"minute": last.minute, "hash": last.hash},
            "receipt": {one: getattr(receipt, one) for one in Receipt.fields},
            "service_key": signer.public,
        }  # fmt: skip

    def _find_head(self, event: EventRow) -> MinuteHead | None:
        """Return the first head behind an event, of its branch."""
        for one in self._heads:
            if one.head[1] == event.branch and one.head[2] >= event.fields[0]:
                return one
        return None

    def _find_last(self, first: int) -> int:
        """Return the number of the root to which a proof leads; raises ``ProofError``."""
        if self._anchored is None:
            return len(self._roots) - 1
        for number in range(first, len(self._roots)):
            if (self._roots[number].minute, self._roots[number].hash) in self._anchored:
                return number
        minute = self._roots[first].minute
        raise ProofError(f"no root since {minute} is anchored there: anchor once more")

    def _list_steps(self, first: int, last: int) -> list[dict[str, str]]:
        """Return what leads from one root to another; raises ``ProofError``."""
        steps = []
        for number in range(first, last + 1):
            root = self._roots[number]
            if number not in self._said:
                self._said[number] = summarize(root, self._hash_before(number))
            said = self._said[number]
            if said is None:
                raise ProofError(f"the root of {root.minute} does not follow from the one before")
            steps.append({"minute": root.minute, "heads": said})
        return steps

    def _hash_before(self, number: int) -> str:
        return self._roots[number - 1].hash if number else GENESIS


def prove(known: ServiceReader, signer: Signer, name: str, anchored: Iterable[str] = ()) -> Proof:
    """Return the proof of a decision by its name; raises ``ProofError``."""
    event = find_decision(known, name)
    return ChainProver(known, event.chain, anchored).prove(event, signer)


def find_decision(known: ServiceReader, name: str) -> EventRow:
    """Return the event of a decision by its name, or by ``CHAIN/NAME``; raises ``ProofError``."""
    chain, _, short = name.rpartition("/")
    chains = [chain] if chain else [one.id for one in known.chains()]
    found = [(one, known.decision(one, short)) for one in chains]
    held = [(one, seen) for one, seen in found if seen is not None]
    if not held:
        raise ProofError(f"no machine sent a decision {name!r}")
    if len(held) > 1:
        names = ", ".join([f"{one}/{short}" for one, _ in held])
        raise ProofError(f"{name!r} is several: name one of {names}")
    where, seen = held[0]
    branch = known.nodes(where, seen.seq, seen.seq)[seen.seq, seen.hash]
    return known.events(where, branch, seen.seq - 1, 1)[0]


def _list_heads(roots: Sequence[Root], chain: str) -> list[MinuteHead]:
    """Return the heads of a chain, the oldest first."""
    named = dumps(chain)
    return [
        MinuteHead(number, at, tuple(head))
        for number, root in enumerate(roots)
        if named in root.heads
        for at, head in enumerate(loads(root.heads))
        if head[0] == chain
    ]


def _read_anchors(lines: Iterable[str]) -> set[tuple[str, str]] | None:
    """Return the roots that are anchored, None where no line says to be one."""
    said = [one.partition(MARK)[2] for one in lines if MARK in one]
    return {_read_anchor(one) for one in said} if said else None


def _read_anchor(text: str) -> tuple[str, str]:
    try:
        said = loads(text.strip())
        return str(said["minute"]), str(said["hash"])
    except (JsonError, KeyError, TypeError):
        return "", ""


def _between(known: ServiceReader, event: EventRow, end: int) -> list[dict[str, Any]]:
    """Return the events from a decision to its head."""
    found: list[dict[str, Any]] = []
    after = int(event.fields[0] or 0) - 1
    while after < end and (some := known.events(event.chain, event.branch, after, AT_ONCE)):
        few = [one for one in some if int(one.fields[0] or 0) <= end]
        found += [{"fields": [*one.fields], "hash": one.hash} for one in few]
        after = int(some[-1].fields[0] or 0)
    return found


def _hash_before(known: ServiceReader, event: EventRow, seq: int) -> str:
    """Return the hash of the event before one, on its branch."""
    branch = next(one for one in known.branches(event.chain) if one.number == event.branch)
    if seq - 1 == branch.left:
        return branch.base
    before = known.events(event.chain, event.branch, seq - 2, 1)
    return before[0].hash if before else branch.base
