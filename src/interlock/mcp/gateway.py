"""A server behind an address, and clients before an address of ours: one endpoint, each request
looked at by the relay of its session.

For this machine only unless told otherwise: a request that names another host, or comes from a page
elsewhere, is refused (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from threading import Lock

from interlock.mcp.elicitation import OpenQuestions
from interlock.mcp.http_server_link import (
    EVENTS,
    SESSION,
    StreamEvent,
    Upstream,
    UpstreamError,
    UpstreamResponse,
    build_headers,
)
from interlock.mcp.jsonrpc import INVALID_REQUEST, MAX_MESSAGE, SERVER_ERROR, encode_message, error
from interlock.mcp.relay import Relay, RelayOutput
from interlock.mcp.stdio import LockedRelay
from interlock.model.jsontext import JsonError, loads

REFUSING = 300
"""From this status on a server answers something else than what it was asked for."""
MOST_SESSIONS = 1000
PATIENCE = 600.0
"""Seconds that a request waits for a person's answer."""
_KEPT = frozenset(
    "authorization mcp-session-id mcp-protocol-version last-event-id user-agent cookie traceparent"
    " tracestate".split()
)
"""Headers of a client that go on to the server; what says something of the body is made anew."""
_TOLD = frozenset(
    "mcp-session-id www-authenticate set-cookie retry-after cache-control location".split()
)
"""Headers of a server that go on to the client."""
LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


class RelaySessions:
    """The relays of all sessions. ``opened`` makes a relay; requests without a session share
    nothing but the open questions.
    """

    def __init__(
        self, opened: Callable[[OpenQuestions | None], Relay], tell: Callable[[str], None]
    ) -> None:
        self._opened = opened
        self._tell = tell
        self._lock = Lock()
        self._known: dict[str, LockedRelay] = {}
        self._shared = OpenQuestions()
        self._waiting: dict[str, SimpleQueue[RelayOutput]] = {}

    def of(self, session: str, *, begins: bool) -> LockedRelay:
        """Return the relay of a session; a new one for a request that begins one or has none."""
        with self._lock:
            known = self._known.get(session)
        if known is not None:
            return known
        return LockedRelay(self._opened(None if begins or session else self._shared), self._tell)

    def keep(self, session: str, turns: LockedRelay) -> None:
        """Remember the relay of a session that began."""
        with self._lock:
            while len(self._known) >= MOST_SESSIONS:
                self._known.pop(next(iter(self._known)))
            self._known[session] = turns

    def drop(self, session: str) -> None:
        """Forget a session that ended."""
        with self._lock:
            self._known.pop(session, None)

    def wait(self, question: str) -> SimpleQueue[RelayOutput]:
        """Return where the answer to a question will come."""
        queue: SimpleQueue[RelayOutput] = SimpleQueue()
        with self._lock:
            self._waiting[question] = queue
        return queue

    def take(self, question: object) -> SimpleQueue[RelayOutput] | None:
        """Return where somebody waits for the answer to a question, once."""
        with self._lock:
            return self._waiting.pop(question, None) if isinstance(question, str) else None


class Gateway(ThreadingHTTPServer):
    """Listens, and judges what comes before it goes on to the upstream."""

    daemon_threads = True
    # a client may have many calls at once; with the library's five, the system resets the
    # connections past them
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], upstream: Upstream, sessions: RelaySessions
    ) -> None:
        self.upstream = upstream
        self.sessions = sessions
        self.local = address[0] in LOCAL
        super().__init__(address, GatewayConnection)


