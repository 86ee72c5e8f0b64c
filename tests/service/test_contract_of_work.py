"""What every database of the service has to do about stops, requests, web hooks and what is looked
for in the record, whichever it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.service.store.rows import (
    DELIVERED,
    Claim,
    Delivery,
    Machine,
    RequestRow,
    StopConfirmation,
    StopRow,
    VoteRow,
    WebHook,
)
from interlock.service.store.views import DecisionQuery
from interlock.store.chain import GENESIS, link
from interlock.wire.batch import KEPT, BatchLine
from interlock.wire.orders import ResumeOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.service.store.protocol import ServiceStore
    from interlock.store.schema import Value

AT, LATER = "2026-01-31T10:00:00.000Z", "2026-01-31T11:00:00.000Z"
REQUEST = RequestRow(
    "m-1", "a-1", "c", "digest", "d-1", "s", "/srv", "dev", "codex", "{}", '["lead"]', 2, True, 60,
    AT, LATER, "pending",
)  # fmt: skip
STOP = StopRow(1, "m-1", "all", "odd", "ada", AT, "sig")


def judged(seq: int, previous: str, *, verdict: str, session: str, command: str) -> BatchLine:
    """Return the event of a decision."""
    row: dict[str, Value] = {**dict.fromkeys(KEPT), "id": seq, "created_at": AT}
    row.update(
        session_id=session, action="Bash", verdict=verdict, strictest=verdict, rule_id="fs.delete",
        cwd="/srv/Web", agent="codex", parameters=f'{{"command": "{command}"}}',
    )  # fmt: skip
    fields = (
        seq,
        f"k-{seq}",
        f"2026-01-31T10:0{seq}:00.000Z",
        "decision",
        session,
        f"d-{seq}",
        "{}",
    )
    return BatchLine(fields, link(previous, fields), tuple(row.values()))


def ended(seq: int, previous: str, name: str, *settled: Value) -> BatchLine:
    """Return the event of an outcome."""
    fields = (seq, f"k-{seq}", LATER, "outcome", "s", name, "{}")
    return BatchLine(fields, link(previous, fields), settled)


def test_a_stop_stands_until_it_is_lifted_once(keeping: ServiceStore) -> None:
    """The epoch is that of the newest stop or resumption; a machine's last report counts, and each
    voice once.
    """
    assert keeping.read(lambda known: known.epoch()) == 0
    keeping.write(lambda steps: steps.add_stop(STOP))
    assert keeping.read(lambda known: known.stops(9, standing=True)) == [STOP]
    resume = ResumeOrder(2, 1, "ada", LATER, "sig2")
    assert keeping.write(lambda steps: steps.lift_stop(resume))
    assert not keeping.write(lambda steps: steps.lift_stop(resume))
    assert keeping.read(lambda known: known.epoch()) == 2
    assert keeping.read(lambda known: known.stops(9, standing=True)) == []
    [lifted] = keeping.read(lambda known: known.stops(9))
    assert keeping.read(lambda known: known.find_resumed(2)) == lifted
    assert keeping.read(lambda known: known.stop(1)) == lifted
    for done in (False, True):
        seen = StopConfirmation(1, "m-1", LATER, done, 3)
        keeping.write(lambda steps, seen=seen: steps.put_stop_report(seen))  # type: ignore[misc]
        assert keeping.read(lambda known: known.find_stop_reports(1)) == [seen]
    for _ in range(2):
        keeping.write(lambda steps: steps.add_voice(1, "ada", AT))
    assert keeping.read(lambda known: known.voices(1)) == ["ada"]


def test_a_request_is_moved_by_whoever_knows_how_it_stood(keeping: ServiceStore) -> None:
    """It is new once; a reminder is given once; each person has one answer."""
    assert keeping.write(lambda steps: steps.add_request(REQUEST))
    assert not keeping.write(lambda steps: steps.add_request(REQUEST))
    other = REQUEST.replace(machine="m-2", at=LATER, second_person=False)
    keeping.write(lambda steps: steps.add_request(other))
    assert keeping.read(lambda known: known.requests(most=9)) == [other, REQUEST]
    assert keeping.read(lambda known: known.requests(machine="m-1", most=9)) == [REQUEST]
    granted = REQUEST.replace(state="granted", by="ada", settled=LATER, reason="fine")
    assert keeping.write(lambda steps: steps.move_request(granted, "pending"))
    assert not keeping.write(lambda steps: steps.move_request(granted, "pending"))
    assert keeping.read(lambda known: known.request("m-1", "a-1")) == granted
    assert keeping.read(lambda known: known.requests(opened=True, most=9)) == [other]
    reminded = [keeping.write(lambda steps: steps.remind("m-2", "a-1", 50)) for _ in range(2)]
    assert reminded == [True, False]
    assert keeping.read(lambda known: known.answered()) == ""
    for yes in (True, False):
        vote = VoteRow("m-1", "a-1", "ada", '["lead"]', yes, LATER)
        keeping.write(lambda steps, vote=vote: steps.put_vote(vote))  # type: ignore[misc]
        assert keeping.read(lambda known: known.votes("m-1", "a-1")) == [vote]
    assert keeping.read(lambda known: known.answered()) == LATER


def test_a_yes_is_taken_by_one(keeping: ServiceStore) -> None:
    """By them as often as they ask, and by nobody else."""
    claim = Claim("m-1", "a-1", "ada", LATER)
    keeping.write(lambda steps: steps.add_claim(claim))
    mine, other = [claim.replace(chain="c", holder=name, at=AT) for name in ("one", "two")]

    def take(some: Claim) -> bool:
        return keeping.write(lambda steps: steps.take_claim(some))

    assert [take(one) for one in (mine, other, mine)] == [True, False, True]
    assert keeping.read(lambda known: known.claim("m-1", "a-1")) == mine
    machine = Machine("m-1", "one", "linux", "1", "s", AT)
    keeping.write(lambda steps: steps.add_machine(machine))
    assert keeping.write(lambda steps: steps.own("m-1", "ada"))
    assert not keeping.write(lambda steps: steps.own("m-9", "ada"))


def test_what_is_due_is_told_by_one(keeping: ServiceStore) -> None:
    """Held by one it is due later; what was told is forgotten in time; a web hook that ended is
    told nothing.
    """
    hook = WebHook("h", "https://a.example", private=True, made=AT)
    due = Delivery("msg", "h", "stop", "{}", AT, AT)
    keeping.write(lambda steps: steps.add_hook(hook))
    keeping.write(lambda steps: steps.put_delivery(due))
    assert keeping.read(lambda known: known.hooks()) == [hook]
    assert keeping.read(lambda known: known.deliveries(AT, 9)) == [due]
    held = [keeping.write(lambda steps: steps.hold_delivery(due, LATER)) for _ in range(2)]
    assert held == [True, False]
    assert keeping.read(lambda known: known.deliveries(AT, 9)) == []
    failing = due.replace(due=LATER, said="it answered 500", tries=1)
    keeping.write(lambda steps: steps.put_delivery(failing))
    assert keeping.read(lambda known: known.find_undelivered()) == {"h": failing}
    keeping.write(lambda steps: steps.put_delivery(failing.replace(state=DELIVERED)))
    keeping.write(lambda steps: steps.forget_deliveries(LATER))
    assert keeping.read(lambda known: known.find_undelivered()) == {}
    assert keeping.write(lambda steps: steps.end_hook("h", LATER))
    assert not keeping.write(lambda steps: steps.end_hook("h", LATER))


@pytest.fixture
def recorded(keeping: ServiceStore) -> ServiceStore:
    """Return a database with a few decisions, and what became of one."""
    first = judged(1, GENESIS, verdict="allow", session="s", command="ls 100%")
    second = judged(2, first.hash, verdict="deny", session="s", command="rm -rf _a")
    third = judged(3, second.hash, verdict="ask", session="interlock-doctor", command="LS")
    lines = [first, second, third]
    lines.append(ended(4, third.hash, "d-1", "ran", "fine", 12))
    lines.append(ended(5, lines[-1].hash, "d-1", 1.5, None, "odd"))
    keeping.write(lambda steps: steps.add_events("c", 0, lines))
    return keeping


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (DecisionQuery(), ["d-2", "d-1"]),
        (DecisionQuery(own=True), ["d-3", "d-2", "d-1"]),
        (DecisionQuery(own=True, most=1), ["d-3"]),
        (DecisionQuery(words=("ls",), own=True), ["d-3", "d-1"]),
        (DecisionQuery(words=("100%",)), ["d-1"]),
        (DecisionQuery(words=("0_",)), []),
        (DecisionQuery(words=("_A",)), ["d-2"]),
        (DecisionQuery(folder="/SRV/*"), ["d-2", "d-1"]),
        (DecisionQuery(folder="*b?"), []),
        (DecisionQuery(session="s"), ["d-2", "d-1"]),
        (DecisionQuery(session="interlock-*"), ["d-3"]),
        (DecisionQuery(verdict="deny", rule="fs.*", tool="bash"), ["d-2"]),
        (DecisionQuery(sources=()), []),
        (DecisionQuery(sources=("c", "d")), ["d-2", "d-1"]),
        (DecisionQuery(since="2026-01-31T10:02"), ["d-2"]),
        (DecisionQuery(before=("2026-01-31T10:02:00.000Z", "d-2")), ["d-1"]),
    ],
)
def test_decisions_are_found(
    recorded: ServiceStore, wanted: DecisionQuery, found: list[str]
) -> None:
    """By words in small letters or capitals, with signs of LIKE's own that mean themselves."""
    lines = recorded.read(lambda known: known.decisions(wanted))
    assert [one.name for one in lines] == found


