"""What is kept is sent on: all of it, at least once and under the same names, whatever dies."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
from base64 import b64decode
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from standardwebhooks import Webhook

from interlock.service.databases import open_store
from interlock.service.export import delivery, transport
from interlock.service.export.delivery import Exporter, ExportThread, derive_key
from interlock.service.export.destinations import (
    DestinationError,
    DestinationRequest,
    add_destination,
    forget_destination,
    skip_event,
)
from interlock.service.export.encoding import ExportBatch
from interlock.service.export.transport import EventRefusedError
from interlock.service.secrets import later
from interlock.service.standard_webhooks import format_secret
from interlock.service.store import sqlite
from interlock.service.store.protocol import ServiceStoreError
from interlock.store.chain import now
from tests.answering import Answering, answering
from tests.certificates import certificate
from tests.exporting import (
    CHAIN,
    add_events,
    destined,
    ids_of,
    record,
    syslog_receiver,
    take_in,
    tools_of,
)
from tests.service.conftest import name_empty
from tests.serving import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from interlock.service.export.delivery import ExportTools
    from interlock.service.store.protocol import ServiceStore
    from interlock.service.store.rows import Destination, ExportCursor

NAMES = [f"{CHAIN}:{seq}" for seq in range(1, 21)]


@pytest.fixture
def tools(keeping: ServiceStore, tmp_path: Path) -> ExportTools:
    """Return what exporting takes, over each database, with twenty events."""
    add_events(keeping, 20)
    return tools_of(keeping, tmp_path)


@pytest.fixture
def receiver() -> Iterator[Answering]:
    """Return what is told."""
    with answering() as found:
        yield found


def cursor_of(tools: ExportTools, where: Destination) -> ExportCursor:
    """Return how far a destination is."""
    found = tools.keeping.read(lambda known: known.export_cursor(where.id))
    assert found is not None
    return found


def stepped(tools: ExportTools, where: Destination, steps: int = 1) -> ExportCursor:
    """Send so many batches; return how far it is after that."""
    one = ExportThread(tools, where)
    for _ in range(steps):
        one.step()
    one.end()
    if one._sender is not None:
        one._sender.close()
    return cursor_of(tools, where)


def ready_again(tools: ExportTools, where: Destination) -> None:
    """Have a destination that is left alone be tried now, by anybody."""
    cursor = cursor_of(tools, where).replace(due="", until="")
    tools.keeping.write(lambda steps: steps.save_export(cursor))


# -- the contract of both databases ----------------------------------------------------------------


def test_one_that_is_not_there_is_said_in_words(tools: ExportTools) -> None:
    """Without the numbers of the system. It refuses no event, so none is passed over."""
    where = destined(tools, "webhook", "http://127.0.0.1:1/")
    assert stepped(tools, where).said == "Connection refused"
    with pytest.raises(DestinationError, match="refuses nothing"):
        tools.keeping.write(lambda steps: skip_event(steps, where.id, "tests"))


def test_one_holder_sends_to_a_destination_at_a_time(tools: ExportTools) -> None:
    """Another one after its time; who lost it saves nothing any more."""
    where = destined(tools, "webhook", "http://127.0.0.1:1/")
    hold = tools.keeping.write
    first = hold(lambda steps: steps.hold_export(where.id, "a", now(), later(60)))
    assert first is not None
    assert hold(lambda steps: steps.hold_export(where.id, "b", now(), later(60))) is None
    assert hold(lambda steps: steps.hold_export(where.id, "a", now(), later(60))) is not None
    assert hold(lambda steps: steps.hold_export(where.id, "b", later(90), later(120))) is not None
    assert not hold(lambda steps: steps.save_export(first.replace(position=9)))
    assert cursor_of(tools, where).position == first.position


def test_a_destination_begins_now_or_with_everything(tools: ExportTools) -> None:
    """What it does not have is counted; one that ended has no cursor and no secret left."""
    everything = destined(tools, "webhook", "https://a.example/")
    from_now = destined(tools, "otlp", "https://b.example/", everything=False, header="A: b")
    assert [one.behind for one in tools.keeping.read(lambda known: known.exports())] == [20, 0]
    tools.keeping.write(lambda steps: forget_destination(steps, from_now.id, "tests"))
    [left] = tools.keeping.read(lambda known: known.exports())
    assert left.destination == everything
    with pytest.raises(DestinationError, match="there is no export"):
        tools.keeping.write(lambda steps: forget_destination(steps, from_now.id, "tests"))


def test_who_added_it_is_on_the_record(tools: ExportTools) -> None:
    """In the service's own chain, with its host and without what authorizes."""
    where = destined(tools, "otlp", "https://b.example/v1?key=k", header="A: secret")
    [noted] = tools.keeping.read(lambda known: known.noted(("export",), 9))
    assert (noted.subject, noted.body["by"], noted.body["host"]) == (where.id, "tests", "b.example")
    assert "secret" not in str(noted.body) + where.sealed


