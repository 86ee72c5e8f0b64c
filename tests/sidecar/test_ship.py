"""What a sidecar sends and what the service makes of it: nothing lost, nothing twice, and whatever
was done to the record on its machine is told.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit.export import JSONL, export
from interlock.audit.retention import prune
from interlock.audit.source import ExportChain
from interlock.audit.verify import verify as verify_chain
from interlock.service.ingest.verify import export as exported
from interlock.service.ingest.verify import verify
from interlock.sidecar.ship import MOST_SECONDS, Shipper
from interlock.store.chain import link
from interlock.store.database import Store
from interlock.store.elsewhere import ShippingState, keep, load_enrolment, load_progress
from tests.serving import Served, filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.rows import Branch, ChainProblem
    from interlock.store.elsewhere import EnrolmentState

CALLS = 12
"""Of which one is denied. Records: 1 the store, then each call's and each outcome's."""
FUTURE = "2100-01-01T00:00:00.000Z"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with a record."""
    return filled(tmp_path / "home", CALLS)


Opened = Callable[[Shipper], Shipper]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Return what closes a shipper at the end."""
    with ExitStack() as stack:

        def work(shipper: Shipper) -> Shipper:
            stack.callback(shipper.close)
            return shipper

        yield work


def sent(service: Served, store: Store) -> EnrolmentState:
    """Enrol a store and send all of it."""
    where = service.enrolled(store)
    with closing(Shipper(store, where)) as shipper:
        shipped_all(shipper)
    return where


def again(store: Store) -> ShippingState:
    """Send what waits, as a sidecar that starts anew."""
    where = load_enrolment(store.folder)
    assert where is not None
    with closing(Shipper(store, where)) as shipper:
        shipped_all(shipper)
    return load_progress(store.folder)


def lines(store: Store) -> list[str]:
    """Return a store's chain as text."""
    found: list[str] = []
    export(store, JSONL, found.append)
    return found


def branches(service: Served, chain: str) -> list[Branch]:
    """Return the ways along a chain."""
    return service.scene.keeping.read(lambda known: known.branches(chain))


def problems(service: Served) -> list[ChainProblem]:
    """Return what is told, the oldest first."""
    return service.scene.keeping.read(lambda known: known.problems(99))[::-1]


def change(store: Store, *statements: str) -> None:
    """Change a store as somebody does who can write its file."""
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def rewrite(store: Store, first: int) -> None:
    """Tell another story from a record on, worked out anew as who knows the chain does."""
    store.close()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        rows = connection.execute(
            "SELECT seq, key, at, kind, session, subject, body FROM audit_event WHERE seq >= ?"
            " ORDER BY seq",
            (first,),
        ).fetchall()
        (previous,) = connection.execute(
            "SELECT hash FROM audit_event WHERE seq = ?", (first - 1,)
        ).fetchone()
        for row in rows:
            fields = (*row[:3], "prompt", *row[4:6], '{"other":true}')
            previous = link(previous, fields)
            connection.execute(
                "UPDATE audit_event SET kind = ?, body = ?, hash = ? WHERE seq = ?",
                (fields[3], fields[6], previous, row[0]),
            )


def test_all_of_it_is_there_as_it_was_written(service: Served, store: Store) -> None:
    """What the service keeps is, line by line, what `interlock audit export` writes here, and
    `audit verify` finds it whole; the receipt is the service's own.
    """
    where = sent(service, store)
    state = load_progress(store.folder)
    [branch] = branches(service, where.chain)
    kept: list[str] = []
    service.scene.keeping.read(lambda known: exported(known, branch, kept.append))
    assert kept == lines(store)
    assert verify_chain(ExportChain(kept), [], b"").problems == ()
    assert (state.seq, state.hash) == (len(kept), branch.hash)
    assert (state.told, state.failing, problems(service)) == ("", "", [])
    assert service.scene.keeping.read(verify).problems == ()


def test_what_was_acknowledged_unheard_is_sent_twice_and_kept_once(
    service: Served, store: Store
) -> None:
    """As after a sidecar that died between the answer and its note of it."""
    where = sent(service, store)
    before = load_progress(store.folder)
    keep(store.folder, ShippingState())
    after = again(store)
    assert (after.seq, after.hash, after.told) == (before.seq, before.hash, "")
    assert service.scene.keeping.read(verify).events == before.seq
    assert len(branches(service, where.chain)) == 1


