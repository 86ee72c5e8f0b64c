"""A stop at the service stops the machines that are meant, says who has confirmed, and lasts until
people resume it by the service's own word.
"""

from __future__ import annotations

import http.client
import json
from threading import Event
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.cli import build
from interlock.guard.stopping import StopCommand
from interlock.service.machines.stream import beat
from interlock.service.notifier import BEATS
from interlock.service.signing import Signer
from interlock.service.stops import stops
from interlock.service.stops.confirm import report
from interlock.service.stops.stops import StopRequest
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.stops import Stops
from interlock.stop.flags import Flag, engage, of_fleet, read_flags
from interlock.stop.fleet import HERE, free
from interlock.stop.rehearsal import Rehearsal
from interlock.store.database import Store
from interlock.store.elsewhere import EnrolmentState
from interlock.wire.orders import FLEET, ResumeOrder, StopOrder, bytes_to_sign, plain
from tests.serving import Served, filled, listening, until

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.guard.stopping import StopResult
    from interlock.service.stops.confirm import StopOverview

AT = "2026-01-31T10:00:00.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a machine's store."""
    return filled(tmp_path / "home", 1)


def pressed(service: Served, person: dict[str, str], **form: str) -> int:
    """Stop by the form of the page; return the stop's epoch."""
    answer = service.ask("POST", "/stops", person, "&".join(f"{k}={v}" for k, v in form.items()))
    assert answer.status == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


def bearer(where: EnrolmentState) -> dict[str, str]:
    """Return a machine's headers."""
    return {"Authorization": f"Bearer {where.credential}"}


def looked(service: Served, epoch: int) -> StopOverview:
    """Return who has confirmed."""
    on = service.scene.bell.list_machines()

    def work(known: object) -> StopOverview:
        found = known.stop(epoch)  # type: ignore[attr-defined]
        return report(known, found, on)  # type: ignore[arg-type]

    return service.scene.keeping.read(work)


def test_a_stop_reaches_a_machine_that_listens_and_ends_what_runs_there(
    service: Served, store: Store
) -> None:
    """The flag stands, the processes of a real session are gone, the console says so; what the
    service resumed goes on, and that is confirmed, too.
    """
    where, ada = service.enrolled(store), service.person("ada", "operator")
    drill = Rehearsal({}, 3, 0)
    store.commit([drill.noted()])
    try:
        with listening(store, where):
            until(lambda: service.scene.bell.list_machines() == {where.machine})
            epoch = pressed(service, ada, whom="machine", machine=where.machine, why="odd")
            until(lambda: looked(service, epoch).whole, lambda: looked(service, epoch))
            assert (drill.left(), looked(service, epoch).ended) == (0, drill.count)
            [flag] = read_flags(store.folder)
            assert (flag.scope, flag.why, flag.by) == ("all", "odd", "ada (team)")
            page = service.ask("GET", f"/stops/{epoch}", ada).text
            assert "confirmed by 1 of 1 machine; 3 processes ended" in page
            assert service.ask("POST", f"/stops/{epoch}/resume", ada).status == 303
            until(lambda: not read_flags(store.folder))
            until(lambda: looked(service, epoch).whole)
        kinds = [row[0] for row in store.query("SELECT kind FROM audit_event ORDER BY seq")]
        assert kinds[-2:] == ["stop", "resume"]
    finally:
        drill.end()


