"""A model's endpoint on 127.0.0.1 that speaks each provider's protocol, refuses what the provider would refuse, and answers as a test wants."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

KEY = "k-1234567890"
MODEL = "small-1"


class Refused(Exception):
    """The request is not in the protocol's form."""


def _chat(path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
    if path != "/v1/chat/completions" or headers["authorization"] != f"Bearer {KEY}" or body["model"] != MODEL:
        raise Refused
    system, user = body["messages"]
    if (system["role"], user["role"]) != ("system", "user"):
        raise Refused
    return f"{system['content']}\n{user['content']}"


def _responses(path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
    if path != "/v1/responses" or headers["authorization"] != f"Bearer {KEY}" or body["model"] != MODEL:
        raise Refused
    return f"{body['instructions']}\n{body['input']}"


def _messages(path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
    if path != "/v1/messages" or headers["x-api-key"] != KEY or headers["anthropic-version"] != "2023-06-01" or body["model"] != MODEL:
        raise Refused
    if not isinstance(body["max_tokens"], int) or body["messages"][0]["role"] != "user":
        raise Refused
    return f"{body['system']}\n{body['messages'][0]['content']}"


def _generate(path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
    if path != f"/v1beta/models/{MODEL}:generateContent" or headers["x-goog-api-key"] != KEY:
        raise Refused
    return f"{body['systemInstruction']['parts'][0]['text']}\n{body['contents'][0]['parts'][0]['text']}"


def _said_in_messages(said: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "thinking", "thinking": "ALLOW"}, {"type": "text", "text": said}]}


def _said_in_responses(said: str) -> dict[str, Any]:
    return {"output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": said}]}]}


def _said_in_generate(said: str) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": "DENY: no", "thought": True}, {"text": said}]}}]}


SPOKEN: dict[str, tuple[Callable[[str, dict[str, str], dict[str, Any]], str], Callable[[str], dict[str, Any]]]] = {
    "openai-chat": (_chat, lambda said: {"choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]}),
    "openai-responses": (_responses, _said_in_responses),
    "anthropic": (_messages, _said_in_messages),
    "gemini": (_generate, _said_in_generate),
}
"""By protocol: how the question is taken out of a request, and how a reply is made of the model's words."""


class Endpoint:
    """Says ``said`` to every question; ``raw``: the whole reply instead, as (status, bytes). ``asked`` keeps the questions."""

    def __init__(self, protocol: str = "openai-chat", said: str = "ALLOW", raw: tuple[int, bytes] | None = None) -> None:
        self.said, self.raw = said, raw
        self.asked: list[str] = []
        self.protocol = protocol
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
        """Where it is asked."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{'/v1' if self.protocol.startswith('openai') else ''}"

    def reply(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[int, bytes]:
        """Return status and body for a request."""
        taken, made = SPOKEN[self.protocol]
        try:
            self.asked.append(taken(path, headers, body))
        except (Refused, KeyError, IndexError, TypeError, ValueError):
            return 400, b'{"error": "not in the form of this protocol"}'
        return self.raw or (200, json.dumps(made(self.said)).encode())


def _handler_of(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = endpoint.reply(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
            del format, args

    return Handler
