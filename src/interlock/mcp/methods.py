"""What a client may ask of a server, by method: what is judged, what passes, what is neither."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.mcp.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Message, WireError, fold
from interlock.model.record import Record

TOOL, RESOURCE, PROMPT = "tools/call", "resources/read", "prompts/get"
JUDGED = (TOOL, RESOURCE, PROMPT)
PASSING = frozenset(
    """initialize ping completion/complete logging/setLevel tools/list prompts/list resources/list
        resources/templates/list resources/subscribe
    resources/unsubscribe server/discover subscriptions/listen tasks/get tasks/list tasks/result
    tasks/cancel""".split()
)
"""Requests of MCP, from 2024-11-05 to 2026-07-28, that ask a server to do nothing to the world:
they list, listen and look.
"""
_FOLDED = {fold(method): method for method in (*JUDGED, *PASSING)}


class MethodRequest(Record):
    """What a request asks for, as it is judged: ``name`` is the tool's (or the method's), ``given``
    its arguments.
    """

    method: str
    name: str
    given: Mapping[str, object]


def parse_request(message: Message) -> MethodRequest | None:
    """Return what a client's request wants judged; None where it passes. Raises ``WireError`` for a
    request that nobody could judge.

    A method that is not known may do anything, so it is judged like a tool of that name.
    """
    method, answers = str(message["method"]), message.get("id")
    params = message.get("params")
    given: dict[str, object] = params if isinstance(params, dict) else {}
    if method in PASSING:
        return None
    if method not in JUDGED:
        known = _FOLDED.get(fold(method))
        if known is not None or not method.isprintable() or not method or len(method) > 200:
            like = f"; {known} is one" if known else ""
            raise WireError(METHOD_NOT_FOUND, f"{method[:60]!r} is no method of MCP{like}", answers)
        told = given.get("name")
        return MethodRequest(
            method,
            f"{method}:{told}" if isinstance(told, str) else method,
            {key: value for key, value in given.items() if key != "_meta"},
        )
    if method == RESOURCE:
        return MethodRequest(method, method, _resource(_text(given, "uri", method, answers)))
    name, arguments = _text(given, "name", method, answers), given.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise WireError(INVALID_PARAMS, f"the arguments of {method} are an object", answers)
    return MethodRequest(method, name if method == TOOL else method, arguments or {})


def _text(given: Mapping[str, object], key: str, method: str, answers: object) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value or len(value) > 8192:
        raise WireError(INVALID_PARAMS, f"{method} needs {key}, a text", answers)
    return value


def _resource(uri: str) -> Mapping[str, object]:
    """Return a resource's address as an argument: a file, a page or a path is judged as one, any
    other (``note://1``) as a name.
    """
    scheme, found, rest = uri.partition("://")
    if not found or scheme.lower() in ("file", "http", "https", "ftp", "ws", "wss"):
        return {"uri": uri}
    return {"path": rest} if rest[:1] in ("/", "~", ".") else {"name": f"{scheme}:{rest}"}
