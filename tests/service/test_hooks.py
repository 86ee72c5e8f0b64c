"""Web hooks are told what waits, signed, at least once, and nowhere else than where they are."""

from __future__ import annotations

import hmac
import json
import socket
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.service.hooks import sending
from interlock.service.hooks.sending import HookError, create_hook, deliver, secret
from interlock.service.notices import REQUEST, tell
from interlock.service.outward import InsideError, is_public
from interlock.service.secrets import later
from interlock.service.store.rows import WebHook
from interlock.service.store.sqlite import Database
from tests.answering import answering
from tests.approvals.test_roles import desk
from tests.serving import Served, until

if TYPE_CHECKING:
    from pathlib import Path


def hooked(service: Served, url: str, *, private: bool = True) -> WebHook:
    """Add a web hook."""
    return service.scene.keeping.write(lambda steps: create_hook(steps, url, private=private))


def test_a_request_is_shown_and_linked_and_signed(service: Served, tmp_path: Path) -> None:
    """As Standard Webhooks has it; the call's own words are in the text, the answer is on the
    page.
    """
    from tests.service.test_inbox import page, sent

    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store, "runner")
    with answering() as receiver:
        hook = hooked(service, receiver.url + "/hook?x=1")
        name = here.requested()
        sent(service, where, here)
        until(lambda: bool(receiver.came))
        _, headers, body = receiver.came[0]
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
    with answering() as receiver:
        receiver.answer(302, headers={"Location": "http://127.0.0.1:1/"})
        hook = hooked(service, receiver.url + "/hook?x=1")
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: told(service) and len(receiver.came) > 1)
        receiver.status = 204
        until(lambda: told(service) and not due(service))
        assert len({headers["webhook-id"] for _, headers, _ in receiver.came}) == 1
        receiver.status = 410
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: told(service) and not service.scene.keeping.read(lambda at: at.hooks()))
    assert hook.id


def test_an_address_of_this_network_is_told_only_where_it_was_listed(service: Served) -> None:
    """Else nothing is sent there, and it is said why."""
    with answering() as receiver:
        with pytest.raises(HookError, match="no https"):
            hooked(service, receiver.url, private=False)
        inside = receiver.url.replace("http://", "https://")
        hook = hooked(service, inside, private=False)
        service.scene.keeping.write(lambda steps: tell(steps, REQUEST, "/", "t", {}))
        until(lambda: hook.id in service.scene.keeping.read(lambda known: known.find_undelivered()))
        failed = service.scene.keeping.read(lambda known: known.find_undelivered())[hook.id]
        assert "an address of this network" in failed.said
        assert receiver.came == []
    deliver(service.scene)


def test_a_name_is_asked_for_once(service: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that was looked at is the one that is told: a name that leads elsewhere the next
    time (DNS rebinding) gains nothing.
    """
    real, asked = socket.getaddrinfo, list[str]()

    def turning(host: str, port: int, *more: Any, **named: Any) -> Any:
        if host != "turning.example":
            return real(host, port, *more, **named)
        asked.append(host)
        return real("127.0.0.1" if len(asked) == 1 else "127.0.0.2", port, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", turning)
    with answering() as receiver:
        port = receiver.url.rpartition(":")[2]
        hook = WebHook("h-1", f"http://turning.example:{port}/x", private=True, made="")
        assert sending.send(hook, "n", b"{}", service.scene.signer) == 200
        [(path, headers, _)] = receiver.came
    assert (path, headers["host"]) == ("/x", f"turning.example:{port}")
    assert asked == ["turning.example"]
    with pytest.raises(InsideError, match="an address of this network"):
        sending.send(hook.replace(private=False), "n", b"{}", service.scene.signer)


LONG = f"https://{'a' * 70}.example/"
"""A name that no name server takes."""


@pytest.mark.parametrize(
    "wrong",
    [
        "https://", "ftp://x", "https://a@b.example/", LONG, "https://a.example:99999/",
        "https://[/", "https://a.example/x y", "https://a.example/\r\nx: y", "",
    ],
)  # fmt: skip
def test_what_is_no_address_is_not_added(service: Served, wrong: str) -> None:
    """And what is one is."""
    with pytest.raises(HookError):
        hooked(service, wrong)
    assert hooked(service, "https://a.example:444/x?y=z").url


def test_a_name_that_is_none_keeps_nobody_from_being_told(
    service: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such a web hook is said to be so, and the next one is told."""
    keeping = service.scene.keeping
    for number, url in enumerate((LONG, "https://a.example:99999/")):
        hook = WebHook(f"h-{number}", url, private=True, made="2026-01-31T10:00:00.000Z")
        keeping.write(lambda steps, hook=hook: steps.add_hook(hook))  # type: ignore[misc]
    with answering() as receiver:
        hooked(service, receiver.url + "/hook?x=1")
        keeping.write(lambda steps: tell(steps, REQUEST, "/inbox", "asks", {}))
        until(lambda: bool(receiver.came))
    until(lambda: len(keeping.read(lambda known: known.find_undelivered())) == 2)
    assert capsys.readouterr().err == ""


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