@pytest.mark.parametrize(
    ("form", "meant"),
    [
        ({"whom": "machine", "machine": "ONE"}, {"one"}),
        ({"whom": "team", "team": "web"}, {"one", "two"}),
        ({"whom": "fleet", "fleet": "STOP ALL"}, {"one", "two", "three"}),
        ({"whom": "agent", "agent": "codex"}, {"one", "two", "three"}),
        ({"whom": "session", "session": "s1", "on": "ONE"}, {"one"}),
    ],
)
def test_a_stop_is_for_those_that_are_meant_and_for_nobody_else(
    service: Served, tmp_path: Path, form: dict[str, str], meant: set[str]
) -> None:
    """A machine, a team's, all of them, an agent everywhere, a session where it is: in the list
    of who is to confirm, and in what each machine is told.
    """
    ada = service.person("ada", "operator")
    teams = {"one": "web", "two": "web", "three": ""}
    found = {
        name: service.enrolled(Store(f"{tmp_path}/{name}"), name, team)
        for name, team in teams.items()
    }
    given_ = {key: found["one"].machine if value == "ONE" else value for key, value in form.items()}
    epoch = pressed(service, ada, **given_)
    assert {one.machine.name for one in looked(service, epoch).machines} == meant
    told = {
        name
        for name, where in found.items()
        if service.ask("GET", "/v1/stops", bearer(where)).json["stops"]
    }
    assert told == meant


@pytest.mark.parametrize(
    "form",
    ["", "whom=fleet&fleet=stop", "whom=machine&machine=m-none", "whom=team&team=none", "whom=agent", "whom=session&session=x&on=m-none", "whom=agent&agent=pi&fleet=STOP+ALL"],
)  # fmt: skip
def test_a_form_that_says_nobody_stops_nobody(service: Served, form: str) -> None:
    """And says what is lacking."""
    ada = service.person("ada", "operator")
    answer = service.ask("POST", "/stops", ada, form)
    assert answer.status == 400
    assert 'role="alert"' in answer.text
    assert service.scene.keeping.read(lambda known: known.stops(9)) == []


def test_all_machines_are_resumed_by_two_people_where_there_are_two(
    service: Served, store: Store
) -> None:
    """The same person twice is one; somebody who may not resume is none. Where there is only one
    who may, one is enough, and the page says why.
    """
    where = service.enrolled(store)
    ada, ben = service.person("ada", "operator"), service.person("ben", "admin")
    cleo = service.person("cleo", "reader")
    epoch = pressed(service, ada, whom="fleet", fleet="STOP ALL")
    resume = f"/stops/{epoch}/resume"
    for _ in range(2):
        assert service.ask("POST", resume, ada).status == 303
    assert service.ask("POST", resume, cleo).status == 403
    assert not looked(service, epoch).stop.lifted
    assert "it takes somebody else now" in service.ask("GET", f"/stops/{epoch}", ada).text
    assert "ada wants to" in service.ask("GET", f"/stops/{epoch}", ben).text
    assert service.ask("POST", resume, ben).status == 303
    assert looked(service, epoch).stop.lifted_by == "ada, ben"
    assert where.machine


def test_one_is_enough_in_a_team_of_one(service: Served) -> None:
    """And the page says why."""
    me = service.person("owner", "operator")
    people = service.scene.keeping.read(lambda known: known.memberships())
    assert {one.person for one in people} == {"owner"}
    epoch = pressed(service, me, whom="fleet", fleet="STOP ALL")
    assert (
        "One person is enough: nobody else here may resume"
        in service.ask("GET", f"/stops/{epoch}", me).text
    )
    assert service.ask("POST", f"/stops/{epoch}/resume", me).status == 303
    assert looked(service, epoch).stop.lifted


def test_the_same_stop_twice_is_one_and_another_is_another(service: Served) -> None:
    """A second press leads to the first; epochs grow."""
    ada = service.person("ada", "operator")
    first = pressed(service, ada, whom="agent", agent="codex")
    assert pressed(service, ada, whom="agent", agent="codex") == first
    assert pressed(service, ada, whom="agent", agent="pi") > first


