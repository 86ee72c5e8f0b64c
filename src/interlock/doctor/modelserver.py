"""The HTTP side of a fake model: a server on 127.0.0.1 that takes what a client asks, and sends
what a script answers, whole or as a stream.
"""

from __future__ import annotations

import gzip
import json
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

Answer = dict[str, Any]
OK = 200
SPARE: Answer = {"object": "list", "data": [], "models": [], "input_tokens": 10, "totalTokens": 10}
"""What clients ask beside the conversation: lists of models, counts of tokens."""


class ModelScript(Protocol):
    """What a server plays."""

    @property
    def path(self) -> str:
        """How the path of the requests that are answered ends; every other one gets ``SPARE``."""

    @property
    def status(self) -> int:
        """Of every answer to a question; where it is not ``OK``, ``refusal`` is the answer."""

    @property
    def refusal(self) -> Answer:
        """What is answered where nothing is."""

    def serve(self, body: dict[str, Any]) -> Answer:
        """Keep a request and answer it."""

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Return an answer as the events of its stream."""

    def between(self, answer: Answer) -> None:
        """Come by before each event of a stream but the first."""


def server_of(script: ModelScript) -> ThreadingHTTPServer:
    """Return a server of a script, at a free port; it serves once it is told to."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(ModelConnection, script))
    server.daemon_threads = True
    return server


class ModelConnection(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"

    def __init__(self, script: ModelScript, *given: Any) -> None:
        self.script = script
        super().__init__(*given)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Say that somebody is there."""
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        """Answer what is asked beside the conversation."""
        self._send_json(SPARE)

    def do_POST(self) -> None:
        """Answer a request with what the script says to it."""
        raw, path = self._body(), self.path.partition("?")[0]
        packed = self.headers.get("Content-Encoding") == "gzip"
        body = json.loads(gzip.decompress(raw) if packed else raw or b"{}")
        if not path.endswith(self.script.path):
            self._send_json(SPARE)
        elif self.script.status != OK:
            self._send_json(self.script.refusal, status=self.script.status)
        else:
            answer = self.script.serve(body)
            if body.get("stream") is True or "stream" in path:
                lines = [_line(event) for event in self.script.events(answer)]
                self._send(lines, "text/event-stream", answer)
            else:
                self._send_json(answer)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        raw = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def _send_json(self, answer: Answer, status: int = OK) -> None:
        self._send(json.dumps(answer).encode(), "application/json", status=status)

    def _send(
        self, data: bytes | list[bytes], kind: str, answer: Answer | None = None, status: int = OK
    ) -> None:
        chunks = data if isinstance(data, list) else [data]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(sum(map(len, chunks))))
        self.end_headers()
        for number, chunk in enumerate(chunks):
            if number and answer is not None:
                self.script.between(answer)
            self.wfile.write(chunk)


def _line(event: dict[str, Any]) -> bytes:
    """Return an event as a stream brings it."""
    named = f"event: {event['type']}\n" if "type" in event else ""
    return f"{named}data: {json.dumps(event)}\n\n".encode()
