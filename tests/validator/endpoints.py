"""A model's endpoint on 127.0.0.1 that speaks each provider's protocol, refuses what the provider
would refuse, and answers as a test wants.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

KEY = "k-1234567890"
MODEL = "small-1"


class Refused(Exception):
    """The request is not in the protocol's form."""


class Heard(NamedTuple):
    """What a request says: the instructions, and what was said by turns, the question first."""

    system: str
    said: list[str]


def _chat(path: str, headers: dict[str, str], body: dict[str, Any]) -> Heard:
    if (
        path != "/v1/chat/completions"
        or headers["authorization"] != f"Bearer {KEY}"
        or body["model"] != MODEL
    ):
        raise Refused
    system, *said = body["messages"]
    if system["role"] != "system":
        raise Refused
    return Heard(
        system["content"], _by_turns([(one["role"], one["content"]) for one in said], "assistant")
    )


def _responses(path: str, headers: dict[str, str], body: dict[str, Any]) -> Heard:
    if (
        path != "/v1/responses"
        or headers["authorization"] != f"Bearer {KEY}"
        or body["model"] != MODEL
    ):
        raise Refused
    return Heard(
        body["instructions"],
        _by_turns([(one["role"], one["content"]) for one in body["input"]], "assistant"),
    )


def _messages(path: str, headers: dict[str, str], body: dict[str, Any]) -> Heard:
    if (
        path != "/v1/messages"
        or headers["x-api-key"] != KEY
        or headers["anthropic-version"] != "2023-06-01"
        or body["model"] != MODEL
    ):
        raise Refused
    if not isinstance(body["max_tokens"], int):
        raise Refused
    return Heard(
        body["system"],
        _by_turns([(one["role"], one["content"]) for one in body["messages"]], "assistant"),
    )


def _generate(path: str, headers: dict[str, str], body: dict[str, Any]) -> Heard:
    if path != f"/v1beta/models/{MODEL}:generateContent" or headers["x-goog-api-key"] != KEY:
        raise Refused
    said = [(one["role"], one["parts"][0]["text"]) for one in body["contents"]]
    return Heard(body["systemInstruction"]["parts"][0]["text"], _by_turns(said, "model"))


def _by_turns(said: list[tuple[str, str]], model: str) -> list[str]:
    """Return what was said; providers refuse what does not begin and end with the user, and go by
    turns.
    """
    if [role for role, _ in said] != [
        model if number % 2 else "user" for number in range(len(said))
    ] or len(said) % 2 == 0:
        raise Refused
    return [text for _, text in said]


READ, WRITTEN, CACHED = 100, 7, 20
"""Tokens that every reply counts: read, those of the cache among them; written."""


def _said_in_chat(said: str) -> dict[str, Any]:
    used = {
        "prompt_tokens": READ,
        "completion_tokens": WRITTEN,
        "prompt_tokens_details": {"cached_tokens": CACHED},
    }
    return {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        ],
        "usage": used,
    }


def _said_in_messages(said: str) -> dict[str, Any]:
    used = {
        "input_tokens": READ - CACHED - 10,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": CACHED,
        "output_tokens": WRITTEN,
    }
    return {
        "type": "message",
        "content": [{"type": "thinking", "thinking": "ALLOW"}, {"type": "text", "text": said}],
        "usage": used,
    }


def _said_in_responses(said: str) -> dict[str, Any]:
    used = {
        "input_tokens": READ,
        "output_tokens": WRITTEN,
        "input_tokens_details": {"cached_tokens": CACHED},
    }
    said_ = {"type": "message", "content": [{"type": "output_text", "text": said}]}
    return {"output": [{"type": "reasoning", "summary": []}, said_], "usage": used}


def _said_in_generate(said: str) -> dict[str, Any]:
    used = {
        "promptTokenCount": READ,
        "candidatesTokenCount": WRITTEN - 2,
        "thoughtsTokenCount": 2,
        "cachedContentTokenCount": CACHED,
    }
    parts = [{"text": "DENY: no", "thought": True}, {"text": said}]
    return {"candidates": [{"content": {"role": "model", "parts": parts}}], "usageMetadata": used}


SPOKEN: dict[
    str,
    tuple[Callable[[str, dict[str, str], dict[str, Any]], Heard], Callable[[str], dict[str, Any]]],
] = {
    "openai-chat": (_chat, _said_in_chat),
    "openai-responses": (_responses, _said_in_responses),
    "anthropic": (_messages, _said_in_messages),
    "gemini": (_generate, _said_in_generate),
}
"""By protocol: how the question is taken out of a request, and how a reply is made of the model's
words.
"""


class Endpoint:
    """Says ``said`` to every question, or what ``said`` makes of what it heard; ``raw``: the whole
    reply instead, as (status, bytes).

    ``counts``: a reply tells the tokens that it took. ``asked`` keeps the questions, with what was
    said since; ``heard`` keeps them by turns.
    """

    def __init__(
        self,
        protocol: str = "openai-chat",
        said: str | Callable[[Heard], str] = "ALLOW",
        raw: tuple[int, bytes] | None = None,
        *,
        counts: bool = True,
    ) -> None:
        self.said, self.raw, self.counts = said, raw, counts
        self.asked: list[str] = []
        self.heard: list[Heard] = []
        self.protocol = protocol
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            heard = taken(path, headers, body)
        except (Refused, KeyError, IndexError, TypeError, ValueError):
            return 400, b'{"error": "not in the form of this protocol"}'
        self.heard.append(heard)
        self.asked.append("\n".join([heard.system, *heard.said]))
        if self.raw is not None:
            return self.raw
        reply = made(self.said if isinstance(self.said, str) else self.said(heard))
        return 200, json.dumps(
            reply
            if self.counts
            else {key: value for key, value in reply.items() if not key.startswith("usage")}
        ).encode()


def _handler_of(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = endpoint.reply(
                self.path, {name.lower(): value for name, value in self.headers.items()}, body
            )
            self.send_response(status)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
            del format, args

    return Handler
