"""A service that answers anything at all: the sidecar says so, keeps its record and goes on."""

from __future__ import annotations

import json
from contextlib import closing
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.sidecar.client import MOST_AFTER, SidecarClient, UnreachableError
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.ship import Shipper
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.store.elsewhere import EnrolmentState, keep
from interlock.wire.token import EnrolmentToken, format_token
from tests.answering import Answering, answering
from tests.serving import SECONDS, filled, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.store.database import Store

HUGE = 10**400
VALUES: tuple[Any, ...] = (None, "x", -1, HUGE, 2**70, 1.5, [], {}, [1], True, "é\u202e")
NAMES = (
    "acked", "hash", "at", "receipt", "told", "pace", "expected", "chain", "epoch", "stops",
    "resumes", "requests", "now", "id", "state", "title",
)  # fmt: skip


@pytest.fixture
def service() -> Iterator[Answering]:
    """Return a server that answers everything alike."""
    with answering() as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a machine's store."""
    return filled(tmp_path / "home", 2)


def placed(store: Store, url: str) -> EnrolmentState:
    """Have a store be one that is sent there."""
    found = EnrolmentState(
        url, "", "m-1", "credential", "c-1", "ab" * 32, "2026-01-31T10:00:00.000Z"
    )
    keep(store.folder, found)
    return found


def bodies() -> Iterator[bytes]:
    """Return answers of every kind that is none."""
    yield from (b"", b"{", b"[]", b"null", b"\xff", b"<html>", b"[" * 5000, b"1" * 6000)
    for value in VALUES:
        yield json.dumps(dict.fromkeys(NAMES, value)).encode()
        for name in ("stops", "resumes", "requests"):
            yield json.dumps({name: [value, dict.fromkeys(NAMES, value)]}).encode()


ANSWERS = [
    *[(200, body, {}) for body in bodies()],
    *[(409, json.dumps({"type": kind, "expected": v}).encode(), {}) for kind in ("gap", "fork")
      for v in VALUES],
    *[(status, b"no", {}) for status in (201, 204, 301, 400, 401, 403, 404, 422, 500, 503, 507)],
    (302, b"", {"Location": "http://127.0.0.1:1/"}),
    *[(503, b"", {"Retry-After": text, "Interlock-Epoch": text})
      for text in ("9" * 5000, "9" * 400, "-1", "x", "1e9", "")],
]  # fmt: skip


def test_whatever_a_service_answers_the_sidecar_goes_on(store: Store, service: Answering) -> None:
    """Its record is no shorter and nothing counts as acknowledged, it waits for minutes at most,
    and is led nowhere else.
    """
    where = placed(store, service.url)
    before = store.query("SELECT count(*) FROM audit_event WHERE kind = 'decision'")
    for status, body, headers in ANSWERS:
        service.answer(status, body, headers)
        with closing(Shipper(store, where)) as shipper:
            some = shipper.waiting()
            assert some is not None
            assert shipper.send(some).wait <= 2 * MOST_AFTER
            assert shipper.beat(some.head).wait <= 2 * MOST_AFTER
            assert (shipper.state.receipt, shipper.pace) == ("", 1.0)
        with closing(SidecarClient(service.url)) as client:
            Stops(store, where, _nothing).fetch(client)
            try:
                SidecarRequests(store, where).fetch(client)
            except UnreachableError as error:
                assert service.url in str(error)  # noqa: PT017 - either is right
    assert store.query("SELECT count(*) FROM audit_event WHERE kind = 'decision'") == before


def test_a_stream_of_anything_does_not_end_who_listens(store: Store, service: Answering) -> None:
    """It listens again, so that a stop is heard once the service is itself."""
    where = placed(store, service.url)
    lines = [f"event: {kind}\ndata: {body.decode('utf-8', 'replace')}\n\n"
             for kind in ("hello", "stop", "resume", "pace", "check", "approval", "x")
             for body in bodies()]  # fmt: skip
    service.answer(200, "".join(lines).encode())
    ended = Event()
    stops, asks = Stops(store, where, _nothing), SidecarRequests(store, where)
    down = ServiceStream(where, stops, asks, ended, lambda least, most: 0.0 * (least + most))
    thread = Thread(target=down.run)
    thread.start()
    try:
        until(lambda: [one[0] for one in service.came].count("/v1/stream") > 1)
        assert thread.is_alive()
    finally:
        ended.set()
        down.cut()
        thread.join(SECONDS)


@pytest.mark.parametrize("credential", ["", "a\r\nb: c", "é", 1, None, ["x"], "a\u202eb"])
def test_an_enrolment_that_is_none_is_one_sentence(
    tmp_path: Path,
    service: Answering,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    credential: object,
) -> None:
    """What answers there is no service of ours: nothing is kept of it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    said = dict.fromkeys(("machine", "chain", "service_key"), "x") | {"credential": credential}
    service.answer(201, json.dumps(said).encode())
    assert main(["enrol", format_token(EnrolmentToken(service.url, "s")), "--no-start"]) == 1
    assert "lacks what a machine needs" in capsys.readouterr().err
    assert not (tmp_path / ".local/state/interlock/enrolled.json").exists()


def _nothing(order: object) -> Any:
    raise AssertionError(f"nothing is stopped: {order}")
