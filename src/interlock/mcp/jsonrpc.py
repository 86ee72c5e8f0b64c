"""JSON-RPC 2.0 as MCP speaks it: one message to a line or a body, read strictly, so that what is
judged is what the server will read.

Servers in some languages take the names of fields whatever their case is (Go's ``encoding/json``),
or the first of two fields of one name. So no message is passed on as it came: it is read, looked
through for names that another reader could take for a known one, and written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.model.jsontext import JsonError, dumps, loads

Message = dict[str, object]

MAX_MESSAGE = 16 * 1024 * 1024
"""Bytes of one message at most."""
MAX_BATCH = 100
"""Messages of one batch at most."""
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, SERVER_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32000,
)

_ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")
_PARAMS = ("name", "arguments", "uri", "_meta", "task", "inputResponses", "requestState", "cursor")


class WireError(ValueError):
    """A message cannot be taken. ``code``: JSON-RPC's; ``answers``: its request's id, or None."""

    def __init__(self, code: int, why: str, answers: object = None) -> None:
        super().__init__(why)
        self.code = code
        self.answers = answers


def parse(data: bytes) -> tuple[list[Message], bool]:
    """Return the messages of a line or body and whether it is a batch; raises ``WireError``."""
    try:
        value = loads(data)
    except JsonError as error:
        raise WireError(
            PARSE_ERROR, f"this is not JSON in UTF-8: {error}", id_within(data[:4096], data[-4096:])
        ) from None
    batch = isinstance(value, list)
    found = value if batch else [value]
    if not found or len(found) > MAX_BATCH:
        raise WireError(
            INVALID_REQUEST, f"a batch holds 1 to {MAX_BATCH} messages, not {len(found)}"
        )
    for one in found:
        if not isinstance(one, dict):
            raise WireError(INVALID_REQUEST, "a message is a JSON object")
    return found, batch


def check_message(message: Message) -> Message:
    """Return a client's message with the fields of JSON-RPC and no others; raises ``WireError`` for
    what another reader could read otherwise.
    """
    answers = message.get("id") if is_id(message.get("id")) else None
    _no_other_spelling(message, _ENVELOPE, answers)
    method, params = message.get("method"), message.get("params")
    if "method" in message and not isinstance(method, str):
        raise WireError(INVALID_REQUEST, "method is a text", answers)
    if "id" in message and not is_id(message["id"]):
        raise WireError(INVALID_REQUEST, "id is a text or a whole number")
    if params is not None and not isinstance(params, dict):
        raise WireError(INVALID_PARAMS, "params is an object", answers)
    if "method" in message and ("result" in message or "error" in message):
        raise WireError(INVALID_REQUEST, "a message is a request or a response, not both", answers)
    if "method" not in message and (
        "id" not in message or ("result" in message) == ("error" in message)
    ):
        raise WireError(
            INVALID_REQUEST, "a message has a method, or an id with a result or an error", answers
        )
    if isinstance(params, dict):
        _no_other_spelling(params, _PARAMS, answers)
    return {"jsonrpc": "2.0", **{key: message[key] for key in _ENVELOPE[1:] if key in message}}


def _no_other_spelling(
    fields: Mapping[str, object], known: tuple[str, ...], answers: object
) -> None:
    for key in fields:
        if key not in known and any(fold(key) == fold(name) for name in known):
            raise WireError(
                INVALID_REQUEST, f"the field {key[:40]!r} can be mistaken for another one", answers
            )


def clean_message(message: Message) -> Message:
    """Return a server's message as one of JSON-RPC 2.0, without fields that another reader could
    take for those of JSON-RPC.
    """
    other = [
        key
        for key in message
        if key not in _ENVELOPE and any(fold(key) == fold(name) for name in _ENVELOPE)
    ]
    if message.get("jsonrpc") == "2.0" and not other:
        return message
    return {
        "jsonrpc": "2.0",
        **{key: value for key, value in message.items() if key not in (*other, "jsonrpc")},
    }


def fold(text: str) -> str:
    """Return a word as a careless reader could take it: letters and digits only, without case,
    look-alikes of Unicode's own tables made plain.
    """
    from unicodedata import normalize

    return "".join([char for char in normalize("NFKC", text[:200]).casefold() if char.isalnum()])


def is_id(value: object) -> bool:
    """Tell whether a value may be the id of a request (MCP: a text or whole number)."""
    return (isinstance(value, str) and len(value) <= 1000) or (
        isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    )


def key_of(value: object) -> str:
    """Return what an id is remembered by: ``1`` and ``"1"`` are two."""
    return dumps(value)


def encode_message(message: object) -> bytes:
    """Return a message as one line of ASCII without its end."""
    return dumps(message).encode("ascii")


def result(answers: object, value: Mapping[str, object]) -> Message:
    """Return a response."""
    return {"jsonrpc": "2.0", "id": answers, "result": dict(value)}


def error(code: int, why: str, answers: object = None) -> Message:
    """Return an error response; without a request it is known to be about, ``id`` is null."""
    return {
        "jsonrpc": "2.0",
        "id": answers,
        "error": {
            "code": code,
            "message": why if "interlock" in why.partition(":")[0] else f"interlock: {why}",
        },
    }


def refusal(problem: WireError) -> Message:
    """Return the response that says why a message could not be taken."""
    return error(problem.code, str(problem), problem.answers)


def tool_error(text: str, answers: object, *, typed: bool) -> Message:
    """Return a result of a tool that failed, whose text the model reads: in MCP a refusal is this,
    for clients may hide errors of the protocol.

    ``typed``: from 2026-07-28 on a result says of what type it is.
    """
    kind = {"resultType": "complete"} if typed else {}
    return result(answers, {"content": [{"type": "text", "text": text}], "isError": True, **kind})


# -- what can be told of a message that was not read -----------------------------------------------


def id_within(head: bytes, tail: bytes = b"") -> object:
    """Return the id of a message by its first and last bytes, as far as it can be told: a field
    ``id`` at the very beginning or end; else None.
    """
    for text in (
        head.decode("utf-8", "replace"),
        _tail_object(tail.decode("utf-8", "replace")),
    ):
        for member in _first_members(text):
            if member[0] == "id" and is_id(member[1]):
                return member[1]
    return None


def _first_members(text: str) -> Iterable[tuple[str, object]]:
    """Yield the members at the beginning of an object that are plain values: nothing after the
    first one that is nested or cut off.
    """
    rest = text.lstrip(" \t\r\n")
    if rest[:1] != "{":
        return
    rest = rest[1:]
    while True:
        name, rest = _string(rest.lstrip(" \t\r\n,"))
        rest = rest.lstrip(" \t\r\n")
        if name is None or rest[:1] != ":":
            return
        rest = rest[1:].lstrip(" \t\r\n")
        if rest[:1] == '"':
            value, rest = _string(rest)
            if value is None:
                return
            yield name, value
        else:
            word = rest[: _until(rest, ",}")]
            if not word.strip().lstrip("-").isdigit() or len(word) == len(rest) or len(word) > 20:
                return
            yield name, int(word)
            rest = rest[len(word) :]


def _string(text: str) -> tuple[str | None, str]:
    """Return the JSON string at the beginning of a text, unescaped, and what follows."""
    end = text.find('"', 1)
    if text[:1] != '"' or end < 0 or "\\" in text[:end]:
        return None, text
    return text[1:end], text[end + 1 :]


def _until(text: str, ends: str) -> int:
    return min([at for at in map(text.find, ends) if at >= 0], default=len(text))


def _tail_object(tail: str) -> str:
    """Return an object's plain last members as an object: ``..., "id": 7}`` is ``{"id": 7}``."""
    rest = tail.rstrip(" \t\r\n")
    at = rest.rfind(',"id"') if ',"id"' in rest else rest.rfind(', "id"')
    return "{" + rest[at + 1 :] if rest[-1:] == "}" and at >= 0 else ""
