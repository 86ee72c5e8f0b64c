"""How models are asked over HTTP: a row for each protocol, so that a provider is data. No stream,
and no tools: text goes there and comes back.

Sources: platform.openai.com/docs/api-reference (chat, responses),
docs.anthropic.com/en/api/messages, ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.validator.question import ReviewQuestion

MOST_TOKENS = 10**9
"""A reply that counts more counts nothing."""


class ModelProtocol(Record):
    """A protocol. ``base``: where it is spoken if the policy names no other place; ``path``: below
    that, with the model's name if it belongs there.

    ``key``: the header that holds the key, and what stands before it. ``body`` makes the request's,
    ``answer`` finds the text in the reply's.
    ``used``: where the reply counts tokens that were read, written, and read from the provider's
    cache; names with a dot between lead inwards, and of several names with a plus between the sum
    counts. ``cached_apart``: what came from the cache is not among what was read.
    """

    base: str
    path: str
    key: tuple[str, str]
    body: Callable[[str, ReviewQuestion], dict[str, object]]
    answer: Callable[[Any], Iterator[object]]
    used: tuple[str, str, str]
    cached_apart: bool = False
    headers: Mapping[str, str] = {}


def _chat_turns(question: ReviewQuestion, model: str = "assistant") -> Iterator[tuple[str, str]]:
    """Yield who says what: the question, and then by turns the model and who answers it."""
    yield "user", question.text
    for said, told in question.turns:
        yield model, said
        yield "user", told


def _chat(model: str, question: ReviewQuestion) -> dict[str, object]:
    said = [{"role": role, "content": text} for role, text in _chat_turns(question)]
    return {"model": model, "messages": [{"role": "system", "content": question.system}, *said]}


def _chat_answer(reply: Any) -> Iterator[object]:
    yield reply["choices"][0]["message"]["content"]


def _responses(model: str, question: ReviewQuestion) -> dict[str, object]:
    said = [{"role": role, "content": text} for role, text in _chat_turns(question)]
    return {"model": model, "instructions": question.system, "input": said, "store": False}


def _responses_answer(reply: Any) -> Iterator[object]:
    for item in reply["output"]:
        if item["type"] == "message":
            yield from [part["text"] for part in item["content"] if part["type"] == "output_text"]


def _messages(model: str, question: ReviewQuestion) -> dict[str, object]:
    said = [{"role": role, "content": text} for role, text in _chat_turns(question)]
    return {
        "model": model,
        "max_tokens": question.most,
        "system": question.system,
        "messages": said,
    }


def _messages_answer(reply: Any) -> Iterator[object]:
    yield from [part["text"] for part in reply["content"] if part["type"] == "text"]


def _generate(_model: str, question: ReviewQuestion) -> dict[str, object]:
    said = [
        {"role": role, "parts": [{"text": text}]} for role, text in _chat_turns(question, "model")
    ]
    return {"systemInstruction": {"parts": [{"text": question.system}]}, "contents": said}


def _generate_answer(reply: Any) -> Iterator[object]:
    yield from [
        part["text"]
        for part in reply["candidates"][0]["content"]["parts"]
        if not part.get("thought")
    ]


PROTOCOLS: dict[str, ModelProtocol] = {
    "openai-chat": ModelProtocol(
        "https://api.openai.com/v1", "/chat/completions", ("Authorization", "Bearer "), _chat,
        _chat_answer,
        ("usage.prompt_tokens", "usage.completion_tokens",
            "usage.prompt_tokens_details.cached_tokens"),
    ),
    "openai-responses": ModelProtocol(
        "https://api.openai.com/v1", "/responses", ("Authorization", "Bearer "), _responses,
        _responses_answer,
        ("usage.input_tokens", "usage.output_tokens", "usage.input_tokens_details.cached_tokens"),
    ),
    "anthropic": ModelProtocol(
        "https://api.anthropic.com", "/v1/messages", ("x-api-key", ""), _messages, _messages_answer,
        ("usage.input_tokens+usage.cache_creation_input_tokens", "usage.output_tokens", "usage.cache_read_input_tokens"), cached_apart=True,
        headers={"anthropic-version": "2023-06-01"},
    ),
    "gemini": ModelProtocol(
        "https://generativelanguage.googleapis.com", "/v1beta/models/{model}:generateContent",
        ("x-goog-api-key", ""), _generate, _generate_answer,
        ("usageMetadata.promptTokenCount",
            "usageMetadata.candidatesTokenCount+usageMetadata.thoughtsTokenCount",
         "usageMetadata.cachedContentTokenCount"),
    ),
}  # fmt: skip


def usage(protocol: ModelProtocol, model: str, reply: object) -> Usage | None:
    """Return the tokens that a reply says were used, or None where nothing can be counted."""
    read, written, cached = [_sum(reply, names) for names in protocol.used]
    if read is None or written is None:
        return None
    fresh = read if protocol.cached_apart else max(read - (cached or 0), 0)
    return Usage(model, fresh, written, cached or 0)


def _sum(reply: object, names: str) -> int | None:
    found = [_number(reply, name) for name in names.split("+")]
    return None if found[0] is None else sum([one or 0 for one in found])


def _number(reply: object, name: str) -> int | None:
    for step in name.split("."):
        reply = reply.get(step) if isinstance(reply, dict) else None
    return reply if type(reply) is int and 0 <= reply < MOST_TOKENS else None
