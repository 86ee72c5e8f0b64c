"""Web hooks are told what waits, signed, at least once, and nowhere else than where they are."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.service.hooks import sending
from interlock.service.hooks.sending import HookError, added, deliver, is_public, secret
from interlock.service.notes import REQUEST, tell
from interlock.service.secrets import later
from interlock.service.store.sqlite import Database
from tests.approvals.test_roles import desk
from tests.serving import Served, served, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.rows import Hook


class Receiver:
    """A web hook at an address of this machine. ``status``: what it answers."""

    def __init__(self) -> None:
        self.came: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        outer = self

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.came.append(({k.lower(): v for k, v in self.headers.items()}, body))
                self.send_response(outer.status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Taking)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?x=1"


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive while the body runs."""
    found = Receiver()
    thread = Thread(target=found.server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        found.server.shutdown()
        found.server.server_close()
        thread.join()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


def hooked(service: Served, url: str, *, private: bool = True) -> Hook:
    """Add a web hook."""
    return service.scene.keeping.write(lambda steps: added(steps, url, private=private))


def test_a_request_is_shown_and_linked_and_signed(service: Served, tmp_path: Path) -> None:
    """As Standard Webhooks has it; the call's own words are in the text, the answer is on the
    page.
    """
    from tests.service.test_inbox import page, sent

    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store, "runner")
    with receiving() as receiver:
        hook = hooked(service, receiver.url)
        name = here.requested()
        sent(service, where, here)
        until(lambda: bool(receiver.came))
        headers, body = receiver.came[0]
        until(lambda: not due(service))
    key = b64decode(secret(service.scene.signer, hook).removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mark = b64encode(hmac.new(key, signed, sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{mark}"
    said = json.loads(body)
    assert (said["type"], said["data"]["request"]) == (REQUEST, name)
    assert said["data"]["page"] == f"{service.url}{page(where, name)}"
    assert said["text"].startswith("An agent on runner asks: deletes")
    assert (
        service.ask("GET", page(where, name), service.person("ada", "approver:lead")).status == 200
    )


def told(service: Served) -> bool:
    """Tell what is due now, as the service does each second."""
    deliver(service.scene)
    return True


def due(service: Served) -> list[object]:
    """Return what waits to be told."""
    return list(service.scene.keeping.read(lambda known: known.deliveries("9999", 99)))


def test_what_was_not_taken_is_told_again_under_the_same_name(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A redirection is not followed; one that says it is gone is told nothing more."""
    monkeypatch.setattr(sending, "WAITS", (0, 0, 0))
    with receiving() as receiver:
        receiver.status = 302
        hook = hooked(service, receiver.url)
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: told(service) and len(receiver.came) > 1)
        receiver.status = 204
        until(lambda: told(service) and not due(service))
        assert len({headers["webhook-id"] for headers, _ in receiver.came}) == 1
        receiver.status = 410
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: told(service) and not service.scene.keeping.read(lambda at: at.hooks()))
    assert hook.id


def test_an_address_of_this_network_is_told_only_where_it_was_listed(service: Served) -> None:
    """Else nothing is sent there, and it is said why."""
    with receiving() as receiver:
        with pytest.raises(HookError, match="no https"):
            hooked(service, receiver.url, private=False)
        inside = receiver.url.replace("http://", "https://")
        hook = hooked(service, inside, private=False)
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: hook.id in service.scene.keeping.read(lambda known: known.undelivered()))
        failed = service.scene.keeping.read(lambda known: known.undelivered())[hook.id]
        assert "an address of this network" in failed.said
        assert receiver.came == []
    deliver(service.scene)
    for wrong in ("https://", "ftp://x", "https://a@b.example/"):
        with pytest.raises(HookError):
            hooked(service, wrong)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1::1", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("192.168.0.1", False), ("169.254.169.254", False), ("100.64.0.1", False), ("0.1.2.3", False),
        ("::1", False), ("fe80::1%eth0", False), ("fd00::1", False), ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False), ("64:ff9b::5db8:d822", True), ("2002:7f00:1::", False), ("::", False),
    ],
)  # fmt: skip
def test_what_is_an_address_of_the_whole_internet(address: str, public: bool) -> None:
    """Also where another is wrapped in it."""
    assert is_public(address) == public


def test_the_commands_add_list_and_forget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The secret is shown when it is added, and kept nowhere."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = f"{tmp_path}/.local/state/interlock/service"
    Database(folder).close()
    assert main(["serve", "--webhook", "http://x.example"]) == 1
    assert main(["serve", "--webhook", "https://x.example/y"]) == 0
    said = capsys.readouterr().out
    name = said.partition(":")[0]
    assert "whsec_" in said
    assert main(["serve", "--webhooks"]) == 0
    assert f"{name}  https://x.example/y" in capsys.readouterr().out
    with open(f"{folder}/service.db", "rb") as file:
        assert said.split("whsec_")[1].strip().encode() not in file.read()
    assert main(["serve", "--forget-webhook", name]) == 0
    assert main(["serve", "--forget-webhook", name]) == 1
    assert later(0)
