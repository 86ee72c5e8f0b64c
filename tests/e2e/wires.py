"""Fake models that speak other protocols than Anthropic's: OpenAI Responses, OpenAI Chat Completions, Gemini; on 127.0.0.1."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Step = dict[str, Any]


class Wire:
    """Serves one script of tool calls; the step follows from how many calls the conversation already holds.

    ``scripts``: by a mark in the conversation's first words, so that a sub-agent can have its own; ``""`` is everybody else's.
    A step is ``{"tool", "input"}``, and what else its protocol needs.
    """

    path: ClassVar[str]

    def __init__(self, *steps: Step, scripts: dict[str, list[Step]] | None = None) -> None:
        self.scripts = {**(scripts or {}), "": list(steps)}
        self.requests: list[dict[str, Any]] = []
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

    def step(self, body: dict[str, Any], first: str, done: int) -> Step | None:
        """Keep a request and choose the step for it: the one after the ``done`` calls; None to end."""
        self.requests.append(body)
        steps = next(script for mark, script in self.scripts.items() if mark in first)
        return steps[done] if done < len(steps) else None

    def events(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the answer to a request as the events of its stream."""
        raise NotImplementedError

    def told(self) -> dict[str, str]:
        """Return what the model was told about each call, by its id, in order."""
        raise NotImplementedError

    def results(self) -> list[str]:
        """Return what the model was told about its calls, each once, in order."""
        return list(self.told().values())

    def heard(self) -> str:
        """Return everything that was ever sent to the model, as one text."""
        return "\n".join(words(request) for request in self.requests)


def words(value: object) -> str:
    """Return every text in a value."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(words(part) for part in value.values())
    return "\n".join(words(part) for part in value) if isinstance(value, list) else ""


class Responses(Wire):
    """OpenAI's Responses API, as Codex speaks it."""

    path = "/responses"

    def events(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return one function call, one free-form call (``custom``), or a last message."""
        items = body["input"]
        first = "\n".join(words(item.get("content")) for item in items if item.get("role") == "user")
        step = self.step(body, first, sum(item.get("type") in ("function_call", "custom_tool_call") for item in items))
        number = len(self.requests)
        if step is None:
            text = {"type": "output_text", "text": "done", "annotations": []}
            item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text]}
        else:
            named = {"call_id": f"call_{number:04d}", "name": step["tool"], "status": "completed"}
            named |= {"namespace": step["namespace"]} if "namespace" in step else {}
            if isinstance(step["input"], str):
                item = {"type": "custom_tool_call", "id": f"ctc_{number}", "input": step["input"], **named}
            else:
                item = {"type": "function_call", "id": f"fc_{number}", "arguments": json.dumps(step["input"]), **named}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        response = {"id": f"resp_{number}", "object": "response", "status": "completed", "model": body.get("model"), "output": [item], "usage": usage}
        return [
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]

    def told(self) -> dict[str, str]:
        """Read the outputs of calls."""
        found: dict[str, str] = {}
        for request in self.requests:
            for item in request["input"]:
                if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                    found.setdefault(item["call_id"], words(item["output"]))
        return found


class Chat(Wire):
    """OpenAI's Chat Completions API, as Qwen Code speaks it."""

    path = "/chat/completions"

    def events(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return one function call, or a last message."""
        turns = body["messages"]
        first = "\n".join(words(turn.get("content")) for turn in turns if turn["role"] == "user")
        step = self.step(body, first, sum(bool(turn.get("tool_calls")) for turn in turns)) if body.get("tools") else None
        number = len(self.requests)
        delta: dict[str, Any] = {"role": "assistant", "content": "" if step else "done"}
        if step:
            called = {"name": step["tool"], "arguments": json.dumps(step["input"])}
            delta["tool_calls"] = [{"index": 0, "id": f"call_{number:04d}", "type": "function", "function": called}]
        base = {"id": f"chatcmpl-{number}", "created": 1, "model": body.get("model"), "object": "chat.completion.chunk"}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if step else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}, {**base, "choices": [end], "usage": usage}]

    def told(self) -> dict[str, str]:
        """Read the messages of tools."""
        found: dict[str, str] = {}
        for request in self.requests:
            for turn in request["messages"]:
                if turn["role"] == "tool":
                    found.setdefault(turn["tool_call_id"], words(turn["content"]))
        return found


class Gemini(Wire):
    """Google's Gemini API."""

    path = "enerateContent"

    def events(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return one function call, or a last text."""
        turns = body.get("contents", [])
        offered = any(tool.get("functionDeclarations") for tool in body.get("tools") or [])
        first = "\n".join(words(turn) for turn in turns if turn.get("role") == "user")
        done = sum(turn.get("role") == "model" and any("functionCall" in part for part in turn["parts"]) for turn in turns)
        step = self.step(body, first, done) if offered else None
        number = len(self.requests)
        part: dict[str, Any] = {"functionCall": {"name": step["tool"], "args": step["input"], "id": f"fc{number}"}} if step else {"text": "done"}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": f"r{number}"}]

    def told(self) -> dict[str, str]:
        """Read the responses of functions."""
        found: dict[str, str] = {}
        for request in self.requests:
            for turn in request.get("contents", []):
                for part in turn["parts"]:
                    if "functionResponse" in part:
                        found.setdefault(part["functionResponse"].get("id", ""), words(part["functionResponse"]["response"]))
        return found


def _handler_of(wire: Wire) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(b'{"object":"list","data":[],"models":[]}', "application/json")

        def do_POST(self) -> None:
            body = json.loads(self._body() or b"{}")
            path = self.path.partition("?")[0]
            if not path.endswith(wire.path):
                self._send(b'{"totalTokens":10}', "application/json")
                return
            events = wire.events(body)
            if body.get("stream") is True or "stream" in path:
                lines = [(f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events]
                self._send("".join(lines).encode(), "text/event-stream")
            else:
                self._send(json.dumps(events[-1]).encode(), "application/json")

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            raw = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return raw

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
