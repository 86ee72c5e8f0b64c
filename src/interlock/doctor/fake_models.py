"""Fake models on 127.0.0.1: scripts of tool calls, and clients' protocols with models."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, ClassVar, Self

from interlock.doctor.modelserver import OK, Answer, server_of

Step = dict[str, Any]


class ScriptedModel(ABC):
    """Serves one script of tool calls; the step follows from how many calls the conversation
    already holds.

    ``scripts``: by a mark in the conversation's first words, so that a sub-agent can have its own;
    ``""`` is everybody else's. A step is ``{"tool", "input"}``, and what else its protocol needs;
    ``say`` are words before the call, or instead of one. ``requests`` are the bodies that were
    sent. ``path``: how the path of the requests that are answered ends; every other one gets
    ``SPARE``.
    """

    path: ClassVar[str]
    status = OK
    """Of every answer to a question; where it is not ``OK``, ``refusal`` is the answer."""
    refusal: ClassVar[Answer] = {
        "error": {"message": "no such key", "code": 401, "type": "authentication_error"},
        "type": "error",
    }

    def __init__(self, *steps: Step, scripts: dict[str, list[Step]] | None = None) -> None:
        self.scripts = {**(scripts or {}), "": list(steps)}
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = server_of(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
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
        """Where the client finds it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def serve(self, body: dict[str, Any]) -> Answer:
        """Keep a request and answer it: with the next step of its script where tools are offered,
        else with a last word.
        """
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
        """Return what a request tells the model about calls: for each its id and what came of
        it.
        """

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Return an answer as the events of its stream."""
        return [answer]

    def between(self, answer: Answer) -> None:  # noqa: B027 - most have nothing to do there
        """Come by before each event of a stream but the first: whoever wants to see it stream waits
        here.
        """

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


def step_text(step: Step | None) -> str:
    """Return the words of a step; the last word where there is none."""
    return str(step.get("say", "done")) if step else "done"


def tool_step(step: Step | None) -> Step | None:
    """Return a step that calls a tool."""
    return step if step is not None and "tool" in step else None


def pieces(text: str) -> list[str]:
    """Return a text as a stream brings it: word by word."""
    *before, last = text.split(" ")
    return [*[f"{word} " for word in before], last]


def parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a turn; of one that is a mere text none."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


class MessagesModel(ScriptedModel):
    """Anthropic's Messages API, as Claude Code speaks it."""

    path = "/messages"
    usage: ClassVar[dict[str, int]] = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the uses of tools."""
        turns = body.get("messages", [])
        used = [
            part
            for turn in turns
            if turn["role"] == "assistant"
            for part in parts(turn["content"])
            if part.get("type") == "tool_use"
        ]
        return words(next((turn["content"] for turn in turns if turn["role"] == "user"), "")), len(
            used
        )

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one use of a tool, or a last text."""
        call = tool_step(step)
        blocks: list[dict[str, Any]] = (
            [] if call and "say" not in call else [{"type": "text", "text": step_text(step)}]
        )
        if call:
            blocks.append(
                {
                    "type": "tool_use",
                    "name": call["tool"],
                    "input": call["input"],
                    "id": f"toolu_{number:04d}",
                }
            )
        return {
            "id": f"msg_{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "fake"),
            "content": blocks,
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": self.usage,
        }

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send every block in pieces."""
        sent: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}}
        ]
        for index, block in enumerate(answer["content"]):
            if block["type"] == "text":
                start, deltas = (
                    {**block, "text": ""},
                    [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])],
                )
            else:
                start, deltas = (
                    {**block, "input": {}},
                    [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}],
                )
            sent.append({"type": "content_block_start", "index": index, "content_block": start})
            sent += [
                {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
            ]
            sent.append({"type": "content_block_stop", "index": index})
        ended = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
        return [
            *sent,
            {"type": "message_delta", "delta": ended, "usage": self.usage},
            {"type": "message_stop"},
        ]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the results of tools."""
        found = [
            part
            for turn in body.get("messages", [])
            for part in parts(turn["content"])
            if part.get("type") == "tool_result"
        ]
        return [(part["tool_use_id"], words(part.get("content", ""))) for part in found]


