"""A model that says what a test wants: the Anthropic Messages API on 127.0.0.1, with and without streaming."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def use(tool: str, **given: object) -> dict[str, Any]:
    """Write a step of the script: the model calls a tool."""
    return {"type": "tool_use", "name": tool, "input": given}


class FakeModel:
    """Serves one script of tool calls; the step follows from how many calls the conversation already holds.

    ``scripts``: by a mark in the conversation's first words, so that a sub-agent can have its own; ``""`` is everybody else's.
    """

    def __init__(self, *steps: dict[str, Any], scripts: dict[str, list[dict[str, Any]]] | None = None) -> None:
        self.scripts = {**(scripts or {}), "": list(steps)}
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where the client finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Choose the next step for a request and keep the request."""
        with self._lock:
            self.requests.append(body)
            number = len(self.requests)
        block = self._step(body) if body.get("tools") else None
        content = {**block, "id": f"toolu_{number:04d}"} if block else {"type": "text", "text": "done"}
        return {
            "id": f"msg_{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "fake"),
            "content": [content],
            "stop_reason": "tool_use" if block else "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        }

    def _step(self, body: dict[str, Any]) -> dict[str, Any] | None:
        turns = body.get("messages", [])
        first = json.dumps(next((turn["content"] for turn in turns if turn["role"] == "user"), ""))
        steps = next(script for mark, script in self.scripts.items() if mark in first)
        done = sum(part.get("type") == "tool_use" for turn in turns if turn["role"] == "assistant" for part in _parts(turn["content"]))
        return steps[done] if done < len(steps) else None

    def results(self) -> list[str]:
        """Return what the model was told about its calls, each once, in order."""
        told: dict[str, str] = {}
        for request in self.requests:
            for turn in request.get("messages", []):
                for part in _parts(turn["content"]):
                    if part.get("type") == "tool_result":
                        told.setdefault(part["tool_use_id"], _text(part.get("content", "")))
        return list(told.values())

    def heard(self) -> str:
        """Return everything that was ever sent to the model, as one text."""
        return "\n".join(_text(request) for request in self.requests)


def _parts(content: object) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_text(part) for part in value.values())
    return "\n".join(_text(part) for part in value) if isinstance(value, list) else ""


def _events(message: dict[str, Any]) -> list[dict[str, Any]]:
    block = message["content"][0]
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": USAGE},
        {"type": "message_stop"},
    ]


def _handler_of(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw or b"{}")
            path = self.path.split("?")[0]
            if path.endswith("/count_tokens"):
                self._send(b'{"input_tokens":10}', "application/json")
            elif not path.endswith("/messages"):
                self._send(b"{}", "application/json")
            elif body.get("stream"):
                lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(model.answer(body)))
                self._send(lines.encode(), "text/event-stream")
            else:
                self._send(json.dumps(model.answer(body)).encode(), "application/json")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
