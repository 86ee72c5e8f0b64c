"""The proof that a decision stood in the record: from its row by the chain to the head of its
minute, from there to the minute's root, and on to a root that was anchored elsewhere.

Of other machines it shows nothing: their heads are hashes in it. Of the decision's own chain it
shows the events between the decision and the head, without the rows of their judgements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from interlock.model.jsontext import JsonError, loads
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
    """A root that holds a head behind an event. ``number``: of the root; ``at``: of the head."""

    number: int
    at: int
    head: tuple[Any, ...]


def prove(known: ServiceReader, signer: Signer, name: str, anchored: Iterable[str] = ()) -> Proof:
    """Return the proof of a decision, as far as the first anchored root that vouches for it, or the
    newest where none is named; raises ``ProofError``.
    """
    event = find_decision(known, name)
    seq = int(event.fields[0] or 0)
    roots = known.roots()
    found = _find_head(roots, event)
    if found is None:
        raise ProofError(f"{name} is in no root yet: one is taken a minute after it came")
    last = _find_last(roots, found.number, anchored)
    before = roots[found.number - 1].hash if found.number else GENESIS
    chain, number, end, hashed = found.head
    events = _between(known, event, end)
    row = [*(event.row or ())]
    steps, previous = [], before
    for root in roots[found.number : last + 1]:
        said = summarize(root, previous)
        if said is None:
            raise ProofError(f"the root of {root.minute} does not follow from the one before")
        steps.append({"minute": root.minute, "heads": said})
        previous = root.hash
    heads = loads(roots[found.number].heads)
    old = steps[0]["heads"] == roots[found.number].heads
    receipt = signer.signed(Receipt(chain, end, hashed, now()))
    return {
        "format": FORMAT, "decision": str(event.fields[5]), "chain": chain, "row": row,
        "previous": _hash_before(known, event, seq), "events": events,
        "head": [chain, number, end, hashed], "before": before, "roots": steps,
        "path": None if old else [list(one) for one in find_path(heads, found.at)],
        "root": {"minute": roots[last].minute, "hash": roots[last].hash},
        "receipt": {one: getattr(receipt, one) for one in Receipt.fields},
        "service_key": signer.public,
    }  # fmt: skip


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


def _find_head(roots: Sequence[Root], event: EventRow) -> MinuteHead | None:
    """Return the first root with a head behind an event, of its branch."""
    for number, root in enumerate(roots):
        for at, head in enumerate(loads(root.heads)):
            if (head[0], head[1]) == (event.chain, event.branch) and head[2] >= event.fields[0]:
                return MinuteHead(number, at, tuple(head))
    return None


def _find_last(roots: Sequence[Root], first: int, anchored: Iterable[str]) -> int:
    """Return the number of the root to which a proof leads; raises ``ProofError``."""
    lines = [one.partition(MARK)[2] for one in anchored if MARK in one]
    if not lines:
        return len(roots) - 1
    kept = [_read_anchor(one) for one in lines]
    for number in range(first, len(roots)):
        if (roots[number].minute, roots[number].hash) in kept:
            return number
    raise ProofError(f"no root since {roots[first].minute} is anchored there: anchor once more")


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
