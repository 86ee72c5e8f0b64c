"""A small MCP server on standard input and output with one tool, ``touch_file(path)``: it makes an
empty file.

That it was asked for its tools is seen by a file ``demo.listed`` in HOME: some clients go on before
a server is there.
"""

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = {"name": "touch_file", "description": "Create a file.", "inputSchema": SCHEMA}


def answer(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    if method == "initialize":
        version = given.get("protocolVersion", "2025-06-18")
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "demo", "version": "0"},
        }
    if method == "tools/list":
        (Path.home() / "demo.listed").touch()
        return {"tools": [TOOL]}
    if method == "tools/call":
        Path(given["arguments"]["path"]).touch()
        return {"content": [{"type": "text", "text": "touched"}]}
    return {}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            sys.stdout.write(
                json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n"
            )
            sys.stdout.flush()