def test_a_machine_reports_its_own_stops_only(service: Served, tmp_path: Path) -> None:
    """To one that is meant for another, and to one that nobody made, the answer is the same; what
    is no report is refused in words.
    """
    ada = service.person("ada", "operator")
    one, other = [service.enrolled(Store(f"{tmp_path}/{name}"), name) for name in ("one", "other")]
    epoch = pressed(service, ada, whom="machine", machine=one.machine)
    body = '{"done":true,"ended":2}'
    foreign, own = [{"Authorization": f"Bearer {who.credential}"} for who in (other, one)]
    answers = [
        service.ask("POST", f"/v1/stops/{number}", foreign, body)
        for number in (epoch, 17, "x", 2**60)
    ]
    assert {(answer.status, answer.text) for answer in answers} == {(404, answers[0].text)}
    for wrong in ("", "[]", '{"done":1}', '{"done":true,"ended":-1}', '{"done":true,"problems":1}'):
        assert service.ask("POST", f"/v1/stops/{epoch}", own, wrong).status == 400
    assert not looked(service, epoch).whole
    assert service.ask("POST", f"/v1/stops/{epoch}", own, body).status == 200
    assert (looked(service, epoch).whole, looked(service, epoch).ended) == (True, 2)


def test_a_stream_says_that_it_is_there_and_ends_with_its_machine(
    service: Served, store: Store
) -> None:
    """A greeting, beats, and an end when the credential counts no more; every answer to a machine
    names the newest epoch.
    """
    where, ada = service.enrolled(store), service.person("ada", "operator")
    client = SidecarClient(where.url, "", where.credential)
    try:
        answer = client.begun("/v1/stream")
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert event(answer)[0] == "hello"
        for _ in range(BEATS):
            beat(service.scene)
        assert event(answer) == ("pace", {"now": 0, "pace": 1})
        epoch = pressed(service, ada, whom="fleet", fleet="STOP ALL")
        kinds = []
        while "stop" not in kinds:
            kinds.append(event(answer)[0])
        there = service.ask(
            "POST", "/v1/beat", {"Authorization": f"Bearer {where.credential}"}, "{}"
        )
        assert there.headers["interlock-epoch"] == str(epoch)
        retired = bearer(where)
        assert service.ask("POST", "/v1/retire", retired).status == 200
        until(lambda: answer.readline() == b"")
    finally:
        client.close()


def event(answer: http.client.HTTPResponse) -> tuple[str, object]:
    """Return the next event of a stream."""
    lines = [answer.readline().decode().rstrip() for _ in range(3)]
    return lines[0].partition(": ")[2], json.loads(lines[1].partition(": ")[2])


class Deaf(Stops):
    """A machine's stops without a service, and without processes."""

    def __init__(self, store: Store, key: str) -> None:
        super().__init__(store, EnrolmentState("http://x", "", "m", "c", "c", key, AT), _nothing)


def _nothing(order: StopOrder) -> StopResult:
    from interlock.guard.stopping import StopResult

    return StopResult(order.scope, order.why)


