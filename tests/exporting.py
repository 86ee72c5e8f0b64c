"""Records of a service that are exported, for tests: real events, and receivers."""

from __future__ import annotations

import socket
import ssl
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from interlock.model.jsontext import dumps, loads
from interlock.service.export.delivery import ExportTools
from interlock.service.export.destinations import DestinationRequest, add_destination
from interlock.service.ingest.accept import accept
from interlock.service.ingest.position import Batch
from interlock.service.keys import ServiceKeys
from interlock.service.signing import Signer
from interlock.service.store.rows import Chain, Destination, Machine
from interlock.sidecar.reading import portion
from interlock.store.chain import GENESIS, link, now
from interlock.wire.batch import BatchLine, pack_lines, unpack_lines
from tests.approving import Desk
from tests.certificates import certificate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore
    from interlock.store.database import Store

CHAIN = "c-1"


def record(folder: Path) -> Store:
    """Return a store with a call that was allowed and ran, one that was denied, one that a person
    approved, and a prompt.
    """
    from tests.approvals.test_roles import desk
    from tests.serving import filled

    here: Desk = desk(folder)
    here.approve(here.requested())
    here.check()
    return filled(here.home, 10)


def take_in(keeping: ServiceStore, store: Store, chain: str = CHAIN) -> int:
    """Have a service keep a store's record; return how many events."""
    added = Chain(chain, "m-1", 1)
    if keeping.read(lambda known: known.machine("m-1")) is None:
        machine = Machine("m-1", "runner", "linux", "1", "h", now(), team="web", owner="ada")
        keeping.write(lambda steps: steps.add_machine(machine))
    keeping.write(lambda steps: steps.add_chain(added))
    after = 0
    while (some := portion(store, after)) is not None:
        lines = tuple(unpack_lines(pack_lines(some.lines)))
        batch = Batch(chain, some.previous, some.first - 1, some.last, lines)
        keeping.write(lambda steps, one=batch: accept(steps, added, one, now()))  # type: ignore[misc]
        after = some.last
    return after


def add_events(keeping: ServiceStore, count: int, first: int = 1, **said: str) -> None:
    """Have a service keep so many events of a chain, made up."""
    previous = GENESIS
    lines = []
    for seq in range(first, first + count):
        body = dumps(said)
        fields = (seq, f"e-{seq}", now(), "prompt", "s", "", body)
        previous = link(previous, fields)
        lines.append(BatchLine(fields, previous))
    keeping.write(lambda steps: steps.add_events(CHAIN, 0, lines))


def tools_of(keeping: ServiceStore, folder: Path) -> ExportTools:
    """Return what exporting takes; what keeps it from its work is an error."""

    def fail(why: str) -> None:
        raise AssertionError(why)

    return ExportTools(keeping, Signer(str(folder)), ServiceKeys(str(folder)), fail)


def destined(tools: ExportTools, kind: str, url: str, **more: str | bool) -> Destination:
    """Add a destination of this machine that is sent everything."""
    wanted = DestinationRequest(kind, url, private=True, everything=True).replace(**more)
    return tools.keeping.write(lambda steps: add_destination(steps, tools.keys, wanted, "tests"))


class SyslogReceiver:
    """A listener of syslog over TLS, which reads to the end of each connection. ``came``: what it
    read, message by message; ``rude``: it ends connections before it has read.
    """

    def __init__(self, folder: Path) -> None:
        made = certificate(folder)
        self.authority = (folder / "certificate.pem").read_text(encoding="ascii")
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(made["certificate"], made["key"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"tls://127.0.0.1:{self.listener.getsockname()[1]}"
        self.came: list[bytes] = []
        self.rude = False

    def run(self) -> None:
        """Take connections until the listener is closed."""
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            plain.settimeout(10)
            with suppress(OSError), self._context.wrap_socket(plain, server_side=True) as opened:
                if not self.rude:
                    self._read(opened)

    def _read(self, opened: ssl.SSLSocket) -> None:
        data = b""
        while some := opened.recv(65536):
            data += some
        with suppress(OSError):
            opened.unwrap().close()
        self.came += unframe(data)


def unframe(data: bytes) -> list[bytes]:
    """Return the messages of a stream of RFC 5425."""
    found = []
    while data:
        length, _, data = data.partition(b" ")
        found.append(data[: int(length)])
        assert len(found[-1]) == int(length)
        data = data[int(length) :]
    return found


@contextmanager
def syslog_receiver(folder: Path) -> Iterator[SyslogReceiver]:
    """Listen while the body runs."""
    found = SyslogReceiver(folder)
    thread = Thread(target=found.run)
    thread.start()
    try:
        yield found
    finally:
        found.listener.shutdown(socket.SHUT_RDWR)
        found.listener.close()
        thread.join()


def ids_of(bodies: list[bytes]) -> list[str]:
    """Return the names of the events of messages of web hooks, in order."""
    return [one["id"] for body in bodies for one in loads(body)["data"]["events"]]