# -- sending ---------------------------------------------------------------------------------------


def test_a_web_hook_is_signed_as_the_standard_has_it(
    tools: ExportTools, receiver: Answering
) -> None:
    """Its own library accepts it with the secret that was printed, and with no other."""
    where = destined(tools, "webhook", receiver.url + "/in?x=1")
    assert stepped(tools, where).sent == 20
    [(path, headers, body)] = receiver.came
    secret = format_secret(derive_key(tools.signer, where))
    assert len(b64decode(secret.removeprefix("whsec_"))) == 32
    Webhook(secret).verify(body, headers)
    with pytest.raises(Exception, match="No matching signature"):
        Webhook(secret).verify(body + b" ", headers)
    assert (path, ids_of([body])) == ("/in?x=1", NAMES)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("otlp", "application/json"),
        ("ocsf", "application/x-ndjson"),
        ("ecs", "application/x-ndjson"),
    ],
)
def test_others_are_authorized_by_a_header(
    kind: str, content: str, tools: ExportTools, receiver: Answering
) -> None:
    """Which the database holds sealed."""
    where = destined(tools, kind, receiver.url, header="Authorization: Bearer t")
    assert stepped(tools, where).sent == 20
    [(_, headers, _)] = receiver.came
    assert (headers["authorization"], headers["content-type"]) == ("Bearer t", content)
    assert "webhook-signature" not in headers


def test_syslog_is_sent_once_it_was_read(tools: ExportTools, tmp_path: Path) -> None:
    """Over TLS, to a receiver that was vouched for; one that hangs up before it has read is sent
    the same again, and one that nobody vouches for gets nothing.
    """
    with syslog_receiver(tmp_path) as listener:
        listener.rude = True
        where = destined(tools, "cef", listener.url, authority=listener.authority)
        assert stepped(tools, where).said
        listener.rude = False
        ready_again(tools, where)
        assert stepped(tools, where).sent == 20
        assert [
            f"externalId={name} ".encode() in one
            for name, one in zip(NAMES, listener.came, strict=True)
        ]
        other = tmp_path / "other"
        other.mkdir()
        certificate(other)
        wrong = (other / "certificate.pem").read_text()
        stranger = destined(tools, "cef", listener.url, authority=wrong)
        assert "CERTIFICATE_VERIFY_FAILED" in stepped(tools, stranger).said
        assert len(listener.came) == 20


