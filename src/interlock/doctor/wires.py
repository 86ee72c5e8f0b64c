"""Fake models on 127.0.0.1: one server that plays a script of tool calls, and the protocols that clients speak with their models."""

from __future__ import annotations

import gzip
import json
import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Step = dict[str, Any]
Answer = dict[str, Any]
SPARE: Answer = {"object": "list", "data": [], "models": [], "input_tokens": 10, "totalTokens": 10}
"""What clients ask beside the conversation: lists of models, counts of tokens."""


class Wire(ABC):
    """Serves one script of tool calls; the step follows from how many calls the conversation already holds.

    ``scripts``: by a mark in the conversation's first words, so that a sub-agent can have its own; ``""`` is everybody else's.
    A step is ``{"tool", "input"}``, and what else its protocol needs. ``requests`` are the bodies that were sent. ``path``: how the path of the
    requests that are answered ends; every other one gets ``SPARE``.
    """

    path: ClassVar[str]

    def __init__(self, *steps: Step, scripts: dict[str, list[Step]] | None = None) -> None:
        self.scripts = {**(scripts or {}), "": list(steps)}
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _conversation_with(self))
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

    def serve(self, body: dict[str, Any]) -> Answer:
        """Keep a request and answer it: with the next step of its script where tools are offered, else with a last word."""
        with self._lock:
            self.requests.append(body)
            number = len(self.requests)
        if not any(tool.get("functionDeclarations", True) for tool in body.get("tools") or []):
            return self.answer(body, None, number)
        first, done = self.so_far(body)
        steps = next(script for mark, script in self.scripts.items() if mark in first)
        return self.answer(body, steps[done] if done < len(steps) else None, number)

    @abstractmethod
    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Return what a conversation was begun with, and how many calls it holds."""

    @abstractmethod
    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return the answer to a request, the ``number``-th: the step's call, or a last word."""

    @abstractmethod
    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Return what a request tells the model about calls: for each its id and what came of it."""

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Return an answer as the events of its stream."""
        return [answer]

    def results(self) -> list[str]:
        """Return what the model was told about its calls, each once, in order."""
        found: dict[str, str] = {}
        for request in self.requests:
            for name, said in self.told(request):
                found.setdefault(name, said)
        return list(found.values())

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


def parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a turn; of one that is a mere text none."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


class Messages(Wire):
    """Anthropic's Messages API, as Claude Code speaks it."""

    path = "/messages"
    usage: ClassVar[dict[str, int]] = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the uses of tools."""
        turns = body.get("messages", [])
        used = [part for turn in turns if turn["role"] == "assistant" for part in parts(turn["content"]) if part.get("type") == "tool_use"]
        return words(next((turn["content"] for turn in turns if turn["role"] == "user"), "")), len(used)

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one use of a tool, or a last text."""
        block = {"type": "tool_use", "name": step["tool"], "input": step["input"], "id": f"toolu_{number:04d}"} if step else None
        return {
            "id": f"msg_{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "fake"),
            "content": [block or {"type": "text", "text": "done"}],
            "stop_reason": "tool_use" if block else "end_turn",
            "stop_sequence": None,
            "usage": self.usage,
        }

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send the one block in pieces."""
        block = answer["content"][0]
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        return [
            {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": answer["stop_reason"], "stop_sequence": None}, "usage": self.usage},
            {"type": "message_stop"},
        ]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the results of tools."""
        found = [part for turn in body.get("messages", []) for part in parts(turn["content"]) if part.get("type") == "tool_result"]
        return [(part["tool_use_id"], words(part.get("content", ""))) for part in found]


class Responses(Wire):
    """OpenAI's Responses API, as Codex speaks it."""

    path = "/responses"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the calls."""
        items = body["input"]
        first = "\n".join(words(item.get("content")) for item in items if item.get("role") == "user")
        return first, sum(item.get("type") in ("function_call", "custom_tool_call") for item in items)

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, one free-form call (``custom``), or a last message."""
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
        return {"id": f"resp_{number}", "object": "response", "status": "completed", "model": body.get("model"), "output": [item], "usage": usage}

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send the one item whole."""
        [item] = answer["output"]
        return [
            {"type": "response.created", "response": {**answer, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": answer},
        ]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the outputs of calls."""
        return [(item["call_id"], words(item["output"])) for item in body["input"] if str(item.get("type")).endswith("_call_output")]


class Chat(Wire):
    """OpenAI's Chat Completions API, as Qwen Code and GitHub Copilot CLI speak it."""

    path = "/chat/completions"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the messages with calls."""
        turns = body["messages"]
        return "\n".join(words(turn.get("content")) for turn in turns if turn["role"] == "user"), sum(bool(turn.get("tool_calls")) for turn in turns)

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, or a last message."""
        message: dict[str, Any] = {"role": "assistant", "content": "" if step else "done"}
        if step:
            called = {"name": step["tool"], "arguments": json.dumps(step["input"])}
            message["tool_calls"] = [{"index": 0, "id": f"call_{number:04d}", "type": "function", "function": called}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if step else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        made = {"id": f"chatcmpl-{number}", "created": 1, "model": body.get("model"), "object": "chat.completion"}
        return {**made, "choices": [choice], "usage": usage}

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send the message, then its end."""
        [choice] = answer["choices"]
        base = {key: value for key, value in answer.items() if key != "usage"} | {"object": "chat.completion.chunk"}
        said = {"index": 0, "delta": choice["message"], "finish_reason": None}
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        return [{**base, "choices": [said]}, {**base, "choices": [end], "usage": answer["usage"]}]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the messages of tools."""
        return [(turn["tool_call_id"], words(turn["content"])) for turn in body["messages"] if turn["role"] == "tool"]


class Gemini(Wire):
    """Google's Gemini API."""

    path = "enerateContent"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the turns with calls."""
        turns = body.get("contents", [])
        done = sum(turn.get("role") == "model" and any("functionCall" in part for part in turn["parts"]) for turn in turns)
        return "\n".join(words(turn) for turn in turns if turn.get("role") == "user"), done

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, or a last text."""
        del body
        part: dict[str, Any] = {"functionCall": {"name": step["tool"], "args": step["input"], "id": f"fc{number}"}} if step else {"text": "done"}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": f"r{number}"}

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the responses of functions."""
        found = [part["functionResponse"] for turn in body.get("contents", []) for part in turn["parts"] if "functionResponse" in part]
        return [(response.get("id", ""), words(response["response"])) for response in found]


def _conversation_with(wire: Wire) -> Callable[..., BaseHTTPRequestHandler]:
    class Conversation(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(json.dumps(SPARE).encode(), "application/json")

        def do_POST(self) -> None:
            raw, path = self._body(), self.path.partition("?")[0]
            body = json.loads(gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw or b"{}")
            if not path.endswith(wire.path):
                self._send(json.dumps(SPARE).encode(), "application/json")
                return
            answer = wire.serve(body)
            if body.get("stream") is True or "stream" in path:
                events = wire.events(answer)
                lines = [(f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events]
                self._send("".join(lines).encode(), "text/event-stream")
            else:
                self._send(json.dumps(answer).encode(), "application/json")

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

    return Conversation
