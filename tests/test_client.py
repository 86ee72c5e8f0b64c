"""The client of a service that decides: what it returns, that it never turns an error into an
allow, and when it tries again.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from interlock.client import AsyncClient, Client, NoDecisionError
from interlock.service.approvals.votes import VoteAnswer, vote
from interlock.store.chain import now
from tests.calling import PROJECT, Calling, stand_as_approver
from tests.certificates import certificate
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WHERE = {"cwd": PROJECT, "roots": [PROJECT]}
ALLOWED = {"id": "d-1", "verdict": "allow", "reason": ""}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def caller(service: Served) -> Calling:
    """Return a program that may ask."""
    return Calling(service)


def test_it_returns_what_was_decided(caller: Calling) -> None:
    """One, several, and what became of them, each in the record."""
    with Client(caller.service.url, caller.token, usual=WHERE) as client:
        runs = client.decide("Bash", {"command": "ls"}, session="s1")
        assert (runs.allowed, runs.verdict) == (True, "allow")
        denied = client.decide("Bash", {"command": "rm -rf /"})
        assert (denied.allowed, denied.verdict) == (False, "deny")
        assert denied.reason
        assert denied.findings
        both = client.decide_all([("Bash", {"command": "ls"}), ("Bash", {"command": "rm -rf /"})])
        assert [one.verdict for one in both] == ["allow", "deny"]
        assert client.tell(runs, "ran", "a b c", 12)
        assert client.tell(runs, "ran", "a b c", 12)
    assert {runs.id, denied.id} <= set(caller.recorded())


def test_it_is_the_same_with_a_loop(caller: Calling) -> None:
    """Many at once, each with its own answer."""

    async def ask() -> None:
        async with AsyncClient(caller.service.url, caller.token, usual=WHERE) as client:
            commands = ["ls", "rm -rf /"] * 8
            found = await asyncio.gather(
                *[client.decide("Bash", {"command": one}) for one in commands]
            )
            assert [one.verdict for one in found] == ["allow", "deny"] * 8
            assert await client.tell(found[0], "ran")
            many = await client.decide_all([("Bash", {"command": one}) for one in commands])
            assert [one.verdict for one in many] == ["allow", "deny"] * 8
        with pytest.raises(NoDecisionError):
            await client.decide("Bash", {"command": "ls"})

    asyncio.run(ask())


@pytest.mark.parametrize("loop", [False, True])
def test_it_waits_for_a_person_where_that_is_wanted(caller: Calling, loop: bool) -> None:
    """An ask comes back at once; with ``wait`` the yes of somebody who answers meanwhile does."""
    service, who = caller.service, stand_as_approver(caller.service)
    command = {"command": f"git push --force origin main-{loop}"}
    with Client(service.url, caller.token, usual=WHERE) as client:
        asked = client.decide("Bash", command, session="w")
        assert (asked.verdict, asked.allowed) == ("ask", False)
        answer = VoteAnswer(who, yes=True, at=now())
        service.scene.keeping.write(lambda steps: vote(steps, caller.id, asked.request, answer))
        if not loop:
            assert client.decide("Bash", command, session="w", wait=30).allowed
            return

    async def ask() -> bool:
        async with AsyncClient(service.url, caller.token, usual=WHERE) as other:
            return (await other.decide("Bash", command, session="w", wait=30)).allowed

    assert asyncio.run(ask())


class Answering:
    """A made-up service: answers in their order, the last one again and again; notes what came."""

    def __init__(self, *answers: tuple[int, object]) -> None:
        self.answers, self.came = list(answers), 0
        self.after = "0"

    def next(self) -> tuple[int, bytes]:
        """Return the next answer; a text is sent as it is."""
        self.came += 1
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return status, body.encode() if isinstance(body, str) else json.dumps(body).encode()


@contextmanager
def answering(*answers: tuple[int, object]) -> Iterator[tuple[str, Answering]]:
    """Serve made-up answers; a status of 0 hangs up instead."""
    script = Answering(*answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body = script.next()
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After", script.after)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is named
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


WRONG: list[tuple[int, object]] = [
    (200, "nonsense"),
    (200, []),
    (200, {}),
    (200, {"id": "d-1"}),
    (200, {"id": "", "verdict": "allow"}),
    (200, {"id": "d-1", "verdict": "yes"}),
    (200, {"id": "d-1", "verdict": True}),
    (200, {"id": 7, "verdict": "allow"}),
    (200, {"id": "d-1", "verdict": "allow", "reason": 7}),
    (200, {"id": "d-1", "verdict": "allow", "obligations": "none"}),
    (204, ""),
    (302, ALLOWED),
    (400, ALLOWED),
    (401, {"title": "no token", "type": "sign-in"}),
    (500, ALLOWED),
    (0, ""),
]


@pytest.mark.parametrize("answer", WRONG, ids=range(len(WRONG)))
def test_what_goes_wrong_is_never_an_allow(answer: tuple[int, object]) -> None:
    """Whatever comes back, or does not: it raises, or is the ask or the deny that was wanted."""
    call = ("Bash", {"command": "ls"})
    with answering(answer) as (url, _):
        with Client(url, "t", seconds=2) as client, pytest.raises(NoDecisionError):
            client.decide(*call)
        for instead in ("ask", "deny"):
            with Client(url, "t", seconds=2, on_error=instead) as client:
                found = client.decide(*call)
                assert (found.verdict, found.allowed) == (instead, False)
                assert found.rule == "client.no-decision"
                assert [one.verdict for one in client.decide_all([call, call])] == [instead] * 2
                assert client.tell(found, "ran") is False


def test_a_right_answer_is_one() -> None:
    """The twin of the above."""
    with answering((200, ALLOWED)) as (url, _), Client(url, "t") as client:
        assert client.decide("Bash", {"command": "ls"}).allowed


def test_a_batch_with_other_answers_is_none() -> None:
    """Fewer or more than were asked for: none of them counts."""
    for count in (0, 1, 3):
        made_up = answering((200, {"decisions": [ALLOWED] * count}))
        with made_up as (url, _), Client(url, "t", on_error="deny") as client:
            found = client.decide_all([("Bash", {}), ("Bash", {})])
            assert [one.verdict for one in found] == ["deny", "deny"]


def test_it_tries_again_where_nothing_was_done() -> None:
    """A service that is busy, or full, or starting; not one that hung up after it was asked, for
    it may have decided. What became of a call is said again then, too.
    """
    problem = {"type": "busy", "title": "later", "status": 503}
    for status in (429, 503, 507):
        with answering((status, problem), (200, ALLOWED)) as (url, script):
            with Client(url, "t") as client:
                assert client.decide("Bash", {}).allowed
            assert script.came == 2
    with answering((0, ""), (200, ALLOWED)) as (url, script):
        with Client(url, "t") as client, pytest.raises(NoDecisionError):
            client.decide("Bash", {})
        assert script.came == 1
    with answering((200, ALLOWED), (0, ""), (200, {"new": True})) as (url, script):
        with Client(url, "t") as client:
            assert client.tell(client.decide("Bash", {}), "ran")
        assert script.came == 3


def test_it_gives_up_in_time() -> None:
    """A service that is busy for good, and one that is not there."""
    problem = {"type": "busy", "title": "later", "status": 503}
    with answering((503, problem)) as (url, script):
        with Client(url, "t", seconds=0.5) as client, pytest.raises(NoDecisionError) as told:
            client.decide("Bash", {})
        assert (told.value.status, told.value.kind, script.came > 1) == (503, "busy", True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nobody = Client(f"http://127.0.0.1:{port}", "t", seconds=0.5)
    with nobody as client, pytest.raises(NoDecisionError, match="is not reached"):
        client.decide("Bash", {})


def test_what_cannot_be_sent_is_no_decision() -> None:
    """An input that JSON has no word for."""
    with answering((200, ALLOWED)) as (url, script), Client(url, "t", on_error="deny") as client:
        for given in ({"n": float("nan")}, {"n": object()}):
            assert client.decide("Bash", given).verdict == "deny"
        assert script.came == 0


def test_a_token_is_sent_by_tls_alone() -> None:
    """Beyond this machine there is no address without it; what is no address is told."""
    for url in ("http://team.example", "ftp://x", "team", "https://", "https://x/path"):
        with pytest.raises(ValueError, match=r"address|TLS"):
            Client(url, "t")
    for url in ("https://team.example", "http://127.0.0.1:1", "http://corp.localhost:1"):
        Client(url, "t").close()
    with pytest.raises(ValueError, match="on_error"):
        Client("https://team.example", "t", on_error="allow")


def test_it_talks_tls_to_whom_it_trusts(tmp_path: Path) -> None:
    """A certificate that the file vouches for; without the file it is nobody's."""
    made = certificate(tmp_path)
    with served(tmp_path / "service", **made) as found:
        token = Calling(found).token
        with Client(found.url, token, ca=made["certificate"]) as client:
            assert client.decide("Bash", {"command": "ls"}).allowed
        with Client(found.url, token, seconds=1) as client, pytest.raises(NoDecisionError) as told:
            client.decide("Bash", {"command": "ls"})
        assert "certificate" in str(told.value).lower()