def resumption(signer: Signer, epoch: int, stop: int) -> ResumeOrder:
    """Return what the service says when a stop is resumed."""
    order = ResumeOrder(epoch, stop, "ada", AT)
    return order.replace(signature=signer.sign(bytes_to_sign(order)))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_in_whatever_order_and_however_often_it_comes_the_end_is_one(
    signer: Signer, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A stop stands where it came and its resumption did not. A resumption that the service did
    not sign is none, whatever it says.
    """
    store = Store(str(tmp_path_factory.mktemp("m")))
    machine = Deaf(store, signer.public)
    orders: list[StopOrder | ResumeOrder] = [
        StopOrder(n, FLEET, "all", "w", "ada", AT) for n in (1, 2, 3)
    ]
    orders += [resumption(signer, 10 + n, n) for n in (1, 2)]
    orders += [resumption(signer, 13, 3).replace(by="mallory"), ResumeOrder(14, 3, "ada", AT)]
    came = data.draw(st.lists(st.sampled_from(orders), max_size=14))
    for order in came:
        (machine.take_stop if isinstance(order, StopOrder) else machine.take_resume)(
            **(
                {"given": plain(order), "told": True}
                if isinstance(order, StopOrder)
                else {"given": plain(order)}
            )
        )
    stopped = {one.epoch for one in came if isinstance(one, StopOrder)}
    resumed = {one.stop for one in came if isinstance(one, ResumeOrder) and one.stop != 3}
    assert set(of_fleet(store.folder)) == stopped - resumed


def test_what_is_resumed_while_its_processes_are_ended_goes_on(
    signer: Signer, tmp_path: Path
) -> None:
    """What ends them sets no flag anew."""
    gate, done = Event(), Event()

    def end(order: StopOrder) -> StopResult:
        assert gate.wait(60)
        try:
            home = {"HOME": str(tmp_path)}
            return build.execute_stop(
                home, StopCommand(order.scope, order.why, order.by, flagged=True)
            )
        finally:
            done.set()

    store = Store(f"{tmp_path}/.local/state/interlock")
    machine = Stops(
        store, EnrolmentState("http://127.0.0.1:9", "", "m", "c", "c", signer.public, AT), end
    )
    machine.take_stop(plain(StopOrder(7, FLEET, "all", "w", "ada", AT)))
    assert of_fleet(store.folder) == [7]
    machine.take_resume(plain(resumption(signer, 8, 7)))
    gate.set()
    assert done.wait(60)
    assert read_flags(store.folder) == []


def test_what_root_resumed_without_the_service_stays_so_and_is_told(
    service: Served, store: Store
) -> None:
    """The stop that is still in force there does not come back here; the page names who."""
    where, ada = service.enrolled(store), service.person("ada", "operator")
    epoch = pressed(service, ada, whom="fleet", fleet="STOP ALL")
    with listening(store, where):
        until(lambda: looked(service, epoch).whole)
    assert free(store.folder, epoch, HERE, "root")
    with listening(store, where):
        until(lambda: bool(looked(service, epoch).machines[0].seen.freed))  # type: ignore[union-attr]
        assert of_fleet(store.folder) == []
    page = service.ask("GET", f"/stops/{epoch}", ada).text
    assert "resumed there without the service, by root" in page


def test_a_stop_that_a_database_forgot_can_be_resumed_all_the_same(
    service: Served, store: Store
) -> None:
    """As after a backup was put back: the machine that has it says so. One that is said to be of
    the future is none, and nobody else is stopped by it.
    """
    where, ada = service.enrolled(store), service.person("ada", "operator")
    other = service.enrolled(Store(f"{store.folder}-other"), "other")
    engage(store.folder, Flag("session:x", "why", "ada", 1.0, 1_750_000_000_000))
    with listening(store, where):
        until(lambda: bool(service.scene.keeping.read(lambda known: known.stops(9))))
        [found] = service.scene.keeping.read(lambda known: known.stops(9))
        assert found.epoch == 1_750_000_000_000
        assert [one.scope for one in read_flags(store.folder)] == ["session:x"]
        assert service.ask("POST", f"/stops/{found.epoch}/resume", ada).status == 303
        until(lambda: not read_flags(store.folder))
    future = service.ask("GET", f"/v1/stops?have={2**52}", bearer(other))
    assert future.json["stops"] == []
    assert len(service.scene.keeping.read(lambda known: known.stops(9))) == 1


def test_a_database_that_was_put_back_counts_on_from_the_time(service: Served) -> None:
    """So that nothing new is older than what machines have seen."""
    made = service.scene.keeping.write(
        lambda keeping: stops.stop(
            keeping, service.scene.signer, StopRequest(FLEET, "all", "", "ada")
        )
    )
    ahead = made.replace(epoch=made.epoch + 10**9, scope="agent:x")
    service.scene.keeping.write(lambda keeping: keeping.add_stop(ahead))
    after = service.scene.keeping.write(
        lambda keeping: stops.stop(
            keeping, service.scene.signer, StopRequest(FLEET, "agent:y", "", "a")
        )
    )
    assert made.epoch > 1_700_000_000_000
    assert after.epoch == ahead.epoch + 1
