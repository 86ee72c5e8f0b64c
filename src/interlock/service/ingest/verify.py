"""Is what the service keeps as it was sent? Every link, every digest, every root, once more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from interlock.model.record import Record
from interlock.service.ingest import roots
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import Branch, EventRow
from interlock.store.schema import Value
from interlock.wire.batch import BatchLine, export_line, wrong

AT_ONCE = 500


class ChainReport(Record):
    """What was found. ``known``: sentences about what was told when it came; ``problems``: about
    what is wrong here and was not then.
    """

    chains: int
    events: int
    known: tuple[str, ...]
    problems: tuple[str, ...]


def verify(known: ServiceReader, anchored: Iterable[str] = ()) -> ChainReport:
    """Return the report on all that is kept; ``anchored``: lines of a text that holds roots."""
    told = {(one.chain, one.branch, one.seq): one.said for one in known.problems(1_000_000)}
    found: list[str] = []
    count = 0
    chains = known.chains()
    for branch in [one for chain in chains for one in known.branches(chain.id)]:
        events, said = _branch(known, branch, set(told))
        count, found = count + events, found + said
    return ChainReport(
        len(chains),
        count,
        tuple(told.values()),
        (*found, *roots.wrong(known), *roots.otherwise(known, anchored)),
    )


def _branch(
    known: ServiceReader, branch: Branch, told: set[tuple[str, int, int]]
) -> tuple[int, list[str]]:
    seq, previous, count = branch.left, branch.base, 0
    found: list[str] = []
    for event in events(known, branch):
        line = as_line(event)
        if line.seq != seq + 1 and (branch.chain, branch.number, line.seq - 1) not in told:
            found.append(f"{branch.chain}: records {seq + 1} to {line.seq - 1} are missing")
        joined = line.seq == seq + 1
        said = wrong(line, previous)
        if said and joined and (branch.chain, branch.number, line.seq) not in told:
            found.append(f"{branch.chain}: {said}")
        seq, previous, count = line.seq, line.hash, count + 1
    if (seq, previous) != (branch.seq, branch.hash):
        found.append(f"{branch.chain}: records {seq + 1} to {branch.seq} are missing at the end")
    return count, found


def events(known: ServiceReader, branch: Branch) -> Iterator[EventRow]:
    """Yield a branch's own events, oldest first."""
    after = branch.left
    while some := known.events(branch.chain, branch.number, after, AT_ONCE):
        yield from some
        after = int(some[-1].fields[0] or 0)


def as_line(event: EventRow) -> BatchLine:
    """Return an event as it was sent."""
    return BatchLine(event.fields, event.hash, event.row)


def export(known: ServiceReader, branch: Branch, write: Callable[[str], object]) -> int:
    """Write a branch as ``interlock audit export`` writes a store's chain, which ``audit verify
    --export`` reads; return how many events.
    """
    count = 0
    after = branch.left
    while some := known.events(branch.chain, branch.number, after, AT_ONCE):
        names = [str(one.fields[5]) for one in some if one.fields[3] == "decision"]
        settled = known.settled(branch.chain, names)
        for event in some:
            line = as_line(event)
            said = settled.get(str(line.fields[5]), (_first(line), None, None))
            write(export_line(line, said))
        count, after = count + len(some), int(some[-1].fields[0] or 0)
    return count


def _first(line: BatchLine) -> Value:
    """Return what a judgement's row said of its outcome when it was written."""
    found: Value = line.body.get("status")
    return found