OTELCOL = shutil.which("otelcol")
COLLECTOR = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{debug: {{verbosity: detailed}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{logs: {{receivers: [otlp], exporters: [debug]}}}}
"""


@pytest.mark.e2e
@pytest.mark.skipif(not OTELCOL, reason="no OpenTelemetry Collector: put otelcol on PATH")
def test_a_real_collector_takes_it(tmp_path: Path) -> None:
    """Every event, with the machine as its resource."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "collector.yaml").write_text(COLLECTOR.format(port=port))
    with (
        open(tmp_path / "said", "w+", encoding="utf-8") as said,
        closing(open_store(str(tmp_path))) as keeping,
    ):
        events = take_in(keeping, record(tmp_path))
        tools = tools_of(keeping, tmp_path)
        where = destined(tools, "otlp", f"http://127.0.0.1:{port}/v1/logs")
        running = subprocess.Popen(
            [str(OTELCOL), "--config", f"file:{tmp_path}/collector.yaml"],
            stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            until(lambda: "Everything is ready" in (tmp_path / "said").read_text())
            assert stepped(tools, where).sent == events
            until(lambda: (tmp_path / "said").read_text().count("LogRecord #") == events)
        finally:
            running.terminate()
            running.wait(30)
        shown = (tmp_path / "said").read_text()
    assert "host.name: Str(runner)" in shown
    assert "gen_ai.tool.name: Str(Bash)" in shown
    assert "interlock.approved_by: Str(alice" in shown


# -- whatever dies ---------------------------------------------------------------------------------

DEATHS = {
    "before it is fixed": ("save", 0),
    "after it is fixed": ("send", 0),
    "after it was sent": ("save", 1),
    "in the second batch": ("send", 1),
    "after the second was sent": ("save", 2),
}
"""Where a process is killed: before a step, the how-manieth of its kind."""


@pytest.mark.parametrize(
    ("kind", "dies"),
    [*[("sqlite", dies) for dies in DEATHS], ("postgres", "after it was sent")],
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_killed_process_loses_nothing(
    dies: str, kind: str, request: pytest.FixtureRequest, tmp_path: Path, receiver: Answering,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """`kill -9` at each step: everything comes, in order, and what comes twice has the same names,
    in the same messages.
    """
    request.param = kind
    name_empty(request, tmp_path)
    monkeypatch.setattr(delivery, "AT_ONCE", 8)
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 20)
        where = destined(tools_of(keeping, tmp_path), "webhook", receiver.url)
    child = os.fork()
    if not child:
        _die(tmp_path, where, *DEATHS[dies])
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    with closing(open_store(str(tmp_path))) as keeping:
        tools = tools_of(keeping, tmp_path)
        ready_again(tools, where)
        assert stepped(tools, where, 3).sent == 20
    by_name: dict[str, set[bytes]] = {}
    for _, headers, body in receiver.came:
        by_name.setdefault(headers["webhook-id"], set()).add(body)
    assert all(len(bodies) == 1 for bodies in by_name.values())
    assert ids_of([next(iter(bodies)) for bodies in by_name.values()]) == NAMES


def _die(folder: Path, where: Destination, step: str, number: int) -> None:
    """Send, and die before a step; in a process of its own, whose database is its own, too."""
    try:
        tools = tools_of(open_store(str(folder)), folder)
        one = ExportThread(tools, where)
        left = iter(range(number, -1, -1))

        def before(work: Callable[..., Any]) -> Callable[..., Any]:
            def done(*given: Any) -> Any:
                if not next(left):
                    os.kill(os.getpid(), signal.SIGKILL)
                return work(*given)

            return done

        if step == "save":
            one._save = before(one._save)  # type: ignore[method-assign]
        else:
            sender = one._get_sender()
            sender.send = before(sender.send)  # type: ignore[method-assign]
        for _ in range(5):
            one.step()
    finally:
        os._exit(1)


def test_what_cannot_be_noted_as_sent_is_not_sent_again_until_it_can(
    tmp_path: Path, receiver: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the database is locked, as on a full disk: the same batch would go each second. After
    that it goes once more, the same message.
    """
    monkeypatch.setattr(delivery, "AT_ONCE", 8)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.01)
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 20)
        tools = tools_of(keeping, tmp_path)
        where = destined(tools, "webhook", receiver.url)
        one = ExportThread(tools, where)
        one.step()
        with closing(sqlite3.connect(tmp_path / sqlite.FILE)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(3):
                with pytest.raises(ServiceStoreError, match="locked"):
                    one.step()
        assert len(receiver.came) == 2
        while one.step() == 0:
            pass
        one.end()
        one._get_sender().close()
        assert cursor_of(tools, where).sent == 20
    [_, second, again, _] = [(headers["webhook-id"], body) for _, headers, body in receiver.came]
    assert second == again


# -- what does not take it -------------------------------------------------------------------------

ANSWERS = [(302, ""), (401, ""), (404, ""), (429, "7"), (503, "")]


@pytest.mark.parametrize(("status", "after"), ANSWERS)
def test_what_is_not_taken_is_tried_again(
    status: int, after: str, tmp_path: Path, receiver: Answering
) -> None:
    """For as long as it takes, later each time, as late as it asks for; and nothing is left out."""
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 20)
        tools = tools_of(keeping, tmp_path)
        where = destined(tools, "webhook", receiver.url)
        receiver.answer(status, b"why not", {"Retry-After": after} if after else {})
        found = stepped(tools, where, 3)
        assert len(receiver.came) == 1, "it was not left alone"
        assert (found.tries, found.sent) == (1, 0)
        assert found.said == f"it answered {status}: why not"
        assert found.due >= later(int(after or 0) - 1)
        ready_again(tools, where)
        assert stepped(tools, where).tries == 2
        receiver.answer(204)
        ready_again(tools, where)
        found = stepped(tools, where)
        assert (found.tries, found.sent, found.said, found.failing) == (0, 20, "", "")


class Choosy:
    """A destination that refuses some events, and whatever holds one."""

    def __init__(self, *refused: str) -> None:
        self.refused, self.came = set(refused), list[str]()

    def send(self, batch: ExportBatch) -> None:
        """Take a batch, or not."""
        names = [one["id"] for one in batch.events]
        if self.refused & {*names}:
            raise EventRefusedError("it answered 400")
        self.came += names

    def interrupt(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def test_one_event_that_is_refused_holds_up_what_is_behind_it_until_a_person_decides(
    tools: ExportTools,
) -> None:
    """What stands before it is sent; it is named; passed over by a person, on the record."""
    where = destined(tools, "webhook", "http://127.0.0.1:1/")
    picky = Choosy(NAMES[6])
    one = ExportThread(tools, where)
    one._sender = picky
    for _ in range(40):
        one.step()
    assert picky.came == NAMES[:6]
    assert cursor_of(tools, where).said == f"it refuses {NAMES[6]}: it answered 400"
    assert tools.keeping.write(lambda steps: skip_event(steps, where.id, "tests")) == NAMES[6]
    for _ in range(9):
        one.step()
    assert picky.came == [name for name in NAMES if name != NAMES[6]]
    [noted] = tools.keeping.read(lambda known: known.noted(("export-skipped",), 9))
    assert noted.body == {"by": "tests", "event": NAMES[6]}
    with pytest.raises(DestinationError, match="refuses nothing"):
        tools.keeping.write(lambda steps: skip_event(steps, where.id, "tests"))


@pytest.mark.parametrize(
    ("kind", "status", "body", "refuses"),
    [
        ("otlp", 200, b'{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no"}}', True),
        ("otlp", 200, b'{"partialSuccess":{}}', False),
        ("webhook", 200, b'{"partialSuccess":{"rejectedLogRecords":"2"}}', False),
        ("ocsf", 400, b"", True),
        ("ecs", 413, b"", True),
        ("webhook", 422, b"", True),
        ("webhook", 202, b"", False),
    ],
)
def test_an_answer_that_refuses_what_was_sent_is_known(
    kind: str, status: int, body: bytes, refuses: bool, tmp_path: Path, receiver: Answering
) -> None:
    """And one that takes it."""
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 1)
        tools = tools_of(keeping, tmp_path)
        where = destined(tools, kind, receiver.url)
        receiver.answer(status, body)
        found = stepped(tools, where)
    assert found.said.startswith(f"it refuses {NAMES[0]}" if refuses else "") is True
    assert found.sent == (0 if refuses else 1)


def test_a_slow_destination_delays_nobody_else(
    tmp_path: Path, receiver: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that answers nothing, one that is not there: the third has everything meanwhile."""
    monkeypatch.setattr(delivery, "LOOK_SECONDS", 0.02)
    asked, ends = Event(), Event()

    def stuck(*_: Any) -> None:
        asked.set()
        ends.wait(60)

    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 20)
        tools = tools_of(keeping, tmp_path)
        slow = destined(tools, "cef", "tls://127.0.0.1:9")
        destined(tools, "webhook", "http://127.0.0.1:9/")
        well = destined(tools, "webhook", receiver.url)
        monkeypatch.setattr(transport.SyslogSender, "send", stuck)
        exporter = Exporter(tools)
        try:
            exporter.look()
            assert asked.wait(60)
            until(lambda: cursor_of(tools, well).sent == 20)
            assert cursor_of(tools, slow).sent == 0
            add_events(keeping, 5, 21)
            until(lambda: cursor_of(tools, well).sent == 25)
            tools.keeping.write(lambda steps: forget_destination(steps, well.id, "tests"))
            exporter.look()
            assert set(exporter._running) != {well.id}
            assert len(exporter._running) == 2
        finally:
            ends.set()
            exporter.close()


WRONG = [
    ("csv", "https://a.example/", {}, "no kind of export; expected webhook, otlp"),
    ("webhook", "http://a.example/", {}, "no https:// address"),
    ("otlp", "ftp://a.example/", {"private": True}, "no https:// address"),
    ("otlp", "https://", {}, "names no host"),
    ("cef", "https://a.example/", {}, "no tls:// address"),
    ("cef", "tls://a.example/", {"header": "A: b"}, "syslog has no headers"),
    ("ecs", "https://a.example/", {"header": "A: b\nC: d"}, "NAME: VALUE in one line"),
    ("ecs", "https://a.example/", {"header": "secret"}, "NAME: VALUE in one line"),
    ("ecs", "https://a.example/", {"authority": "no"}, "no certificate in PEM"),
]


@pytest.mark.parametrize(("kind", "url", "more", "said"), WRONG)
def test_a_destination_that_is_none_is_told_in_a_sentence(
    kind: str, url: str, more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """And nothing is added; its twin is."""
    with closing(open_store(str(tmp_path))) as keeping:
        tools = tools_of(keeping, tmp_path)
        wanted = DestinationRequest(kind, url, **more)
        with pytest.raises(DestinationError, match=said):
            keeping.write(lambda steps: add_destination(steps, tools.keys, wanted, "tests"))
        assert keeping.read(lambda known: known.destinations()) == []
        well = DestinationRequest("cef", "tls://a.example")
        keeping.write(lambda steps: add_destination(steps, tools.keys, well, "tests"))
        assert len(keeping.read(lambda known: known.destinations())) == 1


def test_an_address_of_this_network_is_sent_nothing_unless_it_was_meant(
    tmp_path: Path, receiver: Answering
) -> None:
    """It is said why."""
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 1)
        tools = tools_of(keeping, tmp_path)
        inside = receiver.url.replace("http://", "https://")
        where = destined(tools, "webhook", inside, private=False)
        assert "an address of this network" in stepped(tools, where).said
        assert receiver.came == []