class GatewayConnection(BaseHTTPRequestHandler):
    """One connection of a client."""

    server: Gateway
    protocol_version = "HTTP/1.1"
    server_version = "interlock"
    sys_version = ""
    timeout = 3600

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
        """Say nothing of requests that went well."""

    def do_POST(self) -> None:
        """Judge a message and pass it on."""
        body = self._body() if self._check_origin() else None
        if body is None:
            return
        value = _load(body)
        begins = isinstance(value, dict) and value.get("method") == "initialize"
        turns = self.server.sessions.of(self.headers.get(SESSION, ""), begins=begins)
        said = turns.ask(lambda relay: relay.receive_from_client(body))
        asker = self.server.sessions.take(_about(value, said))
        if asker is not None:
            asker.put(said)
            self._empty(202)
        else:
            GatewayReply(self, turns, begins=begins).go_on(said)

    def do_GET(self) -> None:
        """Pass on the stream of what the server says by itself."""
        if self._check_origin():
            turns = self.server.sessions.of(self.headers.get(SESSION, ""), begins=False)
            GatewayReply(self, turns, begins=False).listen()

    def do_DELETE(self) -> None:
        """Pass on that a session ends."""
        if not self._check_origin():
            return
        self.server.sessions.drop(self.headers.get(SESSION, ""))
        try:
            answer = self.server.upstream.ask("DELETE", None, self.filter_headers())
        except UpstreamError as problem:
            self.refuse(502, str(problem))
            return
        self._empty(answer.status)
        answer.close()

    def filter_headers(self) -> dict[str, str]:
        """Return the client's headers that go on."""
        return {name: value for name, value in self.headers.items() if name.lower() in _KEPT}

    def refuse(self, status: int, why: str, code: int = SERVER_ERROR) -> None:
        """Answer with an error that is about no request."""
        self.whole(status, encode_message(error(code, why)), {})

    def whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Answer with one body of JSON."""
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _empty(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _check_origin(self) -> bool:
        """Tell whether a request is from this machine, where only that is listened for: pages of
        the web know names that lead here.
        """
        origin = self.headers.get("Origin")
        page = _name(origin.partition("://")[2]) if origin is not None else "localhost"
        if not self.server.local or (
            _name(self.headers.get("Host", "")) in LOCAL and page in LOCAL
        ):
            return True
        self.close_connection = True
        self.refuse(403, "this address is for programs of this machine", INVALID_REQUEST)
        return False

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self.refuse(
                411, "a request says how long its body is (Content-Length)", INVALID_REQUEST
            )
            return None
        if len(length) > 12 or int(length) > MAX_MESSAGE:
            self.close_connection = True
            self.refuse(
                413,
                f"the message is longer than {MAX_MESSAGE // (1024 * 1024)} MiB",
                INVALID_REQUEST,
            )
            return None
        return self.rfile.read(int(length))


class GatewayReply:
    """What is answered to one request: a body, or a stream where there is more than one thing to
    say or somebody has to be asked.
    """

    def __init__(self, exchange: GatewayConnection, turns: LockedRelay, *, begins: bool) -> None:
        self._exchange = exchange
        self._turns = turns
        self._begins = begins
        self._streaming = False
        self._carry_out = False
        """Whether the answer was one body: nothing may stand behind it, or the next answer on this
        connection would begin with that.
        """

    def go_on(self, said: RelayOutput) -> None:
        """Answer what the relay says of the client's message."""
        question = _question(said)
        if question or (said.to_client and said.to_server):
            queue = self._exchange.server.sessions.wait(question) if question else None
            self._say(said.to_client)
            if said.to_server:
                self._forward(said.to_server)
            if queue is not None:
                self._wait(question, queue)
        elif said.to_server:
            self._forward(said.to_server)
        elif said.to_client:
            self._whole(200, said.to_client[0], {})
        self._end()

    def listen(self) -> None:
        """Pass on what the server says by itself."""
        try:
            answer = self._exchange.server.upstream.ask(
                "GET", None, {**self._exchange.filter_headers(), "Accept": EVENTS}
            )
        except UpstreamError as problem:
            self._exchange.refuse(502, str(problem))
            return
        self._relay_answer(answer, ())
        self._end()

    def _wait(self, question: str, queue: SimpleQueue[RelayOutput]) -> None:
        """Wait for the person's answer, which comes by another request, and go on with the call."""
        try:
            said = queue.get(timeout=PATIENCE)
        except Empty:
            self._exchange.server.sessions.take(question)
            said = self._turns.ask(lambda relay: relay.expire_question(question))
        self._say(said.to_client)
        if said.to_server:
            self._forward(said.to_server)

    def _forward(self, messages: tuple[bytes, ...]) -> None:
        for message in messages:
            wanted = _request_ids(message)
            try:
                answer = self._exchange.server.upstream.ask(
                    "POST", message, {**self._exchange.filter_headers(), **build_headers(message)}
                )
            except UpstreamError as problem:
                self._fail(wanted, str(problem))
                continue
            self._relay_answer(answer, wanted)

    def _relay_answer(self, answer: UpstreamResponse, wanted: tuple[object, ...]) -> None:
        try:
            if self._begins and answer.status == 200 and answer.session:
                self._exchange.server.sessions.keep(answer.session, self._turns)
            if answer.kind == EVENTS and answer.status == 200:
                self._begin(_filter_headers(answer))
                for event in answer.events():
                    self._event(event)
            else:
                self._body(answer, wanted)
            self._fail(wanted, "the server ended its answer without a result")
        except UpstreamError as problem:
            self._fail(wanted, str(problem))
        finally:
            answer.close()

    def _body(self, answer: UpstreamResponse, wanted: tuple[object, ...]) -> None:
        data = answer.body()
        json = answer.kind == "application/json" and bool(data.strip())
        said = (
            self._turns.ask(lambda relay: relay.receive_from_server(data)).to_client if json else ()
        )
        if (
            not said and answer.status >= REFUSING
        ):  # the status says why, and may say what to do: its headers go on
            said = self._failed(wanted, f"the server answered {answer.status} {answer.reason}")
        if self._streaming or len(said) > 1 or (wanted and not said):
            self._say(said)
        else:
            self._whole(answer.status, said[0] if said else b"", _filter_headers(answer))

    def _fail(self, wanted: tuple[object, ...], why: str) -> None:
        self._say(self._failed(wanted, why))

    def _failed(self, wanted: tuple[object, ...], why: str) -> tuple[bytes, ...]:
        """Return what is said of those of these requests that were not answered."""
        asked = [
            self._turns.ask(lambda relay, request=request: relay.failed(request, why))  # type: ignore[misc]
            for request in wanted
        ]
        return tuple([line for said in asked for line in said.to_client])

    # -- the stream --------------------------------------------------------------------------------

    def _begin(self, headers: dict[str, str]) -> None:
        if self._streaming:
            return
        self._streaming = True
        self._exchange.close_connection = True
        self._exchange.send_response(200)
        for name, value in {
            "Content-Type": EVENTS,
            "Cache-Control": "no-store",
            "Connection": "close",
            **headers,
        }.items():
            self._exchange.send_header(name, value)
        self._exchange.end_headers()

    def _whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self._exchange.whole(status, body, headers)
        self._carry_out = True

    def _say(self, messages: tuple[bytes, ...]) -> None:
        if self._carry_out:
            return
        if messages:
            self._begin({})
        for message in messages:
            self._write(b"event: message\ndata: " + message + b"\n\n")

    def _event(self, event: StreamEvent) -> None:
        said = (
            self._turns.ask(lambda relay: relay.receive_from_server(event.data))
            if event.data
            else None
        )
        lines = b"".join([other + b"\n" for other in event.others])
        if said is None:
            self._write(lines + b"data:\n\n")
        for message in said.to_client if said is not None else ():
            self._write(lines + b"data: " + message + b"\n\n")

    def _write(self, data: bytes) -> None:
        self._exchange.wfile.write(data)
        self._exchange.wfile.flush()

    def _end(self) -> None:
        if not self._streaming and not self._carry_out:
            self._whole(202, b"", {})


def _name(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _filter_headers(answer: UpstreamResponse) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.lower() in _TOLD}


def _load(data: bytes) -> object:
    try:
        value: object = loads(data)
    except JsonError:
        return None  # the relay says what is wrong with it
    return value


def _request_ids(message: bytes) -> tuple[object, ...]:
    value = _load(message)
    return tuple(
        [
            one["id"]
            for one in (value if isinstance(value, list) else [value])
            if isinstance(one, dict) and "method" in one and "id" in one
        ]
    )


def _about(value: object, said: RelayOutput) -> object:
    """Return the name of the question that a client's message answers, or cancels with its call."""
    if isinstance(value, dict) and "method" not in value:
        return value.get("id")
    for message in said.to_client:
        ours = _load(message)
        if isinstance(ours, dict) and ours.get("method") == "notifications/cancelled":
            return ours["params"]["requestId"]
    return None


def _question(said: RelayOutput) -> str:
    """Return the name of the question that is put to the client, or ``""``."""
    for message in said.to_client:
        value = _load(message)
        if isinstance(value, dict) and value.get("method") == "elicitation/create":
            return str(value["id"])
    return ""
