"""A service for tests: in a thread of its own at any free port, and stores with real decisions."""

from __future__ import annotations

import http.client
import json
import re
import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from interlock.cli import build
from interlock.guard.stopping import StopCommand
from interlock.model.call import Outcome, ToolCall
from interlock.service.machines.enrol import MachineOwner, token
from interlock.service.people.owner import first
from interlock.service.people.signin import enter, link
from interlock.service.secrets import later
from interlock.service.serving import ListenSettings, bind_socket, scene, server
from interlock.service.store.rows import SECOND, Membership, Person
from interlock.service.store.sqlite import Database
from interlock.service.tenants import folder_of
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.enrol import enrol
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.ship import Shipper
from interlock.sidecar.stops import Stops
from interlock.sidecar.stream import ServiceStream
from interlock.store.chain import now
from interlock.store.database import Store

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from interlock.guard.stopping import StopResult
    from interlock.service.context import ServiceContext
    from interlock.service.provider import IdentityProvider
    from interlock.service.store.protocol import ServiceWriter
    from interlock.service.store.rows import Visit
    from interlock.sidecar.stops import End
    from interlock.store.elsewhere import EnrolmentState
    from interlock.wire.orders import StopOrder

SECONDS = 60


class Answered:
    """What came back: status, headers by small names, text."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    @property
    def json(self) -> Any:
        """Return the text as JSON."""
        return json.loads(self.text)


class Served:
    """A service that answers at an address of this machine."""

    def __init__(self, made: ServiceContext) -> None:
        self.scene, self.url = made, made.url
        self.where = made.url.partition("://")[2]

    def ask(  # by its own name, whichever number that leads to
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | str = b"",
    ) -> Answered:
        """Ask one thing, as it is written; nothing is followed."""
        port = self.where.rpartition(":")[2]
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=SECONDS)
        try:
            connection.request(method, path, body or None, {"Host": self.where, **(headers or {})})
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.headers.items()}
            if "set-cookie" in names:
                names["set-cookie"] = "\n".join(answer.headers.get_all("set-cookie") or ())
            return Answered(answer.status, names, answer.read().decode())
        finally:
            connection.close()

    def enrolled(self, store: Store, name: str = "here", team: str = "") -> EnrolmentState:
        """Enrol a store."""
        made = self.scene.keeping.write(
            lambda keeping: token(keeping, self.url, self.scene.pin, whose=MachineOwner(team))
        )
        return enrol(store, made, name)

    def signed_in(self) -> dict[str, str]:
        """Return the headers of a person who signed in by a link."""
        secret = self.scene.keeping.write(link)
        answer = self.ask("GET", f"/signin/{secret}")
        assert answer.status == 303, answer.text
        return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}

    def person(
        self, name: str, *roles: str, strength: str = SECOND, proved: float = 0
    ) -> dict[str, str]:
        """Return the headers of a person with roles (``approver:dba`` for one with a name), in a
        visit that began so, and whose second factor was shown so many seconds ago: what a browser
        would send with a form of theirs.
        """

        def work(keeping: ServiceWriter) -> tuple[str, Visit]:
            first(keeping)
            at = now()
            person = keeping.person(name) or Person(name, name, at)
            if keeping.person(name) is None:
                keeping.add_person(person)
            for role, _, what in (one.partition(":") for one in roles):
                keeping.add_membership(Membership(name, role, what, "tests", at))
            return enter(keeping, person, strength, later(-proved) if strength == SECOND else "")

        cookie, visit = self.scene.keeping.write(work)
        return {
            "Cookie": f"{self.scene.cookie}={cookie}",
            "Interlock-Proof": visit.proof,
            "Origin": self.url,
        }


class Visitor:
    """Somebody with a browser that runs no script: keeps the cookie, follows, fills forms in.
    ``here``: the last page.
    """

    def __init__(self, service: Served) -> None:
        self._service = service
        self.cookies: dict[str, str] = {}
        self.here = Answered(0, {}, "")
        self.path = ""

    def go(self, path: str) -> Answered:
        """Open a page, wherever it leads."""
        return self._ask("GET", path, "")

    def send(self, path: str, **fields: str) -> Answered:
        """Send a form of the last page, with the proof that stands in it."""
        proof = re.search(r'name="proof" value="([^"]+)"', self.here.text)
        if proof is not None:
            fields.setdefault("proof", proof[1])
        return self._ask("POST", path, urlencode(fields))

    def _ask(self, method: str, path: str, body: str) -> Answered:
        for _ in range(5):
            self.path = path.removeprefix(self._service.url)
            jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            headers = {"Cookie": jar, "Accept": "text/html", "Origin": self._service.url}
            answer = self._service.ask(method, self.path, headers, body)
            self._keep(answer)
            self.here = answer
            path = answer.headers.get("location", "")
            if answer.status != 303 or (path[:1] != "/" and not path.startswith(self._service.url)):
                return answer
            method, body = "GET", ""
        raise AssertionError(f"{path} leads round in circles")

    @property
    def cookie(self) -> str:
        """The value of the cookie of their visit."""
        return self.cookies.get(self._service.scene.cookie, "")

    def _keep(self, answer: Answered) -> None:
        for line in answer.headers.get("set-cookie", "").splitlines():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
            if "Max-Age=0" in line:
                del self.cookies[name]


@contextmanager
def served(
    folder: Path, own: Store | None = None, provider: IdentityProvider | None = None, **how: Any
) -> Iterator[Served]:
    """Serve a folder while the body runs."""
    listening = ListenSettings(**how)
    sock = bind_socket(listening)
    made = scene(str(folder), listening, sock.getsockname()[1], own, provider)
    with answering([made], listening, sock) as [found]:
        yield found


@contextmanager
def served_apart(folder: Path, *names: str) -> Iterator[list[Served]]:
    """Serve tenants of these names in one process while the body runs; the first is the service
    itself, which has none.
    """
    listening = ListenSettings()
    sock = bind_socket(listening)
    port = sock.getsockname()[1]
    made = [scene(str(folder), listening, port, None)]
    made += [
        scene(folder_of(str(folder), name), listening, port, None, tenant=name) for name in names
    ]
    with answering(made, listening, sock) as found:
        yield found


@contextmanager
def answering(
    made: list[ServiceContext], listening: ListenSettings, sock: socket.socket
) -> Iterator[list[Served]]:
    """Answer for services while the body runs."""
    ready = Event()
    for one in made:
        if isinstance(one.keeping, Database):  # what outlasts a power cut is no test's
            one.keeping._writer.execute("PRAGMA synchronous=OFF")
    running = server(made, listening, ready.set)
    thread = Thread(target=running.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield [Served(one) for one in made]
    finally:
        running.should_exit = True
        thread.join(SECONDS)
        for one in made:
            one.close()
        sock.close()


def filled(home: Path, calls: int, start: int = 0) -> Store:
    """Return a home's store with so many more calls judged and ended, as its guard records them;
    every tenth is denied.
    """
    guard = build.guard({"HOME": str(home)}, folder=str(home))
    for number in range(start, start + calls):
        command = "rm -rf /" if number % 10 == 9 else f"ls -la part-{number}"
        call = ToolCall(
            "shell",
            "Bash",
            {"command": command},
            str(home),
            (str(home),),
            session=f"s{number % 3}",
            agent="claude-code",
            call_id=f"c{number}",
        )
        decision = guard.check(call)
        if decision.verdict.name == "allow":
            guard.outcome(Outcome(call, "ran", f"part {number}", 12 + number))
    return Store(f"{home}/.local/state/interlock")


def shipped_all(shipper: Shipper, most: int = 60) -> int:
    """Send until nothing waits; return how many tries that took."""
    for tries in range(most):
        some = shipper.waiting()
        if some is None:
            return tries
        shipper.send(some)
    raise AssertionError(f"after {most} tries events still wait: {shipper.state}")


class Sidecar:
    """What listens for a store: its stops, its requests, and a client of its own."""

    def __init__(self, store: Store, where: EnrolmentState, end: End) -> None:
        self.stops, self.asks = Stops(store, where, end), SidecarRequests(store, where)
        self.client = SidecarClient(where.url, where.pin, where.credential)


@contextmanager
def listening(store: Store, where: EnrolmentState) -> Iterator[Sidecar]:
    """Have a store's sidecar listen to what comes down while the body runs; what it stops is
    stopped as `interlock stop` does it.
    """
    home = store.folder.removesuffix("/.local/state/interlock")
    ended = Event()

    def end(order: StopOrder) -> StopResult:
        return build.execute_stop(
            {"HOME": home}, StopCommand(order.scope, order.why, order.by, flagged=True)
        )

    made = Sidecar(store, where, end)
    down = ServiceStream(where, made.stops, made.asks, ended, _soon)
    thread = Thread(target=down.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.client.close()
        ended.set()
        down.cut()
        thread.join(SECONDS)


def _soon(least: float, most: float) -> float:
    return least + min(most, 1.0) / 20


def until(found: Callable[[], bool], said: Callable[[], object] = lambda: "") -> None:
    """Wait until something holds."""
    end = time.monotonic() + SECONDS
    while not found():
        assert time.monotonic() < end, said()
        time.sleep(0.02)
