"""How models are asked over HTTP: a row for each protocol, so that a provider is data. One question, one answer, no stream.

Sources: platform.openai.com/docs/api-reference (chat, responses), docs.anthropic.com/en/api/messages, ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from interlock.validator.question import Question

ANSWER_TOKENS = 300
"""What a protocol that wants a bound is given: one line, and no more."""


class Protocol(Record):
    """A protocol. ``base``: where it is spoken if the policy names no other place; ``path``: below that, with the model's name if it belongs there.

    ``key``: the header that holds the key, and what stands before it. ``body`` makes the request's, ``answer`` finds the text in the reply's.
    """

    base: str
    path: str
    key: tuple[str, str]
    body: Callable[[str, Question], dict[str, object]]
    answer: Callable[[Any], Iterator[object]]
    headers: Mapping[str, str] = {}


def _chat(model: str, question: Question) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "system", "content": question.system}, {"role": "user", "content": question.text}]}


def _chat_answer(reply: Any) -> Iterator[object]:
    yield reply["choices"][0]["message"]["content"]


def _responses(model: str, question: Question) -> dict[str, object]:
    return {"model": model, "instructions": question.system, "input": question.text, "store": False}


def _responses_answer(reply: Any) -> Iterator[object]:
    for item in reply["output"]:
        if item["type"] == "message":
            yield from [part["text"] for part in item["content"] if part["type"] == "output_text"]


def _messages(model: str, question: Question) -> dict[str, object]:
    said = [{"role": "user", "content": question.text}]
    return {"model": model, "max_tokens": ANSWER_TOKENS, "system": question.system, "messages": said}


def _messages_answer(reply: Any) -> Iterator[object]:
    yield from [part["text"] for part in reply["content"] if part["type"] == "text"]


def _generate(_model: str, question: Question) -> dict[str, object]:
    return {"systemInstruction": {"parts": [{"text": question.system}]}, "contents": [{"role": "user", "parts": [{"text": question.text}]}]}


def _generate_answer(reply: Any) -> Iterator[object]:
    yield from [part["text"] for part in reply["candidates"][0]["content"]["parts"] if not part.get("thought")]


PROTOCOLS: dict[str, Protocol] = {
    "openai-chat": Protocol("https://api.openai.com/v1", "/chat/completions", ("Authorization", "Bearer "), _chat, _chat_answer),
    "openai-responses": Protocol("https://api.openai.com/v1", "/responses", ("Authorization", "Bearer "), _responses, _responses_answer),
    "anthropic": Protocol(
        "https://api.anthropic.com", "/v1/messages", ("x-api-key", ""), _messages, _messages_answer, {"anthropic-version": "2023-06-01"}
    ),
    "gemini": Protocol(
        "https://generativelanguage.googleapis.com", "/v1beta/models/{model}:generateContent", ("x-goog-api-key", ""), _generate, _generate_answer
    ),
}
