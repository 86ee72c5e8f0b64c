"""A small MCP server: tools of our own over standard input and output, one call after the other
(MCP 2025-06-18, tools).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from interlock.mcp.jsonrpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    SERVER_ERROR,
    WireError,
    encode_message,
    error,
    parse,
    result,
)
from interlock.mcp.stdio import LongLine, lines

Answer = tuple[dict[str, Any], bool]
"""What a tool answers, as plain data, and whether it failed."""

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")


class NoSuchToolError(ValueError):
    """There is no tool of that name, or it was given something else than it takes."""


class McpServer:
    """``tools``: as MCP lists them. ``call(name, arguments)`` answers; raises
    ``NoSuchToolError``.
    """

    def __init__(
        self, name: str, tools: Sequence[dict[str, Any]], call: Callable[[str, object], Answer]
    ) -> None:
        self.name = name
        self.tools = list(tools)
        self.call = call

    def serve(self, descriptor: int = 0) -> int:
        """Answer every line until there are no more; returns 0."""
        for line in lines(descriptor):
            for answer in self.answered(line):
                sys.stdout.buffer.write(answer + b"\n")
                sys.stdout.buffer.flush()
        return 0

    def answered(self, line: bytes | LongLine) -> list[bytes]:
        """Return the answers to one line; none for what wants none."""
        if isinstance(line, LongLine):
            return [encode_message(error(PARSE_ERROR, "the message is too long"))]
        if not line.strip():
            return []
        try:
            messages, _ = parse(line)
        except WireError as problem:
            return [encode_message(error(problem.code, str(problem), problem.answers))]
        return [
            encode_message(answer) for answer in map(self._answer, messages) if answer is not None
        ]

    def _answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, params, number = message.get("method"), message.get("params"), message.get("id")
        if number is None or not isinstance(method, str):
            return None  # a notification, or an answer to a question that was not asked
        given = params if isinstance(params, dict) else {}
        if method == "initialize":
            return result(number, self._greeting(given.get("protocolVersion")))
        if method == "ping":
            return result(number, {})
        if method == "tools/list":
            return result(number, {"tools": self.tools})
        if method != "tools/call":
            return error(METHOD_NOT_FOUND, f"there is no method {method}", number)
        try:
            data, failed = self.call(str(given.get("name")), given.get("arguments"))
        except NoSuchToolError as problem:
            return error(INVALID_PARAMS, str(problem), number)
        except Exception as problem:  # noqa: BLE001 - an answer is owed, and the calls after this one too
            return error(
                SERVER_ERROR, f"this call failed: {type(problem).__name__}: {problem}", number
            )
        text = encode_message(data).decode("utf-8")
        return result(
            number,
            {
                "content": [{"type": "text", "text": text}],
                "structuredContent": data,
                "isError": failed,
            },
        )

    def _greeting(self, version: object) -> dict[str, Any]:
        from interlock.model.release import __version__

        spoken = version if version in VERSIONS else VERSIONS[0]
        return {
            "protocolVersion": spoken,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": self.name, "version": __version__},
        }
