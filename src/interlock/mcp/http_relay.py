"""A server behind an address, and a client before our standard input and output: each message of
the client is a request of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any

from interlock.mcp.http_server_link import (
    EVENTS,
    SESSION,
    VERSION,
    Upstream,
    UpstreamError,
    UpstreamResponse,
    build_headers,
)
from interlock.mcp.jsonrpc import is_id, key_of
from interlock.mcp.stdio import LockedRelay, Sender, lines
from interlock.model.jsontext import JsonError, loads

AGAIN = 1.0
"""Seconds before a stream of the server that ended is opened again."""
MOST_THREADS = 200


class HttpRelay:
    """The requests under way to one address."""

    def __init__(
        self,
        turns: LockedRelay,
        upstream: Upstream,
        tell: Callable[[str], None],
        client: tuple[int, int] = (0, 1),
    ) -> None:
        self._turns = turns
        self._upstream = upstream
        self._tell = tell
        self._input = client[0]
        self._to_client = Sender(client[1])
        self._lock = Lock()
        self._session = ""
        self._version = ""
        self._open: dict[str, UpstreamResponse] = {}
        self._threads: list[Thread] = []
        self._over = Flag()

    def serve(self) -> int:
        """Pass messages on until the client ends; returns the exit code."""
        for line in lines(self._input):
            said = self._turns.line(line, server=False)
            if said is None:
                continue
            if not self._to_client.send(said.to_client):
                break
            for message in said.to_server:
                self._send(message)
        self._over.set()
        self._end()
        return 0

    def _send(self, message: bytes) -> None:
        value = loads(message)
        wanted = [
            one["id"]
            for one in (value if isinstance(value, list) else [value])
            if "method" in one and "id" in one
        ]
        if wanted:
            self._start(lambda: self._ask(message, value, wanted))
        elif not self._cancels(value):
            self._ask(message, value, wanted)
            if (
                isinstance(value, dict)
                and value.get("method") == "notifications/initialized"
                and self._session
            ):
                self._start(self._listen)

    def _start(self, work: Callable[[], None]) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= MOST_THREADS:
            work()
            return
        thread = Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _cancels(self, value: Any) -> bool:
        """Tell whether a message cancels a request in the way of 2026-07-28, and do it: its answer
        is not waited for any more.
        """
        params = value.get("params") if isinstance(value, dict) else None
        if (
            not isinstance(params, dict)
            or value.get("method") != "notifications/cancelled"
            or self._version
            or not is_id(params.get("requestId"))
        ):
            return False
        answer = self._open.get(key_of(params["requestId"]))
        if answer is not None:
            answer.close()
        return answer is not None

    def _headers(self) -> dict[str, str]:
        found = {SESSION: self._session} if self._session else {}
        return found | ({VERSION: self._version} if self._version else {})

    def _ask(self, message: bytes, value: Any, wanted: list[object]) -> None:
        """Send one message and pass on what is answered; each request of it is answered."""
        why = "the server did not answer"
        try:
            answer = self._upstream.ask(
                "POST", message, {**self._headers(), **build_headers(message)}
            )
        except UpstreamError as problem:
            self._failed(wanted, str(problem))
            return
        first = key_of(wanted[0]) if wanted else ""
        if first:
            self._open[first] = answer
        try:
            begins = isinstance(value, dict) and value.get("method") == "initialize"
            if begins and answer.status == 200:
                self._session = answer.session
            why = self._pass_answer(answer, begins=begins) or why
        except UpstreamError as problem:
            why = str(problem)
        finally:
            self._open.pop(first, None)
            answer.close()
        self._failed(wanted, why)

    def _pass_answer(self, answer: UpstreamResponse, *, begins: bool) -> str:
        """Pass on all that an answer holds; return what to say of unanswered requests."""
        if answer.status == 202:
            return ""
        if answer.status == 200 and answer.kind == EVENTS:
            for event in answer.events():
                if event.data:
                    self._pass(event.data, begins=begins)
            return "the server ended its answer without a result"
        data = answer.body()
        if answer.kind == "application/json" and data.strip():
            self._pass(data, begins=begins)
        why = f"the server answered {answer.status} {answer.reason}"
        return f"{why}: give its credentials by --header" if answer.status == 401 else why

    def _pass(self, data: bytes, *, begins: bool) -> None:
        if begins:
            self._note_version(data)
        said = self._turns.ask(lambda relay: relay.receive_from_server(data))
        self._to_client.send(said.to_client)

    def _note_version(self, data: bytes) -> None:
        try:
            value = loads(data)
        except JsonError:
            return  # the relay says what is wrong with it
        result = value.get("result") if isinstance(value, dict) else None
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str) and version.isascii() and version.isprintable():
            self._version = version

    def _failed(self, wanted: list[object], why: str) -> None:
        for request in wanted:
            said = self._turns.ask(lambda relay, request=request: relay.failed(request, why))  # type: ignore[misc]
            self._to_client.send(said.to_client)

    def _listen(self) -> None:
        """Pass on what the server says by itself, as long as it offers a stream for that."""
        while not self._over.is_set():
            try:
                answer = self._upstream.ask("GET", None, {**self._headers(), "Accept": EVENTS})
                if answer.status != 200 or answer.kind != EVENTS:
                    answer.close()
                    return
                with self._lock:
                    self._open["GET"] = answer
                for event in answer.events():
                    if event.data:
                        self._pass(event.data, begins=False)
            except UpstreamError as problem:
                self._tell(str(problem))
            self._over.wait(AGAIN)

    def _end(self) -> None:
        for answer in list(self._open.values()):
            answer.close()
        if self._session:
            try:
                self._upstream.ask("DELETE", None, self._headers()).close()
            except UpstreamError as problem:
                self._tell(f"the session could not be ended there: {problem}")
