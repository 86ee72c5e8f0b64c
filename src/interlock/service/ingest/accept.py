"""One batch, one transaction: where it belongs, whether each line is as it was written, what of it
is new. What is there already is compared and acknowledged; nothing is ever overwritten.

A line that was changed on its machine is kept as it came and told, and so is what follows it: a
record that is wrong in one place is still a record.
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.service.ingest.position import Batch, BatchRefusedError, ChainPosition, place, tip
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import CLONE, FORK, MAIN, Branch, Chain, ChainProblem
from interlock.wire.batch import CHANGED, REMOVED, BatchLine, wrong

CUT = "cut"


class BatchOutcome(Record):
    """What became of a batch. ``seq``, ``hash``: its last event; ``branch``: where that lies;
    ``end``: the last event of that branch; ``told``: what is wrong, one word, empty where nothing
    is; ``new``: how many events were new.
    """

    seq: int
    hash: str
    branch: int
    end: int
    told: str
    new: int


def accept(keeping: ServiceWriter, chain: Chain, batch: Batch, at: str) -> BatchOutcome:
    """Take a batch in at a time (UTC); raises ``BatchRefusedError``, and then nothing was done."""
    where = place(keeping, chain, batch)
    if where.branch is None:
        keeping.begin(chain.id, where.hash)
        where = where.replace(branch=MAIN)
        keeping.put_branch(_new_branch(chain, where, at))
    walk = _BatchWalk(keeping, chain, where, at)
    if where.seq < batch.first - 1:
        walk.lost(where.seq + 1, batch.first - 1)
    for line in batch.lines:
        walk.step(line)
    walk.flush()
    return walk.taken(batch)


def _new_branch(chain: Chain, where: ChainPosition, at: str) -> Branch:
    seq, hashed = where.seq, where.hash
    return Branch(chain.id, MAIN, MAIN, seq, hashed, seq, hashed, "", at, at)


class _BatchWalk:
    """A batch on its way along a chain. ``_branch``, ``_seq``, ``_hash``: behind which event it
    stands; ``_fresh``: lines that are to be added there.
    """

    def __init__(self, keeping: ServiceWriter, chain: Chain, where: ChainPosition, at: str) -> None:
        self._keeping, self._chain, self._at = keeping, chain, at
        self._branch, self._seq, self._hash = where.branch or MAIN, where.seq, where.hash
        self._known: dict[tuple[int, str], int] | None = None
        self._fresh: list[BatchLine] = []
        self._new = 0
        self._told = ""

    def lost(self, first: int, last: int) -> None:
        """Note events that the machine does not have any more."""
        if self._end().seq != self._seq:
            self._leave(last)
        what = f"record {first} is" if first == last else f"records {first} to {last} are"
        self._tell(last, REMOVED, f"{what} no longer in this machine's store, and never came here")

    def step(self, line: BatchLine) -> None:
        """Take one line: known already, or new behind the one before."""
        known = self._nodes(line).get((line.seq, line.hash)) if not self._fresh else None
        if known is not None:
            self._branch, self._seq, self._hash = known, line.seq, line.hash
            return
        if not self._fresh and self._end().seq > self._seq:
            self._leave(self._seq)
        said = wrong(line, self._hash)
        if said:
            self._tell(line.seq, CHANGED, said)
        self._fresh.append(line)
        self._seq, self._hash = line.seq, line.hash

    def flush(self) -> None:
        """Write what is new, and how far the branch goes by now."""
        if not self._fresh:
            return
        self._keeping.add_events(self._chain.id, self._branch, self._fresh)
        end = self._end().replace(seq=self._seq, hash=self._hash, grown=self._at)
        self._keeping.put_branch(end)
        self._new = len(self._fresh)
        self._twins(end)

    def taken(self, batch: Batch) -> BatchOutcome:
        """Return what became of it."""
        end = self._end()
        if not self._new and batch.head < end.seq and batch.head == batch.lines[-1].seq:
            what = f"this machine's record ends at {batch.head}, and {end.seq} had come here before"
            self._tell(batch.head, CUT, what)
        told = self._told or end.kind
        return BatchOutcome(self._seq, self._hash, self._branch, end.seq, told, self._new)

    def _nodes(self, line: BatchLine) -> dict[tuple[int, str], int]:
        if self._known is None:
            first, name = line.seq, self._chain.id
            last = max(one.seq for one in self._keeping.branches(name))
            self._known = self._keeping.nodes(name, first, first + 499) if first <= last else {}
        return self._known

    def _end(self) -> Branch:
        return tip(self._keeping.branches(self._chain.id), self._branch)

    def _leave(self, left: int) -> None:
        """Begin a branch here: what comes is not what came before behind this event. Where not even
        the first event is the same it is another chain; raises ``BatchRefusedError``.
        """
        if self._seq < self._chain.first:
            raise BatchRefusedError("fork", at=self._seq)
        number = len(self._keeping.branches(self._chain.id))
        begun = Branch(
            self._chain.id, number, self._branch, left, self._hash,
            left, self._hash, FORK, self._at, self._at,
        )  # fmt: skip
        self._keeping.put_branch(begun)
        parent, self._branch = self._branch, number
        what = (
            f"after record {self._seq} this machine's record is not the one that it sent before:"
            f" both are kept, the first as branch {parent}, this one as branch {number}"
        )
        self._tell(self._seq, FORK, what)

    def _twins(self, end: Branch) -> None:
        """Where a branch grows that another one has left, two machines send as one."""
        for one in self._keeping.branches(self._chain.id):
            if one.kind == FORK and one.parent == end.number and one.number != end.number:
                self._keeping.put_branch(one.replace(kind=CLONE))
                what = (
                    f"since record {one.left} two machines send as one: one of them is a copy of"
                    " the other, and has to be enrolled anew"
                )
                self._tell(one.left, CLONE, what)

    def _tell(self, seq: int, kind: str, said: str) -> None:
        problem = ChainProblem(self._chain.id, self._branch, seq, kind, said, self._at)
        if self._keeping.add_problem(problem):
            body = {"branch": self._branch, "chain": self._chain.id, "said": said, "seq": seq}
            self._keeping.note(kind, self._chain.machine, body)
        self._told = kind
