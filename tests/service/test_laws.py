"""Laws of the ingest: whatever is sent in whatever order, however often, ends in one state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.service.ingest.accept import accept
from interlock.service.ingest.position import Batch, BatchRefusedError
from interlock.service.ingest.verify import verify
from interlock.service.store.protocol import ServiceReader, ServiceStore, ServiceWriter
from interlock.service.store.rows import Chain
from interlock.service.store.sqlite import Database
from interlock.store.chain import GENESIS, link
from interlock.wire.batch import BatchLine
from tests.service.conftest import DATABASES, open_empty

AT = "2026-01-31T10:00:00.000Z"
CHAIN = Chain("c", "m", 1)
TRUNK, LONGEST = 6, 5
Empty = Callable[[], AbstractContextManager[ServiceStore]]


def grown(previous: str, first: int, length: int, story: str) -> list[BatchLine]:
    """Return events that tell a story behind an event."""
    lines = []
    for seq in range(first, first + length):
        fields = (seq, f"{story}-{seq}", AT, "prompt", "s", "", "{}")
        previous = link(previous, fields)
        lines.append(BatchLine(fields, previous))
    return lines


@st.composite
def stories(draw: st.DrawFn) -> list[list[BatchLine]]:
    """Draw whole ways along a chain: one, and others that leave it somewhere."""
    trunk = grown(GENESIS, 1, TRUNK, "trunk")
    ways = [trunk]
    for number in range(draw(st.integers(0, 3))):
        way = draw(st.sampled_from(ways))
        left = draw(st.integers(1, len(way) - 1))
        length = draw(st.integers(1, LONGEST))
        ways.append([*way[:left], *grown(way[left - 1].hash, left + 1, length, f"fork{number}")])
    return ways


def batches(way: list[BatchLine], cuts: list[int]) -> list[Batch]:
    """Return a way cut into batches."""
    ends = sorted({*[cut % len(way) for cut in cuts], 0, len(way)})
    return [
        Batch("c", way[low - 1].hash if low else GENESIS, low, len(way), tuple(way[low:high]))
        for low, high in pairwise(ends)
        if high > low
    ]


def state(keeping: ServiceStore) -> set[tuple[int, str, tuple[object, ...]]]:
    """Return all that is kept, branches' numbers apart, which are given in the order of arrival."""

    def work(known: ServiceReader) -> set[tuple[int, str, tuple[object, ...]]]:
        found: set[tuple[int, str, tuple[object, ...]]] = set()
        for branch in known.branches("c"):
            for one in known.events("c", branch.number, 0, 1000):
                found.add((int(one.fields[0] or 0), one.hash, one.fields))
        return found

    return keeping.read(work)


def take(keeping: ServiceStore, batch: Batch) -> None:
    """Take a batch in as the route does."""

    def work(steps: ServiceWriter) -> None:
        chain = steps.chain("c")
        assert chain is not None
        accept(steps, chain, batch, AT)

    keeping.write(work)


@pytest.fixture(params=DATABASES, scope="module")
def empty(request: pytest.FixtureRequest) -> Empty:
    """Return what makes an empty database of each kind."""

    @contextmanager
    def make() -> Iterator[ServiceStore]:
        with TemporaryDirectory() as folder, closing(open_empty(request, Path(folder))) as keeping:
            if isinstance(keeping, Database):  # the law is not about what outlasts a power cut
                keeping._writer.execute("PRAGMA synchronous=OFF")
            keeping.write(lambda steps: steps.add_chain(CHAIN))
            yield keeping

    return make


def send(keeping: ServiceStore, some: list[Batch]) -> None:
    """Send batches as sidecars do: what does not fit yet comes again."""
    waiting = list(some)
    for _ in range(len(waiting) ** 2 + 1):
        if not waiting:
            return
        one = waiting.pop(0)
        try:
            take(keeping, one)
        except BatchRefusedError:
            waiting.append(one)
    raise AssertionError("batches that never fit")


@settings(max_examples=40)
@given(data=st.data(), ways=stories())
def test_any_order_ends_in_one_state(
    empty: Empty, data: st.DataObject, ways: list[list[BatchLine]]
) -> None:
    """Batches of every way, cut anywhere, in any order, some twice: all events are there once, each
    whole, and nothing is found wrong afterwards.
    """
    cuts = st.lists(st.integers(0, 20), max_size=4)
    given = [batch for way in ways for batch in batches(way, data.draw(cuts))]
    given += [batch for batch in given if data.draw(st.booleans())]
    order = data.draw(st.permutations(given))
    with empty() as keeping:
        send(keeping, list(order))
        wanted = {(one.seq, one.hash, one.fields) for way in ways for one in way}
        assert state(keeping) == wanted
        report = keeping.read(verify)
        assert (report.events, report.problems) == (len(wanted), ())


def test_a_batch_that_does_not_fit_changes_nothing(empty: Empty) -> None:
    """A gap and a fork are refused with what is expected; the batches that fit are taken."""
    way, other = grown(GENESIS, 1, 9, "one"), grown("f" * 64, 5, 2, "two")
    with empty() as keeping:
        send(keeping, batches(way[:4], []))
        before = state(keeping)
        for lines, previous, kind in ((way[6:], way[5].hash, "gap"), (other, "f" * 64, "fork")):
            with pytest.raises(BatchRefusedError) as refused:
                take(keeping, Batch("c", previous, lines[0].seq - 1, 9, tuple(lines)))
            assert (refused.value.kind, refused.value.said.get("expected", 5)) == (kind, 5)
        assert state(keeping) == before
        send(keeping, batches(way, [4]))
        assert len(state(keeping)) == 9