class ResponsesModel(ScriptedModel):
    """OpenAI's Responses API, as Codex speaks it."""

    path = "/responses"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the calls."""
        items = body["input"]
        first = "\n".join(
            words(item.get("content")) for item in items if item.get("role") == "user"
        )
        return first, sum(
            item.get("type") in ("function_call", "custom_tool_call") for item in items
        )

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, one free-form call (``custom``), or a last message."""
        items: list[dict[str, Any]] = []
        if step is None or "say" in step:
            text = {"type": "output_text", "text": step_text(step), "annotations": []}
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [text],
                }
            )
        if step is not None and "tool" in step:
            named = {"call_id": f"call_{number:04d}", "name": step["tool"], "status": "completed"}
            named |= {"namespace": step["namespace"]} if "namespace" in step else {}
            if isinstance(step["input"], str):
                items.append(
                    {
                        "type": "custom_tool_call",
                        "id": f"ctc_{number}",
                        "input": step["input"],
                        **named,
                    }
                )
            else:
                items.append(
                    {
                        "type": "function_call",
                        "id": f"fc_{number}",
                        "arguments": json.dumps(step["input"]),
                        **named,
                    }
                )
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        return {
            "id": f"resp_{number}",
            "object": "response",
            "status": "completed",
            "model": body.get("model"),
            "output": items,
            "usage": usage,
        }

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send every item whole, a message's words in pieces before."""
        sent: list[dict[str, Any]] = [
            {
                "type": "response.created",
                "response": {**answer, "status": "in_progress", "output": []},
            }
        ]
        for index, item in enumerate(answer["output"]):
            sent.append(
                {
                    "type": "response.output_item.added",
                    "output_index": index,
                    "item": {**item, "content": []} if "content" in item else item,
                }
            )
            if "content" in item:
                at = {"output_index": index, "item_id": item["id"], "content_index": 0}
                words_sent = pieces(item["content"][0]["text"])
                sent.append(
                    {
                        "type": "response.content_part.added",
                        **at,
                        "part": {"type": "output_text", "text": "", "annotations": []},
                    }
                )
                sent += [
                    {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
                    for piece in words_sent
                ]
            sent.append({"type": "response.output_item.done", "output_index": index, "item": item})
        return [*sent, {"type": "response.completed", "response": answer}]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the outputs of calls."""
        return [
            (item["call_id"], words(item["output"]))
            for item in body["input"]
            if str(item.get("type")).endswith("_call_output")
        ]


class ChatModel(ScriptedModel):
    """OpenAI's Chat Completions API, as Qwen Code and GitHub Copilot CLI speak it."""

    path = "/chat/completions"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the messages with calls."""
        turns = body["messages"]
        return "\n".join(
            words(turn.get("content")) for turn in turns if turn["role"] == "user"
        ), sum(bool(turn.get("tool_calls")) for turn in turns)

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, or a last message."""
        call = tool_step(step)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "" if call and "say" not in call else step_text(step),
        }
        if call:
            wanted = {"name": call["tool"], "arguments": json.dumps(call["input"])}
            message["tool_calls"] = [
                {"index": 0, "id": f"call_{number:04d}", "type": "function", "function": wanted}
            ]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        made = {
            "id": f"chatcmpl-{number}",
            "created": 1,
            "model": body.get("model"),
            "object": "chat.completion",
        }
        return {**made, "choices": [choice], "usage": usage}

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send the message word by word, its call, then its end."""
        [choice] = answer["choices"]
        base = {key: value for key, value in answer.items() if key != "usage"} | {
            "object": "chat.completion.chunk"
        }
        first, *rest = pieces(choice["message"]["content"])
        calls = (
            {"tool_calls": choice["message"]["tool_calls"]}
            if "tool_calls" in choice["message"]
            else {}
        )
        deltas = [
            {"role": "assistant", "content": first},
            *[{"content": piece} for piece in rest],
            *([calls] if calls else []),
        ]
        sent = [
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            for delta in deltas
        ]
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        return [*sent, {**base, "choices": [end], "usage": answer["usage"]}]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the messages of tools."""
        return [
            (turn["tool_call_id"], words(turn["content"]))
            for turn in body["messages"]
            if turn["role"] == "tool"
        ]


class GeminiModel(ScriptedModel):
    """Google's Gemini API."""

    path = "enerateContent"

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Count the turns with calls."""
        turns = body.get("contents", [])
        done = sum(
            turn.get("role") == "model" and any("functionCall" in part for part in turn["parts"])
            for turn in turns
        )
        return "\n".join(words(turn) for turn in turns if turn.get("role") == "user"), done

    def answer(self, body: dict[str, Any], step: Step | None, number: int) -> Answer:
        """Return one function call, or a last text."""
        del body
        call = tool_step(step)
        made: list[dict[str, Any]] = (
            [] if call and "say" not in call else [{"text": step_text(step)}]
        )
        if call:
            made.append(
                {"functionCall": {"name": call["tool"], "args": call["input"], "id": f"fc{number}"}}
            )
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {
            "content": {"role": "model", "parts": made},
            "finishReason": "STOP",
            "index": 0,
        }
        return {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "fake",
            "responseId": f"r{number}",
        }

    def events(self, answer: Answer) -> list[dict[str, Any]]:
        """Send each part by itself, words in pieces."""
        [candidate] = answer["candidates"]
        cut = [
            {"text": piece}
            for part in candidate["content"]["parts"]
            for piece in pieces(part.get("text", ""))
            if piece
        ]
        made = [*cut, *[part for part in candidate["content"]["parts"] if "functionCall" in part]]
        rest = [
            {**answer, "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
            for part in made[:-1]
        ]
        return [
            *rest,
            {
                **answer,
                "candidates": [{**candidate, "content": {"role": "model", "parts": made[-1:]}}],
            },
        ]

    def told(self, body: dict[str, Any]) -> list[tuple[str, str]]:
        """Read the responses of functions."""
        found = [
            part["functionResponse"]
            for turn in body.get("contents", [])
            for part in turn["parts"]
            if "functionResponse" in part
        ]
        return [(response.get("id", ""), words(response["response"])) for response in found]