@pytest.mark.parametrize(
    ("statement", "kind", "seq"),
    [
        ("UPDATE guardrail_audit_log SET parameters = '{}' WHERE id = 3", "changed", 0),
        ("DELETE FROM guardrail_audit_log WHERE id = 3", "changed", 0),
        ("UPDATE guardrail_audit_log SET result = 'x' WHERE id = 3", "changed", 0),
        ("UPDATE audit_event SET body = '{}' WHERE seq = 6", "changed", 6),
        ("DELETE FROM audit_event WHERE seq = 6", "removed", 6),
        ("UPDATE guardrail_audit_log SET judged_us = judged_us WHERE id = 3", "", 0),
    ],
)
def test_what_was_changed_before_it_was_sent_is_told(
    service: Served, store: Store, statement: str, kind: str, seq: int, opened: Opened
) -> None:
    """By the machine's own sidecar and at the service; what follows is kept all the same. A store
    that nobody touched has nothing to tell.
    """
    where = service.enrolled(store)
    change(store, statement)
    told: set[str] = set()
    shipper = opened(Shipper(store, where))
    while (some := shipper.waiting()) is not None:
        shipper.send(some)
        told.add(shipper.state.told)
    found = problems(service)
    assert {one.kind for one in found if one.seq == (seq or one.seq)} >= ({kind} if kind else set())
    assert told - {"", "changed"} <= {kind}
    assert bool(found) == bool(kind)
    [branch] = branches(service, where.chain)
    assert branch.seq == load_progress(store.folder).seq == len(lines(store)) + (kind == "removed")
    assert service.scene.keeping.read(verify).problems == ()


def test_a_record_that_is_written_anew_is_a_fork_and_both_are_kept(
    service: Served, store: Store, tmp_path: Path
) -> None:
    """What had come stays as it was; the other story is beside it, and what follows goes there."""
    where = sent(service, store)
    before = lines(store)
    rewrite(store, 7)
    assert again(store).told == "fork"
    filled(tmp_path / "home", 3, CALLS)
    assert again(store).told == "fork"
    main, fork = branches(service, where.chain)
    kept: list[str] = []
    service.scene.keeping.read(lambda known: exported(known, main, kept.append))
    assert kept == before
    assert (fork.left, fork.kind, fork.seq) == (6, "fork", len(lines(store)))
    assert [one.kind for one in problems(service)] == ["fork"]


def test_a_record_that_is_cut_off_is_told(service: Served, store: Store) -> None:
    """Although its machine has nothing new to send."""
    sent(service, store)
    last = len(lines(store))
    change(
        store,
        f"DELETE FROM audit_event WHERE seq > {last - 4}",  # noqa: S608 - a number of ours
        f"UPDATE sqlite_sequence SET seq = {last - 4} WHERE name = 'audit_event'",  # noqa: S608
    )
    state = again(store)
    assert (state.told, state.seq) == ("cut", last - 4)
    assert [(one.kind, one.seq) for one in problems(service)] == [("cut", last - 4)]


def test_a_store_begun_anew_is_a_chain_that_goes_on_from_the_old_one(
    service: Served, store: Store, tmp_path: Path
) -> None:
    """Both are kept, and the new one is whole."""
    where = sent(service, store)
    store.close()
    for path in (tmp_path / "home/.local/state/interlock").glob("interlock.db*"):
        path.unlink()
    anew = filled(tmp_path / "home", 3)
    state = again(anew)
    now = load_enrolment(anew.folder)
    assert now is not None
    assert now.chain != where.chain
    found = service.scene.keeping.read(lambda known: known.chain(now.chain))
    assert found is not None
    assert (found.continues, found.machine) == (where.chain, where.machine)
    assert state.seq == len(lines(anew))
    assert service.scene.keeping.read(verify).problems == ()


def test_a_copy_of_a_machine_is_told_from_a_record_written_anew(
    service: Served, store: Store, tmp_path: Path
) -> None:
    """Two that both go on as one are a clone; each one's record is kept."""
    where = sent(service, store)
    store.close()
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    copy = filled(tmp_path / "copy", 2, CALLS)
    original = filled(tmp_path / "home", 4, CALLS)
    assert again(original).told == ""
    assert again(copy).told == "fork"
    filled(tmp_path / "home", 2, CALLS + 4)
    assert again(original).told == "clone"
    filled(tmp_path / "copy", 2, CALLS + 2)
    assert again(copy).told == "clone"
    assert [one.kind for one in branches(service, where.chain)] == ["", "clone"]
    total = len(lines(original)) + len(lines(copy)) - branches(service, where.chain)[1].left
    assert service.scene.keeping.read(verify).events == total


