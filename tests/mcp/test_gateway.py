"""The proxy at an address of its own: who may ask there, what a body has to be, and what becomes of
streams that break.
"""

from __future__ import annotations

import http.client
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from interlock.cli.mcp import prepare_judge
from interlock.mcp.gateway import Gateway, RelaySessions
from interlock.mcp.http_server_link import Upstream, build_headers
from interlock.mcp.relay import Relay
from tests.mcp.test_process import environment
from tests.proxying import request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.mcp.elicitation import OpenQuestions


class Played(BaseHTTPRequestHandler):
    """A server that answers by the name of the tool, and notes what it was asked."""

    seen: ClassVar[list[tuple[dict[str, str], dict[str, Any]]]]

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer, or break off."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append((dict(self.headers.items()), message))
        name = message.get("params", {}).get("name", "")
        if name == "get_redirect":
            self.send_response(307)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        events = name in ("get_cut", "get_nothing")
        body = (
            b'data: {"jsonr'
            if name == "get_cut"
            else b": nothing\n\n"
            if events
            else json.dumps(self._answer(message)).encode()
        )
        body = {
            "get_page": b"<html>",
            "get_empty": b"",
            "get_oauth": b'{"error": "invalid_token"}',
            "get_half": b'{"jso',
        }.get(name, body)
        self.send_response(
            401 if name in ("get_login", "get_oauth") else 502 if name == "get_half" else 200
        )
        self.send_header(
            "Content-Type",
            "text/event-stream"
            if events
            else "text/html"
            if name == "get_page"
            else "application/json; charset=utf-8",
        )
        self.send_header("Content-Length", str(len(body) + (name == "get_cut")))
        if message.get("method") == "initialize":
            self.send_header("Mcp-Session-Id", "session-1")
        self.end_headers()
        self.wfile.write(body)

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "jsonrpc": "2.0",
            "id": message.get("id"),
            "result": {"content": [{"type": "text", "text": "ran"}]},
        }


class Front:
    """A gateway before a played server."""

    def __init__(self, gateway: Gateway, seen: list[tuple[dict[str, str], dict[str, Any]]]) -> None:
        self.port = gateway.server_port
        self.seen = seen

    def post(self, body: object, **headers: str) -> tuple[int, str]:
        """Send a body; return the status and what is answered."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            "POST",
            "/",
            data,
            {
                "Content-Type": "application/json",
                **{key.replace("_", "-"): value for key, value in headers.items()},
            },
        )
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def call(self, name: str, /, number: int = 1, **arguments: object) -> str:
        """Call a tool; return what is answered."""
        return self.post(request(number, "tools/call", name=name, arguments=arguments))[1]


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    """A gateway with the real guard."""
    (tmp_path / "project").mkdir()

    class PlayedHere(Played):
        """The server of this test."""

        seen: ClassVar[list[tuple[dict[str, str], dict[str, Any]]]] = []

    server = ThreadingHTTPServer(("127.0.0.1", 0), PlayedHere)
    judge, listing, _ = prepare_judge(
        "demo", "x", str(tmp_path / "project"), environment(tmp_path), shares=False
    )

    def opening(questions: OpenQuestions | None) -> Relay:
        return Relay(judge, listing(), lambda _: None, questions)

    upstream = Upstream(f"http://127.0.0.1:{server.server_port}/mcp", {"X-Own": "1"})
    gateway = Gateway(("127.0.0.1", 0), upstream, RelaySessions(opening, lambda _: None))
    for one in (server, gateway):
        Thread(target=one.serve_forever, daemon=True).start()
    yield Front(gateway, PlayedHere.seen)
    for one in (server, gateway):
        one.shutdown()
        one.server_close()


def test_what_is_denied_goes_nowhere(front: Front) -> None:
    """A refusal is the answer to the request; its twin runs."""
    assert "Blocked by interlock" in front.call("delete_file", path="/etc/passwd")
    assert front.seen == []
    assert "ran" in front.call("get_file", path="a.txt")
    assert [message["params"]["name"] for _, message in front.seen] == ["get_file"]


def test_headers_that_speak_of_the_body_are_made_anew(front: Front) -> None:
    """What a gateway behind us routes by is what was judged; credentials go on."""
    body = request(
        1,
        "tools/call",
        name="get_file",
        arguments={},
        _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
    )
    assert (
        front.post(
            body,
            Mcp_Name="delete_all",
            Mcp_Method="tools/call",
            Authorization="Bearer t",
            X_Other="2",
        )[0]
        == 200
    )
    headers = {name.lower(): value for name, value in front.seen[0][0].items()}
    assert (
        headers["mcp-name"],
        headers["mcp-method"],
        headers["authorization"],
        headers["x-own"],
    ) == ("get_file", "tools/call", "Bearer t", "1")
    assert "x-other" not in headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.test"}, 403),
        ({"Origin": "https://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Host": "localhost:9"}, 200),
        ({}, 200),
    ],
)
def test_pages_of_the_web_are_refused(front: Front, headers: dict[str, str], status: int) -> None:
    """A name that leads here, or a page elsewhere, is not a program of this machine."""
    assert front.post(request(1, "tools/call", name="get_file"), **headers)[0] == status
    assert len(front.seen) == (status == 200)


def test_a_body_says_how_long_it_is(front: Front) -> None:
    """And it is not longer than a message may be."""
    assert front.post(b"", Content_Length="x")[0] == 411
    assert front.post(b"", Content_Length="99999999999")[0] == 413
    assert front.post(b"2\r\n{}\r\n0\r\n\r\n", Transfer_Encoding="chunked")[0] == 411
    assert "-32700" in front.post(b"nonsense")[1]
    assert front.seen == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("get_cut", "without a result"), ("get_nothing", "without a result"), ("get_page", "without a result"), ("get_empty", "without a result"),
        ("get_redirect", "the server answered 307"), ("get_half", "the server answered 502"), ("get_oauth", "invalid_token"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_told_of(front: Front, name: str, why: str) -> None:
    """The request is answered with what happened, and with nothing behind it: what comes next there
    is an answer. No redirect is followed.
    """
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=60)
    said = []
    for number, called in enumerate((name, "get_file")):
        body = json.dumps(request(number, "tools/call", name=called, arguments={}))
        connection.request("POST", "/", body, {"Content-Type": "application/json"})
        said.append(connection.getresponse().read().decode())
    connection.close()
    assert why in said[0]
    assert '"ran"' in said[1]
    assert len(front.seen) == 2


def test_a_server_that_wants_credentials_says_so(front: Front) -> None:
    """Its status goes on to the client."""
    assert front.post(request(1, "tools/call", name="get_login"))[0] == 401


def test_notifications_and_refused_notifications_are_accepted(front: Front) -> None:
    """A notification is no request; a call without an id is dropped."""
    assert (
        front.post({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "get_file"}})[0]
        == 202
    )
    assert front.seen == []


def test_a_name_that_no_header_holds_is_coded() -> None:
    """MCP 2026-07-28 frames it."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    headers = build_headers(
        json.dumps(request(1, "tools/call", name="é\r\nX: y", _meta=meta)).encode()
    )
    assert headers["Mcp-Name"] == "=?base64?w6kNClg6IHk=?="
    assert "Mcp-Name" not in build_headers(json.dumps(request(1, "tools/call", name="x")).encode())
