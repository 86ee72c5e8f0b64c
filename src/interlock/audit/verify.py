"""Is the audit as it was written? Walks the chain once and says which records are not, and what is
wrong with each.

Proven without an anchor: nobody changed, removed or moved a record without working out the chain
anew behind it. Whoever can write the store can do just that, or cut off its end and its head
together. An anchor outside proves every record up to it, and that none of those is missing at the
end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from interlock.audit.anchor import Anchor, key_name, sign, signature
from interlock.audit.source import ChainEvent, EventChain, StoreChain
from interlock.model.record import Record
from interlock.store.chain import GENESIS, digest, link, of_row
from interlock.store.protocol import Storage
from interlock.store.secret import AUDIT, key

CHANGED, REMOVED, ADDED, MISSING_TAIL, REWRITTEN, UNSIGNED = (
    "changed",
    "removed",
    "added",
    "missing-tail",
    "rewritten",
    "unsigned",
)
MOST = 200
"""Problems that are told one by one."""


_SINKS = (
    "SELECT subject, max(seq) FROM audit_event WHERE kind = 'anchor' GROUP BY subject ORDER BY 2"
)


class VerifyProblem(Record):
    """One thing that is not as it was written. ``seq``: the event, 0 where it is none; ``what``: a
    sentence for a person.
    """

    kind: str
    seq: int
    what: str


class VerifyReport(Record):
    """What was found. ``base``: the last record that retention took away. ``older``: judgements
    from before there was a chain, not covered.

    ``anchored``: the last record that a matching anchor vouches for, 0 without one; ``anchors``:
    how many matched; ``foreign``: how many are another store's; ``pruned``: how many are of records
    that retention took away. ``set_aside``: damaged files that this one goes on from.
    """

    first: int = 0
    last: int = 0
    head: str = ""
    base: int = 0
    older: int = 0
    problems: tuple[VerifyProblem, ...] = ()
    found: int = 0
    anchored: int = 0
    anchors: int = 0
    foreign: int = 0
    pruned: int = 0
    set_aside: tuple[str, ...] = ()

    @property
    def unanchored(self) -> int:
        """How many of the newest records no anchor vouches for."""
        return self.last - max(self.anchored, self.first - 1)


def verify(
    source: EventChain, anchors: Iterable[tuple[str, Anchor]], signing: bytes
) -> VerifyReport:
    """Return the report on a chain. ``anchors``: each with the name of its sink; ``signing``: the
    store's own key, empty where it is not at hand.
    """
    given = list(anchors)
    walk = _ChainWalk(source.retention() or {}, signing, {anchor.seq for _, anchor in given})
    for event in source.events():
        walk.step(event)
    walk.end(source.head(), source.find_unchained())
    walk.joined(source.strangers())
    for sink, anchor in given:
        walk.compare(sink, anchor)
    return walk.report()


def sinks(store: Storage) -> dict[str, int]:
    """Return the sinks in which the chain says to be anchored, each with the last record that it
    says so of; raises ``StoreError``.
    """
    return dict(store.query(_SINKS))


def verify_store(store: Storage, anchors: Iterable[tuple[str, Anchor]]) -> VerifyReport:
    """Return the report on a store; raises ``StoreError``."""
    signing = key(store.folder, AUDIT)
    return store.view(lambda connection: verify(StoreChain(connection), anchors, signing))


class _ChainWalk:
    """The state of one walk along a chain."""

    def __init__(self, retention: Mapping[str, Any], signing: bytes, wanted: set[int]) -> None:
        self.key = signing
        self.wanted = wanted
        self.base, self.rows = _number(retention.get("through")), _number(retention.get("row"))
        self.problems: list[VerifyProblem] = []
        self.found = 0
        self.seq, self.hash = self.base, str(retention.get("hash", "")) if self.base else GENESIS
        self.first = 0
        self.hashes: dict[int, str] = {self.base: self.hash}
        self.older = (0, 0)
        # by row: the record of its judgement, 0 once another tells of its end; what it says of that
        self.settled: dict[int, tuple[int, str]] = {}
        # what the newest record of an end says otherwise than the row, by that row
        self.otherwise: dict[int, ChainEvent] = {}
        self.aside: list[str] = []
        self.anchored = self.anchors = self.foreign = self.pruned = 0
        if (
            self.base
            and signing
            and retention.get("signature")
            != sign(signing, "retention", self.base, self.hash, self.rows)
        ):
            self.wrong(
                UNSIGNED,
                0,
                f"the retention through record {self.base} is not signed by this store's key",
            )

    def wrong(self, kind: str, seq: int, what: str) -> None:
        self.found += 1
        if len(self.problems) < MOST:
            self.problems.append(VerifyProblem(kind, seq, what))

    # -- along the chain ---------------------------------------------------------------------------

    def step(self, event: ChainEvent) -> None:
        seq = event.seq
        self.first = self.first or seq
        if seq <= self.seq:
            self.wrong(
                ADDED,
                seq,
                (
                    f"record {seq} stands behind record {self.seq}"
                    if seq > self.base
                    else f"record {seq} is older than the retention"
                ),
            )
        elif seq > self.seq + 1:
            self.wrong(
                REMOVED, seq, f"{_records(self.seq + 1, seq - 1)} missing before record {seq}"
            )
        elif event.hash != link(self.hash, event.values):
            self.wrong(
                CHANGED,
                seq,
                f"record {seq} ({event.kind}) was changed, or stands where another stood: it does"
                f" not follow from record {seq - 1}",
            )
        self.seq, self.hash = max(seq, self.seq), event.hash
        if seq in self.wanted:
            self.hashes[seq] = event.hash
        if event.kind in _ABOUT:
            _ABOUT[event.kind](self, event)

    def begun(self, event: ChainEvent) -> None:
        if event.seq == 1:
            self.older = (_number(event.body.get("rows")), _number(event.body.get("through")))

    def note_aside(self, event: ChainEvent) -> None:
        self.aside.append(str(event.values[5]))

    def check_decision(self, event: ChainEvent) -> None:
        body, row = event.body, event.row
        if row is None:
            self.wrong(
                REMOVED,
                event.seq,
                f"the judgement of record {event.seq} ({event.values[5]}) is missing from"
                " guardrail_audit_log",
            )
            return
        if of_row(row[0], row[1], row[2:]) != body.get("digest"):
            self.wrong(
                CHANGED,
                event.seq,
                f"the judgement of record {event.seq} ({event.values[5]}) was changed in"
                " guardrail_audit_log",
            )
        begun = event.became == digest((body.get("status"), None, None))
        self.settled[_number(row[0])] = (event.seq, "" if begun else event.became)

    def ended(self, event: ChainEvent) -> None:
        body = event.body
        number = _number(body.get("row"))
        if (
            not number or number <= self.rows
        ):  # of a call that was never judged, or whose judgement retention took away
            return
        said = [self.settled[number][1]] if number in self.settled else []
        # an export says it twice
        said += [event.became] if event.row is not None else []
        self.otherwise.pop(number, None)  # of two ends the row says the newer one
        if any(one != body.get("digest") for one in said):
            self.otherwise[number] = event
        if number in self.settled:
            self.settled[number] = (0, said[0])

    def end(self, head: int | None, unchained: Sequence[int]) -> None:
        if not self.first:
            self.wrong(
                REMOVED,
                0,
                "there is no record at all; a chain begins with the one of the store itself",
            )
        for event in self.otherwise.values():
            self.wrong(
                CHANGED,
                event.seq,
                f"what became of {event.values[5]} (record {event.seq}) was changed in"
                " guardrail_audit_log",
            )
        for seq in [seq for seq, said in self.settled.values() if seq and said]:
            self.wrong(
                CHANGED,
                seq,
                f"what became of the judgement of record {seq} was set in guardrail_audit_log, and"
                " no record tells of it",
            )
        rows, through = self.older
        old = [number for number in unchained if number <= through]
        for number in unchained[len(old) :]:
            self.wrong(
                ADDED, 0, f"row {number} of guardrail_audit_log was added: no record tells of it"
            )
        if len(old) != rows and not self.base:
            self.wrong(
                REMOVED,
                1,
                f"of {rows} judgements that are older than the chain {len(old)} are there",
            )
        self.older = (len(old), through)
        if head is None:
            return
        if head > self.seq:
            self.wrong(
                MISSING_TAIL,
                self.seq,
                f"{_records(self.seq + 1, head)} missing at the end, by the file's own note of its"
                " head",
            )
        elif head < self.seq:
            self.wrong(
                CHANGED,
                self.seq,
                f"the file's own note of its head says record {head}, and the last record is"
                f" {self.seq}",
            )

    def joined(self, strangers: Sequence[str]) -> None:
        for name in strangers:
            self.wrong(
                ADDED,
                0,
                f"{name} is none of interlock's: with it in the file, what is written need not be"
                " what is kept",
            )

    # -- anchors -----------------------------------------------------------------------------------

    def compare(self, sink: str, anchor: Anchor) -> None:
        if (
            self.key
            and anchor.store != key_name(self.key)
            and self.hashes.get(anchor.seq) != anchor.hash
        ):
            self.foreign += 1
        elif self.key and anchor.store != key_name(self.key):
            # of this chain all the same: nobody meets a hash by chance
            self.count_anchor(anchor)
        elif self.key and anchor.signature != signature(self.key, anchor):
            self.wrong(
                UNSIGNED,
                anchor.seq,
                f"{sink}: the anchor of record {anchor.seq} is not signed by this store's key: it"
                " was changed or made up",
            )
        elif anchor.seq < self.base:
            self.pruned += 1
        elif anchor.seq > self.seq:
            what = (
                f"{_records(self.seq + 1, anchor.seq)} missing at the end: anchored at {anchor.at}"
                f" in {sink}"
            )
            self.wrong(MISSING_TAIL, anchor.seq, what)
        elif self.hashes.get(anchor.seq) != anchor.hash:
            self.wrong(
                REWRITTEN,
                anchor.seq,
                f"the chain up to record {anchor.seq} is not the one that was anchored at"
                f" {anchor.at} in {sink}",
            )
        else:
            self.count_anchor(anchor)

    def count_anchor(self, anchor: Anchor) -> None:
        self.anchors += 1
        self.anchored = max(self.anchored, anchor.seq)

    def report(self) -> VerifyReport:
        return VerifyReport(
            self.first, self.seq, self.hash, self.base, self.older[0], tuple(self.problems),
            self.found,
            self.anchored, self.anchors, self.foreign, self.pruned, tuple(self.aside),
        )  # fmt: skip


_ABOUT: dict[str, Callable[[_ChainWalk, ChainEvent], None]] = {
    "store": _ChainWalk.begun,
    "decision": _ChainWalk.check_decision,
    "outcome": _ChainWalk.ended,
    "store-set-aside": _ChainWalk.note_aside,
}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _records(first: int, last: int) -> str:
    return f"record {first} is" if first == last else f"records {first} to {last} are"