def test_retention_keeps_what_is_not_acknowledged(
    service: Served, store: Store, tmp_path: Path
) -> None:
    """And takes what is; the chain at the service goes on without a hole."""
    sent(service, store)
    acknowledged = load_progress(store.folder).seq
    filled(tmp_path / "home", 3, CALLS)
    events, _ = prune(store, FUTURE, acknowledged)
    assert events == acknowledged
    state = again(store)
    assert (state.told, problems(service)) == ("", [])
    report = service.scene.keeping.read(verify)
    assert (report.problems, report.events) == ((), state.seq)


def test_a_machine_may_be_enrolled_after_retention(service: Served, store: Store) -> None:
    """Its chain begins here where it begins there, and follows from the base that was signed."""
    prune(store, FUTURE)
    where = sent(service, store)
    found = service.scene.keeping.read(lambda known: known.chain(where.chain))
    assert found is not None
    assert found.first > 1
    assert load_progress(store.folder).told == ""
    report = service.scene.keeping.read(verify)
    assert (report.problems, report.known) == ((), ())


def test_what_neither_has_any_more_is_said_to_be_missing(
    service: Served, store: Store, tmp_path: Path, opened: Opened
) -> None:
    """A service that was put back to an older state, and a machine whose retention took what had
    been acknowledged: the record goes on, and says what of it is gone.
    """
    where = service.enrolled(store)
    shipper = opened(Shipper(store, where))
    some = shipper.waiting()
    assert some is not None
    early = some.replace(lines=some.lines[:5], last=5)
    shipper.send(early)
    keep(store.folder, ShippingState(9, "", "", "", "", "", ""))
    prune(store, FUTURE, 9)
    filled(tmp_path / "home", 2, CALLS)
    state = again(store)
    assert state.seq == store.query("SELECT max(seq) FROM audit_event")[0][0]
    assert [(one.kind, one.seq) for one in problems(service)] == [("removed", 9)]
    assert "records 6 to 9" in problems(service)[0].said
    assert service.scene.keeping.read(verify).problems == ()


def test_a_machine_that_was_retired_is_told_so(
    service: Served, store: Store, opened: Opened
) -> None:
    """Its credential counts no more, and nothing of it is taken."""
    where = service.enrolled(store)
    service.scene.keeping.write(lambda steps: steps.retire(where.machine, FUTURE))
    shipper = opened(Shipper(store, where))
    some = shipper.waiting()
    assert some is not None
    assert not shipper.send(some).done
    assert load_progress(store.folder).told == "credential"
    assert service.scene.keeping.read(verify).events == 0


def test_a_service_that_is_gone_is_asked_ever_more_seldom(
    service: Served, store: Store, opened: Opened
) -> None:
    """Waits are drawn from nothing up to twice as long each time, five minutes at most; since when
    it fails stays said until it is back.
    """
    where = service.enrolled(store)
    bounds: list[float] = []

    def drawn(low: float, high: float) -> float:
        assert low == 0
        bounds.append(high)
        return high

    shipper = opened(Shipper(store, where.replace(url="http://127.0.0.1:9"), drawn))
    some = shipper.waiting()
    assert some is not None
    first = ""
    for _ in range(12):
        assert not shipper.send(some).done
        first = first or load_progress(store.folder).failing
    assert bounds == [min(2.0**number, MOST_SECONDS) for number in range(12)]
    state = load_progress(store.folder)
    assert state.failing == first != ""
    assert "127.0.0.1:9" in state.why
    assert again(store).failing == ""


def test_a_busy_service_says_when_to_come_again(
    service: Served, store: Store, opened: Opened
) -> None:
    """And takes the same batch then."""
    shipper = opened(Shipper(store, service.enrolled(store)))
    some = shipper.waiting()
    assert some is not None
    room = service.scene.room
    held = 0
    while room.acquire(blocking=False):
        held += 1
    try:
        found = shipper.send(some)
        assert not found.done
        assert found.wait >= 2
    finally:
        for _ in range(held):
            room.release()
    assert shipper.send(some).done


def test_a_receipt_of_somebody_else_is_none(service: Served, store: Store, opened: Opened) -> None:
    """Where the answer is signed by another key than that of the enrolment, nothing counts as
    acknowledged.
    """
    where = service.enrolled(store)
    shipper = opened(Shipper(store, where.replace(service_key="ab" * 32)))
    some = shipper.waiting()
    assert some is not None
    assert not shipper.send(some).done
    assert load_progress(store.folder).seq == 0
    assert opened(Shipper(store, where)).send(some).done