def test_what_was_sent_of_an_outcome_comes_back_as_it_was(recorded: ServiceStore) -> None:
    """The last one, whatever it holds; what is shown of it is a text and a number."""
    settled = recorded.read(lambda known: known.settled("c", ["d-1", "d-2"]))
    assert settled == {"d-1": (1.5, None, "odd")}
    detail = recorded.read(lambda known: known.decision("c", "d-1"))
    assert detail is not None
    assert (detail.row["status"], detail.row["result"]) == (1.5, None)
    assert (detail.seen.status, detail.seen.ms, detail.seq) == ("1.5", 0, 1)


@pytest.mark.parametrize(
    ("ask", "found"),
    [
        (lambda known: [(one.minute, one.calls, one.denied) for one in known.minutes(AT, "x")], {("2026-01-31T10:01", 1, 0), ("2026-01-31T10:02", 1, 1)}),
        (lambda known: [(one.name, one.calls, one.denied) for one in known.sessions(AT, 9)], {("s", 2, 1)}),
        (lambda known: known.agents(), {"codex"}),
        (lambda known: [known.proven("c", AT)], {""}),
        (lambda known: [one.subject for one in known.session("c", "s")], {"d-1", "d-2"}),
        (lambda known: [one.name for one in known.find_arrived(known.find_arrived(0)[0] - 1)[1]], {"d-1"}),
        (lambda known: [one.name for one in known.find_arrived(0)[1]], {"d-1", "d-2", "d-3"}),
        (lambda known: known.noted([], 9), set()),
    ],
)  # fmt: skip
def test_what_is_counted_of_the_record(
    recorded: ServiceStore, ask: Callable[[object], list[object]], found: set[object]
) -> None:
    """Trials of interlock's own apart."""
    assert set(recorded.read(ask)) == found


def test_what_the_service_did_is_noted(keeping: ServiceStore) -> None:
    """In the order in which it was done, by kinds."""
    for number in range(3):
        keeping.write(lambda steps, at=number: steps.note("kind", str(at), {"a": at}))  # type: ignore[misc]
    keeping.write(lambda steps: steps.note("other", "", {}))
    found = keeping.read(lambda known: known.noted(["kind"], 2))
    assert [(one.subject, one.seq, one.body["a"]) for one in found] == [("2", 3, 2), ("1", 2, 1)]
